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

use story::{check, from_environment};

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
    let (total, first) = (operations(12_000), first_seed());
    let runs = total.div_ceil(LENGTH as u64);
    for run in 0..runs {
        check(first.wrapping_add(run), LENGTH);
    }
    println!("{} operations in {runs} stories, from seed {first}: no difference", runs * LENGTH as u64);
}
