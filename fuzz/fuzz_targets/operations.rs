//! The operations of the model test, chosen by a fuzzer: 4 bytes of configuration, then 12 bytes per operation.
//!
//! `cargo +nightly fuzz run operations` searches; with the path of a file it repeats that one input. `PHALANX_FUZZ_SHOW=1` prints the
//! operations as they are done, ready to be pasted into a test.

#![no_main]

#[path = "../../crates/phalanx-ecs/tests/model/worlds/mod.rs"]
mod worlds;

use libfuzzer_sys::fuzz_target;
use worlds::{CONFIG_BYTES, Config, Driver, OP_BYTES, Op};

fuzz_target!(|bytes: &[u8]| {
    let Some((config, bytes)) = bytes.split_first_chunk::<CONFIG_BYTES>() else { return };
    let config = Config::decode(*config);
    let show = std::env::var_os("PHALANX_FUZZ_SHOW").is_some();
    if show {
        eprintln!("{config:?}");
    }
    // Inputs are short, so every step can be compared.
    let mut driver = Driver::new(config, true);
    let (ops, _) = bytes.as_chunks::<OP_BYTES>();
    for bytes in ops {
        let op = Op::decode(*bytes);
        if show {
            eprintln!("    Op::{op:?},");
        }
        driver.apply(op);
    }
    driver.finish();
});
