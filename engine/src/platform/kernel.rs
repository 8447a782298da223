//! Prepared base operators: what a platform makes of one signature.

use super::ForeignCall;
use super::gpu::Shader;
use std::sync::Arc;

/// One prepared base operator, by what it computes on.
#[derive(Clone)]
pub enum Kernel {
    /// On 64-bit words: lattice algebra, in graphs of unit 64.
    Words(Arc<dyn WordKernel>),
    /// On bytes: plain data, in any graph.
    Bytes(Arc<dyn ByteKernel>),
    /// None here: the run hands the data out and is told the result.
    Elsewhere(Arc<ForeignCall>),
    /// On a device with a memory of its own, in graphs of unit 64: the run encodes it for whoever has the device.
    Device(Arc<Shader>),
    /// Copies a block to the device. The plan puts it in where data cross.
    Upload,
    /// Copies a block back from there.
    Download,
}

/// A kernel on words.
pub trait WordKernel: Send + Sync {
    /// Computes `out` from `inputs`, all in units of 64 bits, of the sizes of their types; a `poly` comes limb by limb,
    /// other operands in one block each. `nonce` numbers the samples of random operators. `out` overlaps no input;
    /// it and `scratch` hold arbitrary values before.
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], nonce: u32);

    /// How many units of `scratch` a run needs, at least.
    fn scratch(&self) -> usize {
        0
    }

    /// What it is called where one asks which kernels ran: see [`Kernel::names`].
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A kernel that has names.
struct Named {
    kernel: Arc<dyn WordKernel>,
    names: Vec<String>,
}

impl WordKernel for Named {
    fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], nonce: u32) {
        self.kernel.run(inputs, out, scratch, nonce);
    }

    fn scratch(&self) -> usize {
        self.kernel.scratch()
    }

    fn names(&self) -> Vec<String> {
        self.names.iter().cloned().chain(self.kernel.names()).collect()
    }
}

/// A kernel on bytes.
pub trait ByteKernel: Send + Sync {
    /// Computes `out` from `inputs`, each of the bytes that its type takes up, aligned for its elements (`out` to 8 bytes);
    /// where a type does not fill its last byte, the other bits of an input are arbitrary, those of `out` are to be 0.
    /// `out` overlaps no input; it holds arbitrary values before, and is written to its end.
    fn run(&self, inputs: &[&[u8]], out: &mut [u8]);
}

impl Kernel {
    /// A kernel on words.
    pub fn on_words(kernel: impl WordKernel + 'static) -> Self {
        Self::Words(Arc::new(kernel))
    }

    /// A kernel on bytes.
    pub fn on_bytes(kernel: impl ByteKernel + 'static) -> Self {
        Self::Bytes(Arc::new(kernel))
    }

    /// How many words of scratch a run needs, at least.
    pub fn scratch(&self) -> usize {
        match self {
            Self::Words(kernel) => kernel.scratch(),
            _ => 0,
        }
    }

    /// With more names, before those that it has; only kernels on words have any of their own.
    #[must_use]
    pub fn named(self, names: Vec<String>) -> Self {
        match self {
            Self::Words(kernel) if !names.is_empty() => Self::on_words(Named { kernel, names }),
            other => other,
        }
    }

    /// Which kernels these are: the family or the platform, then those made at run time that work in it. Copies have none.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Words(kernel) => kernel.names(),
            Self::Bytes(_) => vec!["plain".to_owned()],
            Self::Elsewhere(call) => vec![call.platform.clone()],
            Self::Device(shader) => std::iter::once("gpu".to_owned()).chain(shader.name.clone()).collect(),
            Self::Upload | Self::Download => Vec::new(),
        }
    }

    /// True for what waits for a device, or for what it computed.
    pub fn is_device(&self) -> bool {
        matches!(self, Self::Device(_) | Self::Upload | Self::Download)
    }

    /// Runs a kernel that is here over words, in a graph of unit 64; see [`WordKernel::run`].
    pub fn run(&self, inputs: &[&[u64]], out: &mut [u64], scratch: &mut [u64], nonce: u32) {
        match self {
            Self::Words(kernel) => kernel.run(inputs, out, scratch, nonce),
            Self::Bytes(kernel) => {
                let inputs: Vec<&[u8]> = inputs.iter().map(|&words| bytemuck::cast_slice(words)).collect();
                kernel.run(&inputs, bytemuck::cast_slice_mut(out));
            }
            Self::Elsewhere(_) | Self::Device(_) | Self::Upload | Self::Download => {}
        }
    }
}

impl<F: Fn(&[&[u8]], &mut [u8]) + Send + Sync> ByteKernel for F {
    fn run(&self, inputs: &[&[u8]], out: &mut [u8]) {
        self(inputs, out);
    }
}
