//! How systems are named: by id, by name, by function.

use super::schedule::Schedule;
use super::unknown::UnknownSystem;
use crate::ids::SystemId;
use crate::system::IntoSystem;
use std::any::{TypeId, type_name};
use std::panic::Location;

/// Which system is meant: its [`SystemId`], its name, or the function that it was made of.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// fn draw() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// let id = schedule.add(&mut world, draw)?.id();
/// assert!(schedule.find(draw)? == id && schedule.find("draw")? == id && schedule.find(id)? == id);
/// assert!(schedule.find("paint").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A function pointer, or a closure that captures, says its type but not which it is: such a system is named by its id or its name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a system",
    label = "neither a `SystemId`, nor a name, nor a function of arguments that a system can have",
    note = "each argument must be a `Param`, like `Query<…>`, `Res<…>` or `&mut Commands`; at most 16 of them, and more in tuples",
    note = "components are asked for by `Query<&T>` and `Query<&mut T>`, resources by `Res<R>` and `ResMut<R>`, and a queue of commands is `&mut Commands`, not `Commands`",
    note = "events are read by `Reader<E>`, not `EventReader<E>`, and sent by `Writer<E>`; what was removed is read by `Losses<T>`, not `Removed<T>`",
    note = "a value of one's own, such as a number, comes as `Local<T>`, which the system keeps; as a resource; or as `In<T>`, the first argument, from who runs or pipes it"
)]
pub trait SystemRef<Marker> {
    #[doc(hidden)]
    fn kind(self) -> Kind;
}

/// How a system is named.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Kind {
    Id(SystemId),
    Name(String),
    /// A function, its name and its path.
    Function(TypeId, String, &'static str),
    /// A function pointer or a closure that captures: others of its type are other systems, and values are not compared.
    Value(String),
}

#[doc(hidden)]
pub struct ById;
#[doc(hidden)]
pub struct ByName;

impl SystemRef<ById> for SystemId {
    fn kind(self) -> Kind {
        Kind::Id(self)
    }
}

impl SystemRef<ByName> for &str {
    fn kind(self) -> Kind {
        Kind::Name(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<M, F: IntoSystem<M> + 'static> SystemRef<(ById, fn(M))> for F {
    fn kind(self) -> Kind {
        let name = self.name();
        if size_of::<F>() == 0 { Kind::Function(TypeId::of::<F>(), name, type_name::<F>()) } else { Kind::Value(name) }
    }
}

impl Schedule {
    /// The system that is meant: by id, by name, or by function.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let id = schedule.add(&mut world, draw)?.id();
    /// assert_eq!((schedule.find(draw)?, schedule.find("draw")?), (id, id));
    /// assert!(schedule.find("paint").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn find<M>(&self, system: impl SystemRef<M>) -> Result<SystemId, UnknownSystem> {
        self.find_kind(&system.kind(), Location::caller())
    }

    /// The system that is meant, of these: where there are several of a function or name in the schedule, but only one among them. Of a name with a `/`, what is behind the last is enough.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    /// fn tick() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let here = [schedule.add(&mut world, draw)?.id(), schedule.add(&mut world, tick)?.id()];
    /// let there = [schedule.add(&mut world, draw)?.id()];
    /// assert!(schedule.find(draw).is_err(), "there are two");
    /// assert_eq!((schedule.find_among(&here, draw)?, schedule.find_among(&there, draw)?), (here[0], there[0]));
    /// assert!(schedule.find_among(&there, tick).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none among them, or more than one.
    #[track_caller]
    pub fn find_among<M>(&self, systems: &[SystemId], system: impl SystemRef<M>) -> Result<SystemId, UnknownSystem> {
        let (kind, caller) = (system.kind(), Location::caller());
        let mut found = self.all_of_kind(&kind);
        found.retain(|id| systems.contains(id));
        if let (Kind::Name(name), []) = (&kind, &found[..]) {
            let ends_so = |id: &&SystemId| {
                let last = |id| self.node(id).name.rsplit_once('/').map(|(_, last)| last);
                self.contains(**id) && last(**id) == Some(name)
            };
            found = systems.iter().filter(ends_so).copied().collect();
        }
        if let [one] = found[..] { Ok(one) } else { Err(self.unknown_among(systems, &kind, found, caller)) }
    }

    pub(super) fn find_kind(&self, kind: &Kind, caller: &'static Location<'static>) -> Result<SystemId, UnknownSystem> {
        let found = self.all_of_kind(kind);
        if let [one] = found[..] { Ok(one) } else { Err(self.unknown(kind, found, caller)) }
    }

    pub(super) fn all_of_kind(&self, kind: &Kind) -> Vec<SystemId> {
        match kind {
            Kind::Id(id) => self.contains(*id).then_some(*id).into_iter().collect(),
            Kind::Name(name) => self.nodes().filter(|(_, node)| node.name == *name).map(|(id, _)| id).collect(),
            Kind::Value(_) => Vec::new(),
            Kind::Function(type_id, ..) => {
                self.nodes().filter(|(_, node)| node.function == *type_id).map(|(id, _)| id).collect()
            }
        }
    }
}
