//! Layer 6: systems: functions whose arguments say what they read and write.
//!
//! ```text
//! fn move_all(time: Time, mut bodies: Query<(&mut Position, &Velocity)>)
//!                │                     │
//!          Time: Param          Query<…>: Param        once: `plan` → a state each, and one `Plan` for all
//!                │                     │
//! turn ──────► take ───────────────► take              each run: the states turn a claim into arguments
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `arity` | as many arguments as a system can have |
//! | `param` | [`Param`]: what an argument must be able to do |
//! | `params` | the arguments there are |
//! | `applied` | what came of changes that were queued |
//! | `turn` | [`Turn`]: one run of a system, from which arguments are taken |
//! | `function` | functions and closures as systems |
//! | `into_system` | [`IntoSystem`]: what can be made a system |
//! | `body` | functions made for one world |
//! | `pipe` | [`Pipe`]: two systems in a row |
//! | `system` | [`System`]: one with what it keeps, to be run |
//! | `outcome` | what functions may return |
//! | `uses` | arguments that get in each other's way, at compile time |
//! | `advice` | what to type instead of arguments that get in each other's way |
//! | `refusal` | why a function cannot be a system of a world, or failed |

mod advice;
mod applied;
mod arity;
mod body;
mod function;
mod into_system;
mod once;
mod outcome;
mod param;
mod params;
mod pipe;
mod refusal;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod system;
mod turn;
mod uses;

pub(crate) use advice::argument;
pub use applied::Applied;
pub(crate) use arity::for_each_arity;
pub(crate) use body::path_of;
pub use function::{In, SystemFn};
pub use into_system::{IntoSystem, Named};
pub use once::{run_once, run_once_with};
pub use outcome::Outcome;
pub use param::Param;
pub use params::{Local, Losses, Main, MainMut, Reader, Res, Writer, insert_main, take_main};
pub use pipe::Pipe;
pub use refusal::{ArgumentError, OtherThread, Refusal, SystemError};
pub use system::System;
pub(crate) use system::{AnySystem, Moment, Place};
pub use turn::Turn;
pub use uses::Uses;
