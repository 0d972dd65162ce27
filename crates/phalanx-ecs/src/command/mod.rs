//! Layer 5: commands, which change a world later.
//!
//! ```text
//! world.commands()      a lane of ids, an empty queue                         entity/lanes
//! commands.spawn(…)     the next id of the lane; the bundle into an arena     queue/arena, queue/runs
//! commands.insert(…)    runs: the same command from the same line again       queue/runs
//! world.apply(…)        run by run: one bulk operation each, or one by one    deferred
//!                       the lane is settled, and a new one dealt              apply
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `commands` | [`Commands`]: the queue |
//! | `deferred` | what each command does, for a run of them |
//! | `fold` | commands on one entity that follow each other |
//! | `observed` | commands that observers queue |
//! | `planned` | queues for who has a plan |
//! | `apply` | queues are dealt, applied and settled |

mod apply;
mod commands;
mod deferred;
mod fold;
mod observed;
mod planned;

pub use commands::Commands;
pub use deferred::CommandResult;
