//! Everything together: parents and children, roles, scenes, systems, places and prefabs of one world, by random operations, against a naive book of it all.
//!
//! ```text
//! seed ──► Op, Op, Op … ──driver──► Engine and its World      ╮
//!                           └─────► Book and Stage            ╯ equal? who is alive, values, parents, children in order, roles, what was told of those lost,
//!                                                               who ran, woke and slept, times of scenes, copies of prefabs, places bit for bit; invariants
//! ```
//!
//! | where | what |
//! |---|---|
//! | `random`, `parts`, `prefabs` | numbers; components, roles and prefabs |
//! | `ops` | the operations, and how a number becomes one |
//! | `book` | the naive world: a row for each entity |
//! | `stage`, `systems`, `frames` | the naive scenes; the systems; what a frame comes to, by hand |
//! | `driver` | does an operation to both |
//! | `kin`, `edits`, `roles`, `scenes`, `motion` | the operations by theme |
//! | `compare` | the world against the book |
//! | `story` | operations in a row, and the few that are left of those that end badly |
//! | `threads` | the same story on more threads |
//!
//! `PHALANX_MODEL_OPS=1000000 cargo test --release -p phalanx-scene --test it together` does so many operations; `PHALANX_MODEL_SEED=…` starts elsewhere. `ci/model` does both.

mod book;
mod compare;
mod driver;
mod edits;
mod frames;
mod kin;
mod motion;
mod ops;
mod parts;
mod prefabs;
mod random;
mod roles;
mod scenes;
mod stage;
mod story;
mod systems;
#[cfg(feature = "parallel")]
mod threads;

use story::{Deeds, check, from_environment};

/// How long a story is.
const LENGTH: usize = 1500;

/// How many operations there are to be.
fn operations(unless_said: u64) -> u64 {
    from_environment("PHALANX_MODEL_OPS").unwrap_or(unless_said)
}

fn first_seed() -> u64 {
    from_environment("PHALANX_MODEL_SEED").unwrap_or(1)
}

#[test]
fn all_operations_together_agree_with_a_naive_book() {
    let (total, first) = (operations(6_000), first_seed());
    let (mut deeds, mut runs, mut done) = (Deeds::default(), 0, 0);
    while done < total {
        let seed = first.wrapping_add(runs);
        // Some of them are long.
        let length = if seed.is_multiple_of(16) { 10 * LENGTH } else { LENGTH };
        deeds += check(seed, length);
        runs += 1;
        done += length as u64;
    }
    println!("{done} operations in {runs} stories, from seed {first}: no difference; {deeds:?}");
    let least = usize::try_from(done / 200).expect("not so many");
    let Deeds { born, lost, woken, runs, refused } = deeds;
    let enough = born > least && lost > least && woken > least && refused > least && runs > done / 10;
    assert!(enough || done < 5_000, "little happens: {deeds:?}");
}
