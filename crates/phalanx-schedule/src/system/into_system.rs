//! [`IntoSystem`]: what can be made a system.

use super::applied::Applied;
use super::outcome::Outcome;
use super::pipe::Pipe;
use super::refusal::{Refusal, SystemError};
use super::system::{AnySystem, Moment, Place};
use phalanx_ecs::{Plan, World};
use std::panic::Location;

/// What a system is called, and who made it one.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) caller: &'static Location<'static>,
}

/// What can be made a system: functions, closures, and [pipes](IntoSystem::pipe) of them.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{IntoSystem, System};
///
/// /// Makes a system, and runs it twice.
/// fn twice<M, T: 'static>(world: &mut World, system: impl IntoSystem<M, In = (), Out = T>) -> [T; 2] {
///     let mut system = System::new(world, system).unwrap();
///     [(); 2].map(|()| system.run(world).unwrap())
/// }
///
/// assert_eq!(twice(&mut World::new(), |world: &mut World| {
///     world.spawn(());
///     world.alive()
/// }), [1, 2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a function of arguments that a system can have",
    note = "if another error stands above this one, mend that first: this one may go with it",
    note = "each argument must be a `Param`, like `Query<…>`, `Res<…>` or `&mut Commands`; at most 16 of them, and more in tuples",
    note = "components are asked for by `Query<&T>` and `Query<&mut T>`, resources by `Res<R>` and `ResMut<R>`, and a queue of commands is `&mut Commands`, not `Commands`",
    note = "events are read by `Reader<E>`, not `EventReader<E>`, and sent by `Writer<E>`; what was removed is read by `Losses<T>`, not `Removed<T>`",
    note = "a value of one's own, such as a number, comes as `Local<T>`, which the system keeps; as a resource; or as `In<T>`, the first argument, from who runs or pipes it",
    note = "several systems at once are added by `add_all((a, b))?`"
)]
pub trait IntoSystem<Marker>: Sized {
    /// What it is given.
    type In: 'static;
    /// What it returns.
    type Out: 'static;

    /// Stops the build if two arguments get in each other's way.
    #[doc(hidden)]
    const CHECK: () = ();

    /// Stops the build if it queues changes or writes: for conditions.
    #[doc(hidden)]
    const ONLY_READS: () = ();

    /// What it is called, if nobody says otherwise.
    ///
    /// ```
    /// use phalanx_schedule::IntoSystem;
    ///
    /// fn weakest() -> u32 { 3 }
    ///
    /// assert_eq!(weakest.name(), "weakest");
    /// ```
    fn name(&self) -> String;

    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build(self, world: &mut World, named: Named<'_>)
    -> Result<Box<dyn AnySystem<Self::In, Self::Out>>, SystemError>;

    /// The system as schedules keep it: its error is taken out of what it returns.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody else makes systems")]
    fn build_checked(self, world: &mut World, named: Named<'_>) -> Result<Box<dyn AnySystem<Self::In, ()>>, SystemError>
    where
        Self::Out: Outcome,
    {
        Ok(Box::new(CheckedSystem(self.build(world, named)?)))
    }

    /// This system, and then another that takes what it returns as [`In`](crate::In).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{In, IntoSystem, run_once};
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn weakest(all: Query<(Entity, &Health)>) -> Option<Entity> {
    ///     all.iter().min_by_key(|(_, health)| health.0).map(|(entity, _)| entity)
    /// }
    ///
    /// fn heal(In(who): In<Option<Entity>>, mut all: Query<&mut Health>) {
    ///     if let Some(health) = who.and_then(|who| all.get_mut(who)) {
    ///         health.0 += 5;
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let [orc, _] = [2, 3].map(|health| world.spawn(Health(health)));
    /// run_once(&mut world, weakest.pipe(heal)).unwrap();
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 7);
    /// ```
    ///
    /// They are one system: nothing comes between them. Each may ask for what the other does.
    fn pipe<B, M>(self, next: B) -> Pipe<Self, B>
    where
        B: IntoSystem<M, In = Self::Out>,
    {
        Pipe { first: self, second: next }
    }
}

/// A system of which the error is taken out of what it returns.
struct CheckedSystem<In, Out>(Box<dyn AnySystem<In, Out>>);

impl<In, Out: Outcome> AnySystem<In, ()> for CheckedSystem<In, Out> {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: In) -> Result<(), Box<Refusal>> {
        let out = self.0.run(place, moment, input)?;
        out.check().map_err(|why| Box::new(Refusal::Returned(why)))
    }
    fn has_changes(&self) -> bool {
        self.0.has_changes()
    }
    fn apply(&mut self, world: &mut World, applied: &mut Applied) {
        self.0.apply(world, applied);
    }
    fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>) {
        self.0.plans(plans);
    }
    fn defers(&self) -> bool {
        self.0.defers()
    }
    fn is_main(&self) -> bool {
        self.0.is_main()
    }
    fn listens(&self) -> bool {
        self.0.listens()
    }
}
