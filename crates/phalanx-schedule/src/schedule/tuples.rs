//! Tuples of systems: to be added, and to be named.

use super::reference::{ById, Kind, SystemRef};
use super::schedule::Schedule;
use crate::ids::SystemId;
use crate::system::{IntoSystem, Outcome, SystemError};
use phalanx_ecs::World;
use std::panic::Location;

/// Which systems are meant: a tuple of up to 16 that are each named by id, name or function ([`SystemRef`]), or a list of [`SystemId`]s.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// fn physics() {}
/// fn render() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// let ids = schedule.add_all(&mut world, (render, physics))?.ids();
/// schedule.chain((physics, "render"))?;
/// assert_eq!(schedule.in_order("Update"), [ids[1], ids[0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name systems",
    label = "not a tuple of up to 16 systems, and no list of ids",
    note = "each is named by its id, by its name, or by the function it was made of: `chain((physics, \"render\"))`, `chain(&ids)`"
)]
pub trait SystemRefs<Marker> {
    #[doc(hidden)]
    fn kinds(self) -> Vec<Kind>;
}

impl<I: AsRef<[SystemId]>> SystemRefs<ById> for I {
    fn kinds(self) -> Vec<Kind> {
        self.as_ref().iter().map(|id| Kind::Id(*id)).collect()
    }
}

/// What can be made several systems: tuples of up to 16 functions, closures and pipes.
///
/// ```
/// use phalanx_schedule::Engine;
///
/// let mut engine = Engine::new();
/// let ids = engine.add_all((|| (), || ()))?.ids();
/// assert_eq!((ids.len(), engine.schedule().len()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of systems",
    label = "not a tuple of up to 16 functions of arguments that a system can have",
    note = "systems return nothing or a `Result<(), E>`, and each argument must be a `Param`"
)]
pub trait IntoSystems<Marker> {
    /// Stops the build if two arguments of one get in each other's way.
    #[doc(hidden)]
    const CHECK: () = ();

    #[doc(hidden)]
    fn add_to(
        self,
        schedule: &mut Schedule,
        world: &mut World,
        caller: &'static Location<'static>,
        added: &mut Vec<SystemId>,
    ) -> Result<(), SystemError>;
}

macro_rules! tuples {
    () => {};
    ($first:ident $first_marker:ident $(, $name:ident $marker:ident)*) => {
        impl<$first, $first_marker, $($name, $marker),*> SystemRefs<($first_marker, $($marker,)*)> for ($first, $($name,)*)
        where
            $first: SystemRef<$first_marker>,
            $($name: SystemRef<$marker>,)*
        {
            #[allow(non_snake_case, reason = "named after their types")]
            fn kinds(self) -> Vec<Kind> {
                let ($first, $($name,)*) = self;
                vec![$first.kind(), $($name.kind()),*]
            }
        }

        impl<$first, $first_marker, $($name, $marker),*> IntoSystems<($first_marker, $($marker,)*)> for ($first, $($name,)*)
        where
            $first: IntoSystem<$first_marker, In = (), Out: Outcome> + 'static,
            $($name: IntoSystem<$marker, In = (), Out: Outcome> + 'static,)*
        {
            const CHECK: () = ($first::CHECK, $($name::CHECK,)*).0;

            #[allow(non_snake_case, reason = "named after their types")]
            fn add_to(
                self,
                schedule: &mut Schedule,
                world: &mut World,
                caller: &'static Location<'static>,
                added: &mut Vec<SystemId>,
            ) -> Result<(), SystemError> {
                let ($first, $($name,)*) = self;
                added.push(schedule.add_system(world, $first, caller)?);
                $(added.push(schedule.add_system(world, $name, caller)?);)*
                Ok(())
            }
        }

        tuples!($($name $marker),*);
    };
}

tuples!(
    A MarkerA, B MarkerB, C MarkerC, D MarkerD, E MarkerE, F MarkerF, G MarkerG, H MarkerH,
    I MarkerI, J MarkerJ, K MarkerK, L MarkerL, M MarkerM, N MarkerN, O MarkerO, P MarkerP
);
