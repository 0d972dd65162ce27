//! All error codes of systems, schedules and engines: what each means, an example that shows it, and how to mend it. There is nothing else in this module; the
//! codes of the core are on [its own page](phalanx_ecs::errors).
//!
//! Every error says what was refused, for whom, what was found, who asked (file and line) and what to type; `{}` and `{:?}` print the same. A
//! code keeps its meaning; codes are not used again.
//!
//! ```
//! use phalanx_schedule::Schedule;
//!
//! let error = Schedule::new().find("render").unwrap_err();
//! assert!(error.to_string().starts_with("error[S003]: there is no system `render`"));
//! ```
//!
//! # S001: two arguments of a system are in each other's way
//! [`SystemError`], from what makes a function a system: [`Engine::add`], [`Schedule::add`], [`System::new`], [`run_once`], and in [`ConditionError`] from [`NewSystem::run_if`]. One argument
//! would write what another one uses.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_schedule::{Engine, Res};
//!
//! #[derive(Component)] struct Health(u32);
//! #[derive(Component)] struct Player;
//! #[derive(Resource)] struct Scores<T: Send + Sync + 'static>(Vec<T>);
//!
//! fn heal(mut players: Query<&mut Health, With<Player>>, all: Query<&Health>) {}
//! fn count(scores: Res<Scores<u32>>, mut new_scores: ResMut<Scores<u32>>) {}
//!
//! let mut engine = Engine::new();
//! assert!(engine.add(heal).unwrap_err().to_string().starts_with("error[S001]"));
//! assert!(engine.add(count).unwrap_err().to_string().starts_with("error[S001]"));
//!
//! // Mended: filters keep the two queries apart, and what can be written can be read.
//! fn heal_players(mut players: Query<&mut Health, With<Player>>, others: Query<&Health, Without<Player>>) {}
//! fn count_once(mut scores: ResMut<Scores<u32>>) { scores.0.push(1) }
//! assert!(engine.add(heal_players).is_ok() && engine.add(count_once).is_ok());
//! ```
//!
//! Where the types are derived and not generic, and no filter has a say, such a function does not even build:
//!
//! ```compile_fail
//! # use phalanx_ecs::prelude::*;
//! # use phalanx_schedule::{Engine, Res};
//! # #[derive(Resource)] struct Score(u32);
//! fn count(score: Res<Score>, mut new_score: ResMut<Score>) {}
//!
//! Engine::new().add(count);
//! ```
//!
//! **To mend it**, ask for a component once, by `&mut T`, which reads and writes: one query may say what both did (`Query<(Entity, &mut Health)>` instead of `Query<&mut Health>` and
//! `Query<(Entity, &Health)>`), but not `(&mut T, &T)`; or keep two queries apart with `With<T>` and `Without<T>`. Ask for a resource once, as `ResMut`; take `&mut World` alone.
//!
//! # S002: an order would close a cycle
//! [`CycleError`], alone or in [`OrderError`], from what orders systems or groups: [`NewSystem::before`], [`NewSystem::after`], [`Schedule::order`], [`Schedule::order_groups`]. Each system
//! would wait for the others. The message shows the shortest cycle, with the line that asked for each part of it.
//!
//! ```
//! use phalanx_schedule::Engine;
//!
//! fn physics() {}
//! fn collision() {}
//! fn render() {}
//!
//! let mut engine = Engine::new();
//! engine.add(physics)?;
//! engine.add(collision)?.after(physics)?;
//! engine.add(render)?.after(collision)?;
//! let error = engine.schedule_mut().order(render, physics).unwrap_err();
//! assert!(error.to_string().starts_with("error[S002]: this order would close a cycle of 3 systems"));
//!
//! // Mended: one of the other orders is taken back.
//! engine.schedule_mut().unorder(physics, collision)?;
//! engine.schedule_mut().order(render, physics)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, delete one of the lines that the message shows, or take one order back with [`Schedule::unorder`]. If both orders are meant, the system does two things: make
//! it two systems.
//!
//! # S003: no system is meant, or more than one
//! [`UnknownSystem`], alone or in [`OrderError`], from what names a system ([`SystemRef`]): there is none of this name, function or id, it was removed, the function was added
//! more than once, or it is a function pointer or a closure that captures, which do not say which system is meant.
//!
//! ```
//! use phalanx_schedule::Engine;
//!
//! fn spark() {}
//!
//! let mut engine = Engine::new();
//! assert!(engine.schedule().find(spark).unwrap_err().to_string().starts_with("error[S003]: there is no system `spark`"));
//! engine.add(spark)?;
//! engine.add(spark)?;
//! assert!(engine.schedule().find(spark).unwrap_err().to_string().starts_with("error[S003]: there are 2 systems `spark`"));
//!
//! // Mended: each has a name of its own.
//! engine.add(spark)?.named("left spark");
//! assert!(engine.schedule().find("left spark").is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, add the system first; where a function is added several times, give each a name with [`NewSystem::named`], or keep its [`NewSystem::id`].
//!
//! # S004: two systems are in different groups
//! [`OrderError::OtherGroup`], from what orders systems; and in the [`Fault`] of a run ([`FaultKind::LostOrder`]), if one of the two was put into another group after that:
//! `add(render)?.after(physics)?.to("Drawing")`. Each group runs as a whole, so order is within one.
//!
//! ```
//! use phalanx_schedule::Engine;
//!
//! fn physics() {}
//! fn render() {}
//!
//! let mut engine = Engine::new();
//! engine.add(physics)?.to("Physics");
//! let error = engine.add(render)?.after(physics).unwrap_err();
//! assert!(error.to_string().starts_with("error[S004]: `physics` and `render` are in different groups"));
//!
//! // Mended: the groups are ordered.
//! engine.order_groups("Physics", "Update")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, order the groups with [`Engine::order_groups`], or put both systems into one with [`NewSystem::to`], before they are ordered.
//!
//! # S005: a system needs a resource that is not there
//! [`Refusal::NoResource`], or [`Refusal::NoMain`] for a value that stays on one thread; in a [`Fault`] when a schedule runs the system.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_schedule::{Engine, Res};
//!
//! #[derive(Resource)] struct Gravity(f32);
//!
//! fn fall(gravity: Res<Gravity>) {}
//!
//! let mut engine = Engine::new();
//! engine.add(fall)?;
//! assert!(engine.run_frames(1).unwrap_err().to_string().contains("error[S005]: system `fall` needs resource `Gravity`"));
//!
//! // Mended: it is inserted before.
//! engine.world_mut().insert_resource(Gravity(9.81));
//! engine.run_frames(1)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, call [`World::insert_resource`](phalanx_ecs::World::insert_resource), for `Main` and `MainMut` [`insert_main`], before the first run; or take an
//! `Option<Res<R>>`, where it may be missing.
//!
//! # S006: a system of a schedule failed
//! [`Fault`], from what runs systems: [`Engine::run`], [`Engine::run_frames`], [`Schedule::run`]. The system returned an error, panicked, could not have its arguments, or queued what
//! could not be done. The others of its stage have run, and the world is consistent.
//!
//! ```
//! use phalanx_schedule::{Engine, FaultPolicy};
//!
//! fn load() -> Result<(), String> {
//!     Err("no such file".into())
//! }
//!
//! let mut engine = Engine::new();
//! engine.add(load)?;
//! let fault = engine.run_frames(1).unwrap_err();
//! assert!(fault.to_string().starts_with("error[S006]: system `load` of group `Update` failed\n  found: it returned: no such file"));
//!
//! // Mended: it is no reason to stop.
//! engine.schedule_mut().set_policy(FaultPolicy::Skip);
//! engine.run_frames(1)?;
//! assert_eq!(engine.faults().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, mend what the message found; or say with [`NewSystem::on_fault`] or [`Schedule::set_policy`] that the run goes on.
//!
//! # S007: a pace is none
//! [`PaceError`], from [`Group::pace`]: zero, negative, not a number, faster than a million times a second, or in every 0th frame.
//!
//! ```
//! use phalanx_schedule::{Engine, every_frame, fixed};
//!
//! let mut engine = Engine::new();
//! let error = engine.group("Physics").pace(fixed(0.0)).unwrap_err();
//! assert!(error.to_string().starts_with("error[S007]: group `Physics` cannot run 0 times a second"));
//!
//! // Mended: a pace that is one.
//! engine.group("Physics").pace(fixed(60.0))?;
//! engine.group("Drawing").pace(every_frame())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, give [`fixed`] how many times a second, not how long a step is; for a group that rests there is [`manual`].
//!
//! # S008: a system was made for another world
//! [`Refusal::OtherWorld`], in a [`Fault`] when a schedule runs the system.
//!
//! ```
//! use phalanx_ecs::World;
//! use phalanx_schedule::Schedule;
//!
//! fn draw(world: &World) {}
//!
//! let (mut schedule, mut world, mut other) = (Schedule::new(), World::new(), World::new());
//! schedule.add(&mut world, draw)?;
//! assert!(schedule.run(&mut other).unwrap_err().to_string().contains("error[S008]: system `draw` was made for another world"));
//!
//! // Mended: a schedule of its own for each world.
//! let mut of_other = Schedule::new();
//! of_other.add(&mut other, draw)?;
//! of_other.run(&mut other)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, run a schedule with the world that its systems were added with. An [`Engine`] has both, and cannot mix them up.
//!
//! # S009: the order of systems leaves a trace
//! [`OrderDependence::Differs`], from [`check_orders`], which is for tests: systems that the schedule may run in any order do not lead to the same world in all of them.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_schedule::{Schedule, check_orders};
//! use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
//!
//! #[derive(Component)] struct Apples(u32);
//! #[derive(Component)] struct Pears(u32);
//! #[derive(Resource)] struct Next(u32);
//!
//! static NEXT: AtomicU32 = AtomicU32::new(0);
//!
//! fn apples(mut all: Query<&mut Apples>) { all.for_each(|apples| apples.0 = NEXT.fetch_add(1, Relaxed)) }
//! fn pears(mut all: Query<&mut Pears>) { all.for_each(|pears| pears.0 = NEXT.fetch_add(1, Relaxed)) }
//!
//! let error = check_orders(
//!     || {
//!         let (mut world, mut schedule) = (World::new(), Schedule::new());
//!         NEXT.store(0, Relaxed);
//!         world.spawn((Apples(0), Pears(0)));
//!         schedule.add(&mut world, apples).unwrap();
//!         schedule.add(&mut world, pears).unwrap();
//!         (world, schedule)
//!     },
//!     1,
//!     20,
//! );
//! assert!(error.unwrap_err().to_string().starts_with("error[S009]: the order of systems leaves a trace"));
//!
//! // Mended: what both use is a resource, so the schedule knows of it.
//! fn apples_in_order(mut next: ResMut<Next>, mut all: Query<&mut Apples>) {
//!     next.0 += 1;
//!     all.for_each(|apples| apples.0 = next.0);
//! }
//! fn pears_in_order(mut next: ResMut<Next>, mut all: Query<&mut Pears>) {
//!     next.0 += 1;
//!     all.for_each(|pears| pears.0 = next.0);
//! }
//! let fine = check_orders(
//!     || {
//!         let (mut world, mut schedule) = (World::new(), Schedule::new());
//!         world.insert_resource(Next(0));
//!         world.spawn((Apples(0), Pears(0)));
//!         schedule.add(&mut world, apples_in_order).unwrap();
//!         schedule.add(&mut world, pears_in_order).unwrap();
//!         (world, schedule)
//!     },
//!     1,
//!     20,
//! );
//! assert!(fine.is_ok());
//! ```
//!
//! **To mend it**, let the arguments say what systems use: resources and components instead of `static`s, locks and atomics, [`Time`] instead of the clock on the wall.
//!
//! # S010: a value stays on another thread
//! [`OtherThread`], from [`take_main`], and in [`Refusal::OtherThread`] when a system takes a [`Main`] or [`MainMut`]: what [`insert_main`] put into the world was inserted on
//! another thread than the one that asks for it, and may not be touched here. It stays where it is.
//!
//! ```
//! use phalanx_ecs::World;
//! use phalanx_schedule::{Main, insert_main, run_once};
//! use std::rc::Rc;
//! use std::thread;
//!
//! struct Window(Rc<str>);
//!
//! fn draw(window: Main<Window>) -> usize { window.0.len() }
//!
//! let mut world = World::new();
//! insert_main(&mut world, Window("title".into()));
//! let error = thread::scope(|scope| scope.spawn(|| run_once(&mut world, draw).unwrap_err()).join().unwrap());
//! assert!(error.to_string().starts_with("error[S010]: system `draw` cannot have `Window` on this thread"));
//!
//! // Mended: it runs on the thread that inserted the value.
//! assert_eq!(run_once(&mut world, draw).unwrap(), 5);
//! ```
//!
//! **To mend it**, run the schedule or the engine on the thread that called `insert_main`; or make the value on the thread that runs: `insert_main` there, in place of the first.
//!
//! # S011: a condition would change something
//! [`ConditionError`], from what takes conditions: [`NewSystem::run_if`], [`NewSystems::run_if`], [`Group::only_if`]. Whether a system runs is looked up, perhaps often; asking must leave
//! no trace in the world.
//!
//! ```
//! use phalanx_schedule::{Engine, Local, Main, MainMut};
//! use std::rc::Rc;
//!
//! fn blink() {}
//! fn is_even(mut count: MainMut<Rc<u32>>) -> bool {
//!     *Rc::make_mut(&mut count) += 1;
//!     **count % 2 == 0
//! }
//!
//! let mut engine = Engine::new();
//! engine.insert_main(Rc::new(0_u32));
//! let error = engine.add(blink)?.run_if(is_even).unwrap_err();
//! assert!(error.to_string().starts_with("error[S011]: condition `is_even` would change something"));
//!
//! // Mended: a system counts, and the condition reads; or the condition counts for itself.
//! fn count(mut count: MainMut<Rc<u32>>) { *Rc::make_mut(&mut count) += 1 }
//! fn count_is_even(count: Main<Rc<u32>>) -> bool { **count % 2 == 0 }
//! fn every_other(mut count: Local<u32>) -> bool {
//!     *count += 1;
//!     *count % 2 == 0
//! }
//! engine.add(count)?;
//! engine.add(blink)?.run_if(count_is_even)?;
//! engine.add(blink)?.run_if(every_other)?;
//! engine.run_frames(4)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where the types show it, such a condition does not even build:
//!
//! ```compile_fail
//! # use phalanx_ecs::prelude::*;
//! # use phalanx_schedule::Engine;
//! fn is_due(commands: &mut Commands) -> bool { true }
//!
//! Engine::new().add(|| ()).unwrap().run_if(is_due);
//! ```
//!
//! **To mend it**, let a system write or queue, and the condition read; for what the condition alone has to remember there is [`Local`].
//!
//! # S012: there is no such group
//! [`UnknownGroup`], in the [`Fault`] of [`Schedule::run_group`] and [`Engine::run_group`]. Nothing ran. What says something about a group makes it; what runs one does not.
//!
//! ```
//! use phalanx_schedule::Engine;
//!
//! fn save() {}
//!
//! let mut engine = Engine::new();
//! engine.add(save)?.to("Saving");
//! let error = engine.run_group("Savings").unwrap_err();
//! assert!(error.to_string().starts_with("error[S012]: there is no group `Savings`"));
//! assert!(error.to_string().contains("did you mean `Saving`?"));
//!
//! // Mended: the name is that of the group.
//! engine.run_group("Saving")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **To mend it**, name a group that is there: [`Schedule::has_group`] asks for one, and the message names all; [`Schedule::empty_groups`] finds names that were misspelled where groups
//! are made by them.

#[allow(unused_imports, clippy::wildcard_imports, reason = "named by the documentation above")]
use crate::*;
