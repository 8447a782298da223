//! The names of the operators that do under a scheme what every scheme does.

use super::SchemeName;

/// Names of the operators of one scheme. What is the same under all of them is `rlwe.`, and is no part of this.
pub struct Operators {
    /// Slots to a plaintext.
    pub encode: &'static str,
    /// A plaintext to slots.
    pub decode: &'static str,
    /// Encrypts a plaintext with the secret key.
    pub encrypt_secret: &'static str,
    /// The same with the public key.
    pub encrypt_public: &'static str,
    /// A ciphertext, or what is left of one, to a plaintext.
    pub decrypt: &'static str,
    /// log2 of the noise that is in one, where it can be told from the message.
    pub noise: Option<&'static str>,
    /// Adds a plaintext.
    pub add_plain: &'static str,
    /// Multiplies two ciphertexts.
    pub multiply: &'static str,
    /// Multiplies with a plaintext.
    pub multiply_plain: &'static str,
    /// Divides by primes: a switch of moduli, or a rescaling.
    pub divide: &'static str,
}

impl SchemeName {
    /// The scheme's operators.
    pub fn operators(self) -> &'static Operators {
        match self {
            Self::Bfv => &Operators {
                encode: "slots.encode",
                decode: "slots.decode",
                encrypt_secret: "bfv.encrypt_secret",
                encrypt_public: "bfv.encrypt_public",
                decrypt: "bfv.decrypt",
                noise: Some("bfv.noise"),
                add_plain: "bfv.add_plain",
                multiply: "bfv.multiply",
                multiply_plain: "bfv.multiply_plain",
                divide: "bfv.mod_switch",
            },
            Self::Bgv => &Operators {
                encode: "slots.encode",
                decode: "slots.decode",
                encrypt_secret: "bgv.encrypt_secret",
                encrypt_public: "bgv.encrypt_public",
                decrypt: "bgv.decrypt",
                noise: Some("bgv.noise"),
                add_plain: "bgv.add_plain",
                multiply: "bgv.multiply",
                multiply_plain: "bgv.multiply_plain",
                divide: "bgv.mod_switch",
            },
            Self::Ckks => &Operators {
                encode: "ckks.encode",
                decode: "ckks.decode",
                encrypt_secret: "ckks.encrypt_secret",
                encrypt_public: "ckks.encrypt_public",
                decrypt: "ckks.decrypt",
                noise: None,
                add_plain: "ckks.add_plain",
                multiply: "ckks.multiply",
                multiply_plain: "ckks.multiply_plain",
                divide: "ckks.rescale",
            },
        }
    }
}
