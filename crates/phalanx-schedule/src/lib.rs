//! Systems, their order and their pace: the schedule and the engine loop of Phalanx.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_schedule::{Engine, Time};
//!
//! #[derive(Component)] struct Position(f32);
//! #[derive(Component)] struct Velocity(f32);
//!
//! fn integrate(time: Time, mut bodies: Query<(&mut Position, &Velocity)>) {
//!     bodies.for_each(|(position, velocity)| position.0 += velocity.0 * time.step());
//! }
//!
//! let mut engine = Engine::new();
//! engine.add(integrate)?;
//! let ball = engine.world_mut().spawn((Position(0.0), Velocity(2.0)));
//! engine.run_frames(60)?;
//! assert!((engine.world().get::<Position>(ball).unwrap().0 - 2.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A system is a function whose arguments say what it reads and writes ([`Param`]). A [`Schedule`] keeps systems in groups and in order: edges decide, and where
//! there are none the order in which they were added; an edge that would close a cycle is refused at once. The [`Engine`] keeps the time.
//! What errors mean and how to mend them is on the page [`errors`].

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
mod engine;
pub mod errors;
mod graph;
mod ids;
mod orders;
mod schedule;
mod system;
mod time;

pub use engine::{Engine, FrameStats, Stopper};
pub use ids::{GroupId, SystemId};
pub use orders::{OrderDependence, check_orders};
pub use phalanx_derive::Param;
#[cfg(feature = "parallel")]
pub use schedule::Threads;
pub use schedule::{
    Ambiguity, ApplyQueued, ConditionError, CycleError, EmptyGroup, Fault, FaultFacts, FaultKind, FaultPolicy, Group,
    Histogram, Idle, IntoCondition, IntoSystems, NewSystem, NewSystems, OrderError, Pace, PaceError, Panic, Schedule,
    SystemInfo, SystemRef, SystemRefs, UnknownGroup, UnknownSystem, every_frame, every_nth, fixed, manual,
};
pub use system::{
    ArgumentError, In, IntoSystem, Local, Losses, Main, MainMut, OtherThread, Outcome, Param, Pipe, Reader, Refusal,
    Res, System, SystemError, SystemFn, Turn, Writer, insert_main, run_once, run_once_with, take_main,
};
pub use time::Time;
