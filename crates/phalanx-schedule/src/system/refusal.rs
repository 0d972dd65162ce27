//! Why a function cannot be a system of a world, and why a run failed.

use super::advice::{argument, help};
use crate::shown::shown;
use phalanx_ecs::{ClashSide, CommandErrors, NoResource, OtherWorld, PartError, PlanError, WrongTicket};
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// Two arguments of a system get in each other's way.
///
/// Where the types are known and no filter has a say this does not even build; it comes from queries with filters, from generic types, and from the whole world.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::System;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Wounded;
///
/// fn heal(mut wounded: Query<&mut Health, With<Wounded>>, all: Query<&Health>) {}
///
/// let error = System::new(&mut World::new(), heal).err().unwrap();
/// assert!(error.to_string().starts_with("error[S001]: two arguments of system `heal` are in each other's way"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemError {
    /// What the system is called.
    pub system: String,
    /// Which arguments, and what about them.
    pub why: PlanError,
    /// Who made it a system.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, why, caller } = self;
        let system = shown(system);
        match why {
            PlanError::Parts(conflict) => {
                writeln!(f, "error[S001]: two arguments of system `{system}` are in each other's way")?;
                for clash in &conflict.clashes {
                    let how = |side: &ClashSide| if side.writes { "written" } else { "read" };
                    let (what, first, second) = (&clash.what, &clash.first, &clash.second);
                    let (by_first, by_second) = (argument(first), argument(second));
                    writeln!(f, "  {what}: {} by `{by_first}`, {} by `{by_second}`", how(first), how(second))?;
                }
                writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
                write!(f, "  help: {}", conflict.clashes.first().map_or_else(String::new, help))
            }
            why => {
                let why = why.to_string().replace('\n', "\n    ");
                write!(
                    f,
                    "error[S001]: system `{system}` asks for what cannot be had\n  found: {why}\n  asked by: {}:{}",
                    caller.file(),
                    caller.line()
                )
            }
        }
    }
}

impl Error for SystemError {}

impl fmt::Debug for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why an argument of a system could not be taken; see [`Param::take`](crate::Param::take).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Main, Refusal, run_once};
///
/// struct Window;
///
/// fn draw(window: Main<Window>) {}
///
/// let error = run_once(&mut World::new(), draw).unwrap_err();
/// assert!(error.to_string().starts_with("error[S005]: system `draw` needs `Window`"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The world has it not.
    Part(PartError),
    /// Nobody put a value of this name into the world with [`insert_main`](crate::insert_main).
    NoMain(String),
    /// It stays on another thread.
    OtherThread(Box<OtherThread>),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(why) => why.fmt(f),
            Self::NoMain(value) => write!(f, "nobody called `insert_main(…)` with a `{value}`"),
            Self::OtherThread(why) => why.fmt(f),
        }
    }
}

impl fmt::Debug for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ArgumentError {}

impl From<PartError> for ArgumentError {
    fn from(error: PartError) -> Self {
        Self::Part(error)
    }
}

impl From<WrongTicket> for ArgumentError {
    fn from(error: WrongTicket) -> Self {
        Self::Part(error.into())
    }
}

impl From<Box<OtherThread>> for ArgumentError {
    fn from(error: Box<OtherThread>) -> Self {
        Self::OtherThread(error)
    }
}

/// A value that stays on one thread was asked for on another.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{insert_main, take_main};
///
/// struct Window;
///
/// let mut world = World::new();
/// insert_main(&mut world, Window);
/// let error = std::thread::spawn(move || take_main::<Window>(&mut world).err().unwrap()).join().unwrap();
/// assert!(error.to_string().starts_with("error[S010]: `Window` cannot be had on this thread"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherThread {
    /// The type of the value.
    pub value: String,
    /// The thread where it was inserted.
    pub home: String,
    /// The thread that asked for it.
    pub here: String,
}

impl OtherThread {
    fn fmt_for(&self, f: &mut fmt::Formatter<'_>, system: Option<&str>) -> fmt::Result {
        let Self { value, home, here } = self;
        match system {
            Some(system) => {
                writeln!(f, "error[S010]: system `{}` cannot have `{value}` on this thread", shown(system))?;
            }
            None => writeln!(f, "error[S010]: `{value}` cannot be had on this thread")?,
        }
        writeln!(f, "  found: this is thread {here}, and it was inserted on thread {home}")?;
        write!(f, "  help: run the schedule on the thread that called `insert_main`, or call `insert_main` on this one")
    }
}

