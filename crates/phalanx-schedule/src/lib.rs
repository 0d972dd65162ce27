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
//! there are none the order in which they were added; an edge that would close a cycle is refused at once, and logged as a warning with
//! [`tracing`](https://docs.rs/tracing), which a program without a subscriber never shows. The [`Engine`] keeps the time.
//! What errors mean and how to mend them is on the page [`errors`].
//!
//! # What is seen when
//! | what a system does | is seen by |
//! |---|---|
//! | write components (`Query<&mut T>`), resources ([`ResMut`](phalanx_ecs::ResMut)), the whole world (`&mut World`) | systems that run after it: at once |
//! | send events ([`Writer`]) | [`Reader`]s in systems that run after it: at once; in those that ran before it, next time. Each reader sees each event once |
//! | queue changes ([`&mut Commands`](phalanx_ecs::Commands)): spawn, despawn, insert, remove | systems of the next group that runs; in its own group those behind an [`ApplyQueued`], and those that come [`after_applied`](NewSystem::after_applied). Until then others still find the entity: who despawns or changes it later in the group is told that it is not alive (K001) |
//! | lose components, by what is applied or by `&mut World` | [`Losses`], from then on |
//! | keep something in a [`Local`] | itself, next time |
//! | fail | nobody: the other systems of its stage run all the same, and what it had queued is applied |
//!
//! Systems that do not get in each other's way may run side by side; what is seen is the same. `Changed` and `Added` are about what happened since the system that asks ran
//! last.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_schedule::{Engine, Reader, Res, Writer};
//!
//! #[derive(Component)] struct Orc;
//! #[derive(Resource)] struct Score(u32);
//! #[derive(Event)] struct Hit;
//!
//! fn act(mut score: ResMut<Score>, mut hits: Writer<Hit>, commands: &mut Commands) {
//!     score.0 += 1;
//!     hits.send(Hit);
//!     commands.spawn(Orc);
//! }
//! fn look(score: Res<Score>, mut hits: Reader<Hit>, orcs: Query<&Orc>) {
//!     assert_eq!((score.0, hits.read().count(), orcs.count()), (1, 1, 0));
//! }
//! fn look_later(orcs: Query<&Orc>) {
//!     assert_eq!(orcs.count(), 1);
//! }
//!
//! let mut engine = Engine::new();
//! engine.world_mut().insert_resource(Score(0));
//! engine.add(act)?;
//! engine.add(look)?.after(act)?;
//! engine.add(look_later)?.after_applied(act)?;                 // what `act` queued is applied before
//! engine.add(look_later)?.to("Drawing");                        // and at the end of the group `Update`
//! engine.run_frames(1)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
mod engine;
pub mod errors;
mod graph;
mod ids;
mod orders;
mod pacer;
mod panics;
mod schedule;
mod shown;
mod system;
mod time;

pub use engine::{Engine, FrameStats, Stopper};
pub use ids::{GroupId, SystemId};
pub use orders::{OrderDependence, check_orders};
pub use pacer::Pacer;
pub use phalanx_derive::Param;
#[cfg(feature = "parallel")]
pub use schedule::Threads;
pub use schedule::{
    Ambiguity, ApplyQueued, ConditionError, CycleError, EmptyGroup, Fault, FaultFacts, FaultKind, FaultPolicy, Group,
    Histogram, Idle, IntoCondition, IntoSystems, NewSystem, NewSystems, OrderError, Pace, PaceError, Panic, Schedule,
    SystemInfo, SystemRef, SystemRefs, UnknownGroup, UnknownSystem, as_long_as, every_frame, every_nth, fixed, manual,
};
pub use system::{
    ArgumentError, In, IntoSystem, Local, Losses, Main, MainMut, OtherThread, Outcome, Param, Pipe, Reader, Refusal,
    Res, System, SystemError, SystemFn, Turn, Writer, insert_main, run_once, run_once_with, take_main,
};
pub use time::Time;
