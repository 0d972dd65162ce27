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
//! | `tuples` | tuples of systems: to be added, and to be named |
//! | `reference` | how systems are named: by id, by name, by function |
//! | `unknown` | [`UnknownSystem`]: no system is meant, or more than one |
//! | `called` | what systems are called in messages |
//! | `group` | [`Group`]: a group, to say more about it |
//! | `pace` | [`Pace`]: how often groups run |
//! | `misnamed` | groups that are not there, or have nothing in them |
//! | `groups` | which groups there are, in which order, and what keeps one from running |
//! | `order` | edges, and the cycles they may not close |
//! | `lost` | orders of systems of which one was put into another group afterwards |
//! | `condition` | when systems run at all |
//! | `switch` | systems that may not run: disabled, or asleep |
//! | `sync` | [`ApplyQueued`]: a point at which what was queued is applied |
//! | `compile` | a group as a row of stages |
//! | `waits` | who waits for whom |
//! | `run` | a group is run |
//! | `parallel` | systems side by side, where that is faster |
//! | `dealing` | a stage while it is dealt out to threads |
//! | `countdown` | who still waits for how many |
//! | `main_thread` | those that wait for the thread that calls `run` |
//! | `cost` | what systems take, by samples |
//! | `info` | what is known of a system |
//! | `histogram` | [`Histogram`]: how often something took how long |
//! | `explain`, `picture` | what is decided, in words and pictures |
//! | `fault` | what happens when a system fails |
//! | `panicked` | [`Panic`]: what a system panicked with |

mod adding;
mod called;
mod compile;
mod condition;
mod cost;
#[cfg(any(feature = "parallel", all(test, loom)))]
mod countdown;
#[cfg(feature = "parallel")]
mod dealing;
mod explain;
mod fault;
mod group;
mod groups;
mod histogram;
mod info;
mod lost;
#[cfg(any(feature = "parallel", all(test, loom)))]
mod main_thread;
mod misnamed;
mod order;
mod pace;
mod panicked;
#[cfg(feature = "parallel")]
mod parallel;
mod picture;
mod reference;
mod run;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod schedule;
mod several;
mod switch;
mod sync;
mod tuples;
mod unknown;
mod waits;

pub use adding::NewSystem;
pub use condition::{ConditionError, IntoCondition};
pub use explain::{Ambiguity, Idle};
pub use fault::{Fault, FaultFacts, FaultKind, FaultPolicy};
pub use group::Group;
pub(crate) use groups::{END, START};
pub use histogram::Histogram;
pub use info::SystemInfo;
pub use misnamed::{EmptyGroup, UnknownGroup};
pub use order::{CycleError, OrderError};
pub(crate) use pace::{Beat, beat_of};
pub use pace::{Pace, PaceError, as_long_as, every_frame, every_nth, fixed, manual};
pub use panicked::Panic;
#[cfg(feature = "parallel")]
pub use parallel::Threads;
pub use reference::SystemRef;
pub use schedule::Schedule;
pub use several::NewSystems;
pub use sync::ApplyQueued;
pub use tuples::{IntoSystems, SystemRefs};
pub use unknown::UnknownSystem;