impl fmt::Display for OtherThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_for(f, None)
    }
}

impl fmt::Debug for OtherThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for OtherThread {}

/// Why a system did not do what it should.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Refusal, Res, run_once};
///
/// #[derive(Resource)] struct Gravity(f32);
///
/// fn fall(gravity: Res<Gravity>) {}
///
/// let refusal = run_once(&mut World::new(), fall).unwrap_err();
/// assert!(matches!(&refusal, Refusal::NoResource { system, why } if system == "fall" && why.resource == "Gravity"));
/// assert!(refusal.to_string().starts_with("error[S005]: system `fall` needs resource `Gravity`"));
/// ```
#[non_exhaustive]
pub enum Refusal {
    /// A resource that it needs is not there.
    NoResource {
        /// What the system is called.
        system: String,
        /// Which one.
        why: NoResource,
    },
    /// A value is not there that stays on one thread; see [`insert_main`](crate::insert_main).
    NoMain {
        /// What the system is called.
        system: String,
        /// The type of the value.
        value: String,
    },
    /// A value stays on another thread.
    OtherThread {
        /// What the system is called.
        system: String,
        /// Which value, and which threads.
        why: OtherThread,
    },
    /// It was made for another world.
    OtherWorld(OtherWorld),
    /// Something else about its arguments, as a [`Param`](crate::Param) says it.
    Part {
        /// What the system is called.
        system: String,
        /// What.
        why: PartError,
    },
    /// Changes that it queued could not be made.
    Commands(CommandErrors),
    /// Two of its arguments get in each other's way.
    System(SystemError),
    /// It returned an error.
    Returned(Box<dyn Error + Send + Sync>),
}

impl Refusal {
    #[cold]
    #[inline(never)]
    pub(crate) fn of_argument(system: &str, why: ArgumentError) -> Self {
        let system = system.to_owned();
        match why {
            ArgumentError::Part(PartError::NoResource(why)) => Self::NoResource { system, why },
            ArgumentError::Part(why) => Self::Part { system, why },
            ArgumentError::NoMain(value) => Self::NoMain { system, value },
            ArgumentError::OtherThread(why) => Self::OtherThread { system, why: *why },
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResource { system, why } => {
                let found = if why.removed { "it was removed" } else { "it was never inserted" };
                let present: Vec<String> = why.present.iter().map(|name| format!("`{name}`")).collect();
                let present = if present.is_empty() { "none".to_owned() } else { present.join(", ") };
                let (system, resource, type_name) = (shown(system), &why.resource, &why.type_name);
                write!(
                    f,
                    "error[S005]: system `{system}` needs resource `{resource}`\n  found: {found}\n  present: {present}\n  help: insert it before the system runs: `world.insert_resource::<{type_name}>(…)`, in an engine `engine.world_mut().insert_resource::<{type_name}>(…)`; if it may be missing, take `Option<Res<{type_name}>>` or `Option<ResMut<{type_name}>>`"
                )
            }
            Self::NoMain { system, value } => write!(
                f,
                "error[S005]: system `{}` needs `{value}`, which nobody inserted\n  help: call `engine.insert_main(…)` or `insert_main(&mut world, …)` with a `{value}`, on the thread that runs the systems, or take an `Option<Main<{value}>>`",
                shown(system)
            ),
            Self::OtherThread { system, why } => why.fmt_for(f, Some(system)),
            Self::OtherWorld(why) => write!(
                f,
                "error[S008]: system `{}` was made for another world\n  help: run it with the world it was made with; a schedule serves the world that its systems were added with",
                shown(&why.plan)
            ),
            Self::Part { system, why } => write!(f, "system `{}`: {why}", shown(system)),
            Self::Commands(why) => why.fmt(f),
            Self::System(why) => why.fmt(f),
            Self::Returned(why) => why.fmt(f),
        }
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Refusal {}

impl From<SystemError> for Refusal {
    fn from(error: SystemError) -> Self {
        Self::System(error)
    }
}

impl From<CommandErrors> for Refusal {
    fn from(error: CommandErrors) -> Self {
        Self::Commands(error)
    }
}
