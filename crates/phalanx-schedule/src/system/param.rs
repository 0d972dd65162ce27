//! [`Param`]: what the function of a system can ask for.

use super::applied::Applied;
use super::refusal::ArgumentError;
use super::turn::Turn;
use super::uses::Uses;
use phalanx_ecs::{CommandErrors, PlanBuilder, PlanError, World};

/// What the function of a system can take as an argument: queries, resources, commands, …
///
/// | argument | what it is |
/// |---|---|
/// | [`Query<Q, F>`](struct@phalanx_ecs::Query) | entities with their components |
/// | [`Res<R>`](crate::Res), [`ResMut<R>`](phalanx_ecs::ResMut), and `Option` of them | a resource, to read or to write |
/// | [`&mut Commands`](phalanx_ecs::Commands) | changes to be made when the group has run, or where [`ApplyQueued`](crate::ApplyQueued) stands |
/// | [`Reader<E>`](crate::Reader), [`Writer<E>`](crate::Writer) | events, to read and to send |
/// | [`Losses<T>`](crate::Losses) | components that were removed |
/// | [`Local<T>`](crate::Local) | a value of the system's own |
/// | [`Main<R>`](crate::Main), [`MainMut<R>`](crate::MainMut), and `Option` of them | a value that stays on one thread, to read or to write |
/// | [`Time`](crate::Time) | the step, and how much time has passed |
/// | [`SystemId`](crate::SystemId) | the system itself |
/// | `&World`, `&mut World` | the whole world: to read, or alone |
/// | `Nodes<N>`, `MaybeNodes<N>`, `SceneId`, `SceneTime` of the crate `phalanx_scene` (the feature `scene` of `phalanx`) | in a system of a scene: its nodes, the scene itself, and its time |
/// | tuples of up to 16 of these, and structs with `#[derive(Param)]` | several |
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{run_once, Res};
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Resource)] struct Wind(f32);
///
/// fn blow(wind: Res<Wind>, mut leaves: Query<&mut Position>) {
///     leaves.for_each(|leaf| leaf.0 += wind.0);
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Wind(2.0));
/// let leaf = world.spawn(Position(1.0));
/// run_once(&mut world, blow).unwrap();
/// assert_eq!(world.get::<Position>(leaf).unwrap().0, 3.0);
/// ```
///
/// A query with `Changed` or `Added` sees what changed since the system ran last:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::System;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(u32);
///
/// fn count(harmed: Query<&Health, Changed<Health>>) -> usize {
///     harmed.count()
/// }
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(5));
/// let mut count = System::new(&mut world, count)?;
/// assert_eq!(count.run(&mut world)?, 1, "it is new");
/// assert_eq!(count.run(&mut world)?, 0);
/// world.lookup_mut::<Health>(orc)?.0 -= 1;
/// assert_eq!(count.run(&mut world)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Two arguments that get in each other's way do not build where their types show it (`cargo build` says so, `cargo check` does not ask); else the system is refused
/// when it is added.
///
/// Arguments that belong together can stand in a struct:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{ArgumentError, Param, Res, run_once};
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Resource)] struct Damage(u32);
///
/// #[derive(Param)]
/// struct Fight<'w> {
///     damage: Res<'w, Damage>,
///     all: Query<'w, &'static mut Health>,
/// }
///
/// fn fight(mut fight: Fight) {
///     fight.all.for_each(|health| health.0 -= fight.damage.0);
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Damage(2));
/// let orc = world.spawn(Health(5));
/// run_once(&mut world, fight).unwrap();
/// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
/// ```
///
/// In such a struct what a query asks for is written with `&'static`: the lifetime of the run is that of the query itself. The derive has one attribute,
/// `#[param(crate = "path")]`: where `phalanx_schedule` is, if the derive cannot find it.
///
/// What the function declares is the type; what it is given is the [`Item`](Param::Item), which is the same type with the lifetime of the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a system",
    label = "not something a system can ask for",
    note = "systems take `Query<…>`, `Res<…>`, `ResMut<…>`, `&mut Commands`, `Reader<…>`, `Writer<…>`, `Losses<…>`, `Local<…>`, `Main<…>`, `MainMut<…>`, `Time`, `&World`, `&mut World`, and tuples of them"
)]
pub trait Param: Sized {
    /// What is kept between runs.
    type State: Send + 'static;
    /// What the function is given.
    type Item<'a>;

    /// Declares what is wanted of the world, once.
    ///
    /// ```
    /// use phalanx_ecs::{PlanBuilder, PlanError, World, WorldTicket};
    /// use phalanx_schedule::{ArgumentError, Param, Turn, run_once};
    ///
    /// /// How many entities there are.
    /// struct Alive(usize);
    ///
    /// impl Param for Alive {
    ///     type State = WorldTicket;
    ///     type Item<'a> = Alive;
    ///
    ///     fn plan(plan: &mut PlanBuilder<'_>) -> Result<WorldTicket, PlanError> {
    ///         plan.world()
    ///     }
    ///
    ///     fn take<'a>(ticket: &'a mut WorldTicket, turn: &'a Turn<'a>) -> Result<Alive, ArgumentError> {
    ///         Ok(Alive(turn.claim().world(ticket)?.alive()))
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn(());
    /// assert_eq!(run_once(&mut world, |alive: Alive| alive.0).unwrap(), 1);
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if it gets in the way of an argument before.
    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError>;

