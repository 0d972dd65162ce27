//! How systems are named: by id, by name, by function.

use super::schedule::Schedule;
use crate::ids::SystemId;
use crate::system::IntoSystem;
use std::any::TypeId;
use std::error::Error;
use std::fmt;
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
    Function(TypeId, String),
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

impl<M, F: IntoSystem<M> + 'static> SystemRef<(ById, fn(M))> for F {
    fn kind(self) -> Kind {
        let name = self.name();
        if size_of::<F>() == 0 { Kind::Function(TypeId::of::<F>(), name) } else { Kind::Value(name) }
    }
}

/// No system, or more than one, is meant by what was said.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, || ())?.named("draw");
/// let error = schedule.find("paint").unwrap_err();
/// assert!(error.to_string().starts_with("error[S003]: there is no system `paint`\n  present: `draw`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownSystem {
    /// What was said.
    pub wanted: String,
    /// Those that are meant, if there are several.
    pub found: Vec<SystemId>,
    /// Whether it was a function pointer or a closure that captures, whose type does not say which system it is.
    pub by_value: bool,
    /// The systems there are; at most 20 of them.
    pub present: Vec<String>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, found, present, caller, .. } = self;
        if self.by_value {
            writeln!(f, "error[S003]: {wanted} does not say which system is meant")?;
            writeln!(
                f,
                "  found: it is a function pointer or a closure that captures, and others of its type are other systems"
            )?;
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
            write!(
                f,
                "  help: give it a name with `named(…)`, or keep the `id()` that `add` answered; a function itself says which it is: `add(tick)`, not `add(tick as fn())`"
            )
        } else if found.is_empty() {
            let present = if present.is_empty() { "none".to_owned() } else { present.join(", ") };
            writeln!(f, "error[S003]: there is no system {wanted}\n  present: {present}")?;
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
            write!(f, "  help: add it first, and name it by what `add` was given, by its name, or by its `id()`")
        } else {
            writeln!(f, "error[S003]: there are {} systems {wanted}", found.len())?;
            writeln!(f, "  found: {}", found.iter().map(|id| format!("{id:?}")).collect::<Vec<_>>().join(", "))?;
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
            write!(
                f,
                "  help: give each a name of its own with `named(…)`, or say which by the `id()` that `add` answered"
            )
        }
    }
}

impl fmt::Debug for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for UnknownSystem {}

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

    pub(super) fn find_kind(&self, kind: &Kind, caller: &'static Location<'static>) -> Result<SystemId, UnknownSystem> {
        let found: Vec<SystemId> = match kind {
            Kind::Id(id) => self.contains(*id).then_some(*id).into_iter().collect(),
            Kind::Name(name) => self.nodes().filter(|(_, node)| node.name == *name).map(|(id, _)| id).collect(),
            Kind::Value(_) => Vec::new(),
            Kind::Function(type_id, _) => {
                self.nodes().filter(|(_, node)| node.function == *type_id).map(|(id, _)| id).collect()
            }
        };
        if let [one] = found[..] {
            return Ok(one);
        }
        let wanted = match kind {
            Kind::Id(id) => format!("#{}", id.number),
            Kind::Name(name) | Kind::Function(_, name) | Kind::Value(name) => format!("`{name}`"),
        };
        let present = self.nodes().take(20).map(|(_, node)| format!("`{}`", node.name)).collect();
        Err(UnknownSystem { wanted, found, by_value: matches!(kind, Kind::Value(_)), present, caller })
    }
}
