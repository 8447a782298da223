//! What tasks are written in: encrypted columns of integers, numbers and statistics, over BFV ciphertexts.

mod elementwise;
mod layout;
mod mod_switch;
mod multiply;
mod plain;
mod rotate;
mod statistic;
mod sum;

pub use layout::{Column, KeyName, Keys, Number, OutputCiphertext, Read, Rows, Sums, output_ciphertexts};
pub use rotate::elements as rotation_elements;
pub use statistic::{
    multiplies as statistic_multiplies, products as statistic_products, sums as statistic_sums,
};

use crate::ops::OpDef;
use crate::ops::types::{Residues, cycled};
use elementwise::Elementwise;
use plain::Plain;
use rotate::Rotate;
use statistic::Statistic;
use std::sync::Arc;

/// The value types of this folder whose words are residues.
pub fn residues() -> [(&'static str, Residues); 5] {
    let keys: Residues = |ty| {
        let keys = Keys::of(ty)?;
        let of = |name: &KeyName| {
            let key = keys.key(name);
            key.all().repeat(2 * key.digits())
        };
        Ok((keys.n, keys.names.iter().flat_map(of).collect()))
    };
    [("column", cycled), ("number", cycled), ("statistic", cycled), ("sums", cycled), ("keys", keys)]
}

/// The operator types of this folder.
pub fn all() -> Vec<Arc<dyn OpDef>> {
    let mut all: Vec<Arc<dyn OpDef>> = vec![
        Arc::new(Elementwise { name: "column.add", ciphertext: "rlwe.add", inputs: 2 }),
        Arc::new(Elementwise { name: "column.sub", ciphertext: "rlwe.sub", inputs: 2 }),
        Arc::new(Elementwise { name: "column.negate", ciphertext: "rlwe.negate", inputs: 1 }),
        Arc::new(mod_switch::ModSwitch),
        Arc::new(multiply::Multiply),
        Arc::new(Plain { name: "column.add_plain", ciphertext: "bfv.add_plain" }),
        Arc::new(Plain { name: "column.multiply_plain", ciphertext: "bfv.multiply_plain" }),
        Arc::new(Rotate { name: "column.rotate_rows" }),
        Arc::new(Rotate { name: "column.rotate_columns" }),
        Arc::new(sum::Sum),
    ];
    for &Statistic { name, columns, sums } in statistic::ALL {
        all.push(Arc::new(Statistic { name, columns, sums }));
    }
    all
}