    /// Takes it, for one run.
    ///
    /// ```
    /// use phalanx_ecs::{PlanBuilder, PlanError, World};
    /// use phalanx_schedule::{ArgumentError, Param, System, Turn};
    ///
    /// /// Whether the system runs for the first time.
    /// struct First(bool);
    ///
    /// impl Param for First {
    ///     type State = u32;
    ///     type Item<'a> = First;
    ///
    ///     fn plan(_: &mut PlanBuilder<'_>) -> Result<u32, PlanError> {
    ///         Ok(0)
    ///     }
    ///
    ///     fn take<'a>(runs: &'a mut u32, _: &'a Turn<'a>) -> Result<First, ArgumentError> {
    ///         *runs += 1;
    ///         Ok(First(*runs == 1))
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let mut is_first = System::new(&mut world, |first: First| first.0)?;
    /// assert!(is_first.run(&mut world)? && !is_first.run(&mut world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ArgumentError`] if it is not there, like a resource that nobody inserted.
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError>;

    /// Whether there are changes to be made later.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Param;
    ///
    /// let mut world = World::new();
    /// let mut queue = world.commands();
    /// assert!(!<&mut Commands as Param>::has_changes(&queue));
    /// queue.spawn(());
    /// assert!(<&mut Commands as Param>::has_changes(&queue));
    /// ```
    fn has_changes(state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Makes the changes that were to be made later.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Param;
    ///
    /// let mut world = World::new();
    /// let mut queue = world.commands();
    /// queue.spawn(());
    /// <&mut Commands as Param>::apply(&mut queue, &mut world)?;
    /// assert_eq!(world.alive(), 1);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    ///
    /// # Errors
    /// [`CommandErrors`] with those that could not be made.
    fn apply(state: &mut Self::State, world: &mut World) -> Result<(), CommandErrors> {
        let _ = (state, world);
        Ok(())
    }

    /// Makes the changes that were to be made later, and notes what could not be done.
    #[doc(hidden)]
    fn apply_noting(state: &mut Self::State, world: &mut World, applied: &mut Applied) {
        applied.note(&mut || Self::apply(state, world));
    }

    /// Whether there ever can be changes to be made later.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{ArgumentError, Param, Time};
    ///
    /// assert!(<&mut Commands as Param>::DEFERS && !Time::DEFERS);
    /// ```
    const DEFERS: bool = false;

    /// Whether it can be had only on the thread that calls `run`: the system then runs there.
    ///
    /// ```
    /// use phalanx_ecs::ResMut;
    /// use phalanx_schedule::{MainMut, Param, Stopper};
    /// use std::rc::Rc;
    ///
    /// assert!(MainMut::<Rc<u32>>::MAIN && !ResMut::<Stopper>::MAIN);
    /// ```
    const MAIN: bool = false;

    /// Whether it reads events: engines keep them until whoever reads them has had its turn.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{Losses, Param, Reader, Time};
    ///
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Component)] struct Health(u32);
    ///
    /// assert!(Reader::<Hit>::LISTENS && Losses::<Health>::LISTENS && !Time::LISTENS);
    /// ```
    const LISTENS: bool = false;

    /// What it uses, as far as that is known at compile time.
    #[doc(hidden)]
    const USES: Uses = Uses::NONE;
}

macro_rules! tuple_param {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Param),*> Param for ($($name,)*) {
            type State = ($($name::State,)*);
            type Item<'a> = ($($name::Item<'a>,)*);
            const DEFERS: bool = false $(|| $name::DEFERS)*;
            const MAIN: bool = false $(|| $name::MAIN)*;
            const LISTENS: bool = false $(|| $name::LISTENS)*;
            const USES: Uses = Uses::NONE$(.join($name::USES))*;

            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn plan(_plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
                Ok(($($name::plan(_plan)?,)*))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn take<'a>(_state: &'a mut Self::State, _turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
                Ok(($($name::take(&mut _state.$at, _turn)?,)*))
            }

            fn has_changes(_state: &Self::State) -> bool {
                false $(|| $name::has_changes(&_state.$at))*
            }

            fn apply(state: &mut Self::State, world: &mut World) -> Result<(), CommandErrors> {
                let mut applied = Applied::default();
                Self::apply_noting(state, world, &mut applied);
                applied.finish()
            }

            fn apply_noting(_state: &mut Self::State, _world: &mut World, _applied: &mut Applied) {
                $($name::apply_noting(&mut _state.$at, _world, _applied);)*
            }
        }
    };
}

super::for_each_arity!(tuple_param);
