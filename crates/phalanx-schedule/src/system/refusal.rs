//! Why a function cannot be a system of a world, and why a run failed.

use phalanx_ecs::{CommandErrors, NoResource, OtherWorld, PartError, PlanError};
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// Two arguments of a system get in each other's way.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::System;
///
/// #[derive(Component)] struct Health(u32);
///
/// fn heal(mut wounded: Query<&mut Health>, all: Query<&Health>) {}
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
        match why {
            PlanError::Parts(conflict) => {
                writeln!(f, "error[S001]: two arguments of system `{system}` are in each other's way")?;
                conflict.clashes.iter().try_for_each(|clash| {
                    let how = |writes| if writes { "written" } else { "read" };
                    let (what, first, second) = (&clash.what, &clash.first, &clash.second);
                    writeln!(
                        f,
                        "  {what}: {} by {}, {} by {}",
                        how(first.writes),
                        first.part,
                        how(second.writes),
                        second.part
                    )
                })?;
                writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
                write!(f, "  help: {}", conflict.help())
            }
            why => write!(f, "error[S001]: system `{system}` asks for what cannot be had: {why}"),
        }
    }
}

impl Error for SystemError {}

impl fmt::Debug for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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
    pub(crate) fn of_part(system: &str, why: PartError) -> Self {
        match why {
            PartError::NoResource(why) => Self::NoResource { system: system.to_owned(), why },
            why => Self::Part { system: system.to_owned(), why },
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
                let (resource, type_name) = (&why.resource, &why.type_name);
                write!(
                    f,
                    "error[S005]: system `{system}` needs resource `{resource}`\n  found: {found}\n  present: {present}\n  help: call `world.insert_resource(…)` with a `{type_name}` before the system runs, or take an `Option<Res<{type_name}>>`"
                )
            }
            Self::OtherWorld(why) => write!(
                f,
                "error[S008]: system `{}` was made for another world\n  help: run it with the world it was made with; a schedule serves the world that its systems were added with",
                why.plan
            ),
            Self::Part { system, why } => write!(f, "system `{system}`: {why}"),
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
