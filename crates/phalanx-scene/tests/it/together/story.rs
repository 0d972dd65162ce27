//! Stories: operations one after the other, by a seed; and the few that are left of one that ends badly.

use super::driver::{Care, Config, Driver};
use super::ops::Op;
use super::random::Random;
use phalanx_ecs::Checksum;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How the story of a seed goes about, and what happens in it.
pub fn story(seed: u64, length: usize) -> (Config, Vec<Op>) {
    let mut random = Random(seed);
    let config = Config::of(&mut random);
    (config, (0..length).map(|_| Op::of(random.next())).collect())
}

/// What a failing run said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "no words".into())
}

/// What is left in the end.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    pub sum: Checksum,
    pub alive: usize,
    pub deeds: Deeds,
}

/// How much has happened, so that a story in which little does is noticed.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Deeds {
    /// Entities that systems made.
    pub born: usize,
    /// Roles that were lost.
    pub lost: usize,
    /// Systems that woke or fell asleep.
    pub woken: usize,
    /// Runs of systems.
    pub runs: u64,
    /// Circles and roles that were refused.
    pub refused: usize,
}

impl std::ops::AddAssign for Deeds {
    fn add_assign(&mut self, other: Self) {
        self.born += other.born;
        self.lost += other.lost;
        self.woken += other.woken;
        self.runs += other.runs;
        self.refused += other.refused;
    }
}

/// Does all of it; the error says what differed, and after how many operations.
pub fn run(config: Config, ops: &[Op], care: Care) -> Result<End, (usize, String)> {
    let mut done = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut driver = Driver::new(config, care);
        for op in ops {
            driver.apply(*op);
            done += 1;
        }
        driver.finish()
    }));
    result.map_err(|panic| (done, words(&*panic)))
}

/// How often a story is told again to find what of it is enough.
const TRIES: usize = 3000;

/// Leaves operations out as long as the rest still fails.
fn shrink(config: Config, mut ops: Vec<Op>) -> (Vec<Op>, String) {
    let Err((mut last, mut why)) = run(config, &ops, Care::Thorough) else {
        return (ops, "it does not fail when all is compared after each operation".into());
    };
    ops.truncate(last + 1);
    let (mut size, mut tries) = (ops.len().div_ceil(2), 0);
    while size > 0 && tries < TRIES {
        let mut at = 0;
        while at < ops.len() && tries < TRIES {
            let mut fewer = ops.clone();
            fewer.drain(at..(at + size).min(ops.len()));
            tries += 1;
            if let Err(failure) = run(config, &fewer, Care::Thorough) {
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

/// Tells a story, and answers how much happened in it; panics with what is left of it if the two differ.
pub fn check(seed: u64, length: usize) -> Deeds {
    let (config, ops) = story(seed, length);
    let (at, why) = match run(config, &ops, Care::Usual) {
        Ok(end) => {
            // Now and then once more: what happens is the same, to the last bit.
            if seed.is_multiple_of(16) {
                let again = run(config, &ops, Care::Quiet).map(|again| (again.sum, again.alive));
                assert_eq!(again, Ok((end.sum, end.alive)), "two runs of seed {seed:#x} differ in the end");
            }
            return end.deeds;
        }
        Err(failure) => failure,
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (fewest, reason) = shrink(config, ops);
    let _ = std::panic::take_hook();
    let list: Vec<String> = fewest.iter().map(|op| format!("    Op::{op:?},\n")).collect();
    panic!(
        "the world and the book differ: seed {seed:#x}, operation {at} of {length}: {why}\n{} operations are enough: {reason}\n{config:#?}\n[\n{}]",
        fewest.len(),
        list.concat()
    );
}

pub fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.replace('_', "").parse(),
    };
    Some(number.unwrap_or_else(|_| panic!("{name} must be a number, and is `{text}`")))
}
