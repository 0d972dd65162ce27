//! Layer 7: systems in groups, in order.
//!
//! ```text
//! add(function)  ─► System in a group                          adding, reference
//! before, after  ─► an edge, checked at once                   order
//! ─ first run after a change ─► compile: order, sync points    compile
//! run(group)     ─► condition? run, … apply what was queued    run
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `schedule` | [`Schedule`]: what there is, and looking it up |
//! | `adding` | [`NewSystem`]: a system that was just added, to say more about it |
//! | `several` | [`NewSystems`]: several systems at once, and rows of them |
//! | `reference` | how systems are named: by id, by name, by function |
//! | `group` | [`Group`]: a group, to say more about it, and its [`Pace`] |
//! | `groups` | which groups there are, in which order, and what keeps one from running |
//! | `order` | edges, and the cycles they may not close |
//! | `condition` | when systems run at all |
//! | `sync` | [`ApplyQueued`]: a point at which what was queued is applied |
//! | `compile` | a group as a row of stages |
//! | `run` | a group is run |
//! | `parallel` | systems side by side |
//! | `countdown` | who still waits for how many |
//! | `main_thread` | those that wait for the thread that calls `run` |
//! | `cost` | what systems take, by samples |
//! | `info` | what is known of a system |
//! | `histogram` | [`Histogram`]: how often something took how long |
//! | `explain` | what is decided, in words and pictures |
//! | `fault` | what happens when a system fails |

mod adding;
mod compile;
mod condition;
mod cost;
#[cfg(any(feature = "parallel", all(test, loom)))]
mod countdown;
mod explain;
mod fault;
mod group;
mod groups;
mod histogram;
mod info;
#[cfg(feature = "parallel")]
mod main_thread;
mod order;
#[cfg(feature = "parallel")]
mod parallel;
mod reference;
mod run;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod schedule;
mod several;
mod sync;

pub use adding::NewSystem;
pub use condition::{ConditionError, IntoCondition};
pub use explain::{Ambiguity, Idle};
pub use fault::{Fault, FaultFacts, FaultKind, FaultPolicy, Panic};
pub(crate) use group::Beat;
pub use group::{Group, Pace, PaceError, every_frame, every_nth, fixed, manual};
pub use histogram::Histogram;
pub use info::SystemInfo;
pub use order::{CycleError, OrderError};
#[cfg(feature = "parallel")]
pub use parallel::Threads;
pub use reference::{SystemRef, UnknownSystem};
pub use schedule::Schedule;
pub use several::{IntoSystems, NewSystems, SystemRefs};
pub use sync::ApplyQueued;
