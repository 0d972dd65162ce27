//! The same story on other numbers of threads: it ends in the same world, to the last bit.
//!
//! In small worlds systems run side by side; in large ones components are changed and places worked out in pieces, by thousands of rows.

use super::driver::{Care, Config};
use super::ops::Op;
use super::story::{End, run, story};
use super::systems::What;

/// What a story ends in, on so many threads.
fn end(seed: u64, config: Config, ops: &[Op], threads: usize) -> End {
    let config = Config { threads, ..config };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let told = pool.install(|| run(config, ops, Care::Quiet));
    told.unwrap_or_else(|(at, why)| panic!("seed {seed:#x}, operation {at}, {threads} threads: {why}"))
}

/// Answers what it ends in.
fn on_any_number_of_threads(seed: u64, config: Config, ops: &[Op]) -> End {
    let one = end(seed, config, ops, 1);
    assert!(one.sum.is_complete(), "{one:?}");
    for threads in [2, 8] {
        assert_eq!(end(seed, config, ops, threads), one, "seed {seed:#x}, {threads} threads");
    }
    one
}

#[test]
fn a_story_ends_the_same_on_any_number_of_threads() {
    let first = super::first_seed();
    for seed in first..first + super::operations(6_000).div_ceil(3_000) {
        let (config, ops) = story(seed, 1_000);
        on_any_number_of_threads(seed, config, &ops);
    }
}

/// The same operation, if it leaves a large world large: of a tree that is wide there is little left when many have ended with all below them.
fn sparing(op: Op) -> Option<Op> {
    const ENDING: [What; 3] = [What::Cull, What::Empty, What::Close];
    match op {
        Op::Despawn { who, .. } | Op::DespawnLazily { who, .. } if who.early => None,
        Op::DespawnBatch { .. } | Op::DespawnWhere { .. } | Op::Clear { .. } | Op::Delete { .. } => None,
        Op::AddSystem { what, .. } if ENDING.contains(&what) => None,
        Op::Create { systems } => {
            let spared = ENDING.iter().fold(systems, |systems, what| systems & !(1 << *what as u16));
            Some(Op::Create { systems: spared })
        }
        op => Some(op),
    }
}

/// So many that the places of most, when they change, are worked out beside each other.
const MANY: u32 = 25_000;

#[test]
fn a_story_of_many_ends_the_same_on_any_number_of_threads() {
    let (total, first) = (super::operations(6_000), super::first_seed());
    let length = usize::try_from(total / 150).expect("not so many").min(200);
    let stories = (total / 40_000).clamp(1, 25);
    let mut left = 0;
    for seed in first..first + stories {
        let (config, ops) = story(seed, length);
        // At least at the beginning all have changed when places are asked for.
        let all_change = [Op::WriteAll, Op::Propagate];
        let ops: Vec<Op> =
            all_change.into_iter().chain(ops.into_iter().filter_map(sparing)).chain(all_change).collect();
        let config = Config { crowd: MANY as usize + 1_000, first: MANY, ..config };
        left += on_any_number_of_threads(seed, config, &ops).alive as u64;
    }
    assert!(left / stories > u64::from(MANY / 2), "few are left: {left} of {stories} stories");
}
