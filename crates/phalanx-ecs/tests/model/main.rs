//! Random operations on Phalanx and on a naive world; the two must agree after every one. See [`worlds`].
//!
//! `PHALANX_MODEL_OPS=5000000 cargo test --release -p phalanx-ecs --test model` runs so many operations; `PHALANX_MODEL_SEED=…` starts elsewhere.
//! A failure prints its seed and the few operations that are left of it, ready to be pasted into a test. `fuzz/` decodes and drives the same operations.

mod worlds;

use phalanx_ecs::Checksum;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use worlds::random::Random;
use worlds::{CONFIG_BYTES, Config, Driver, OP_BYTES, Op};

fn bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut bytes = [0; N];
    for part in bytes.chunks_mut(8) {
        part.copy_from_slice(&random.next().to_le_bytes()[..part.len()]);
    }
    bytes
}

/// The configuration and operations of a seed.
fn scenario(seed: u64, length: usize) -> (Config, Vec<Op>) {
    let mut random = Random(seed);
    let config = Config::decode(bytes::<CONFIG_BYTES>(&mut random));
    (config, (0..length).map(|_| Op::decode(bytes::<OP_BYTES>(&mut random))).collect())
}

/// What a failing run said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
        .unwrap_or_else(|| "a panic without words".into())
}

/// Runs operations; the error says what differed, and after how many of them.
fn run(config: Config, ops: &[Op], thorough: bool) -> Result<[Checksum; 2], (usize, String)> {
    let mut done = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut driver = Driver::new(config, thorough);
        for op in ops {
            driver.apply(*op);
            done += 1;
        }
        driver.finish()
    }));
    result.map_err(|panic| (done, words(&*panic)))
}

/// Leaves operations out as long as the rest still fails.
fn shrink(config: Config, mut ops: Vec<Op>) -> (Vec<Op>, String) {
    let Err((mut last, mut why)) = run(config, &ops, true) else {
        return (ops, "it does not fail when every step is checked".into());
    };
    ops.truncate(last + 1);
    let mut size = ops.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < ops.len() {
            let mut fewer = ops.clone();
            fewer.drain(at..(at + size).min(ops.len()));
            if let Err(failure) = run(config, &fewer, true) {
                (last, why) = failure;
                fewer.truncate(last + 1);
                ops = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    (ops, why)
}

fn check(seed: u64, length: usize) {
    let (config, ops) = scenario(seed, length);
    let (at, why) = match run(config, &ops, false) {
        Ok(sums) => {
            // The same once more now and then: worlds that go the same way end the same, to the last bit.
            if seed.is_multiple_of(8) {
                assert_eq!(run(config, &ops, false).ok(), Some(sums), "two runs of seed {seed:#x} differ in the end");
            }
            return;
        }
        Err(failure) => failure,
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (fewest, reason) = shrink(config, ops);
    let _ = std::panic::take_hook();
    let list: Vec<String> = fewest.iter().map(|op| format!("    Op::{op:?},\n")).collect();
    panic!(
        "the worlds differ: seed {seed:#x}, operation {at} of {length}: {why}\n{} operations are enough: {reason}\n{config:#?}\n[\n{}]",
        fewest.len(),
        list.concat()
    );
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.replace('_', "").parse(),
    };
    Some(number.unwrap_or_else(|_| panic!("{name} must be a number, and is `{text}`")))
}

#[test]
fn random_operations_agree_with_the_naive_world() {
    let (default, length) = if cfg!(miri) { (100, 50) } else { (36_000, 1500) };
    let total = from_environment("PHALANX_MODEL_OPS").unwrap_or(default);
    let first = from_environment("PHALANX_MODEL_SEED").unwrap_or(1);
    let runs = total.div_ceil(length);
    for run in 0..runs {
        check(first.wrapping_add(run), usize::try_from(length).expect("small"));
    }
    println!("{} operations in {runs} runs, from seed {first}: no difference", runs * length);
}
