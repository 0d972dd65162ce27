//! [`UnknownSystem`]: what was said names no system, or more than one.

use super::misnamed::{MOST_NAMES, near, write_names};
use super::reference::Kind;
use super::schedule::Schedule;
use crate::ids::SystemId;
use crate::shown::shown;
use crate::system::path_of;
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// No system, or more than one, is meant by what was said.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, || ())?.named("draw");
/// let error = schedule.find("drow").unwrap_err();
/// assert!(error.to_string().starts_with("error[S003]: there is no system `drow`\n  present: `draw`"));
/// assert_eq!(error.near.as_deref(), Some("draw"));
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
    /// The name that was meant, perhaps.
    pub near: Option<String>,
    /// The systems there are; at most 20 of them.
    pub present: Vec<String>,
    /// Who asked.
    pub caller: &'static Location<'static>,
    /// Apart, because all that name systems may answer this error.
    details: Box<Details>,
}

#[derive(Clone, PartialEq, Eq)]
struct Details {
    /// How many systems there are beside those that are listed.
    more: usize,
    /// Of those that are meant, if there are several.
    added: Vec<Found>,
    /// What became of it, or what is there instead, if that is known.
    instead: Option<String>,
    help: &'static str,
}

#[derive(Clone, PartialEq, Eq)]
struct Found {
    name: String,
    added: &'static Location<'static>,
}

impl fmt::Display for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, found, near, present, caller, details, .. } = self;
        let Details { more, added, instead, help } = &**details;
        if self.by_value {
            writeln!(f, "error[S003]: {wanted} does not say which system is meant")?;
        } else if found.is_empty() {
            writeln!(f, "error[S003]: there is no system {wanted}")?;
        } else {
            writeln!(f, "error[S003]: there are {} systems {wanted}", found.len())?;
        }
        if let Some(instead) = instead {
            writeln!(f, "  found: {instead}")?;
        }
        for (id, Found { name, added }) in found.iter().zip(added).take(MOST_NAMES) {
            writeln!(f, "  found: {id:?} `{}`, added at {}:{}", shown(name), added.file(), added.line())?;
        }
        if found.len() > MOST_NAMES {
            writeln!(f, "  … and {} more", found.len() - MOST_NAMES)?;
        }
        if found.is_empty() && !self.by_value {
            write_names(f, present, *more)?;
        }
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        write!(f, "  help: ")?;
        if let Some(near) = near {
            write!(f, "did you mean `{}`? ", shown(near))?;
        }
        f.write_str(help)
    }
}

impl fmt::Debug for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for UnknownSystem {}

impl Schedule {
    /// What is to be said where not one system was found.
    #[cold]
    pub(super) fn unknown(
        &self,
        kind: &Kind,
        found: Vec<SystemId>,
        caller: &'static Location<'static>,
    ) -> UnknownSystem {
        let mut wanted = match kind {
            Kind::Id(id) => format!("#{}", id.number),
            Kind::Name(name) | Kind::Function(_, name, _) | Kind::Value(name) => format!("`{}`", shown(name)),
        };
        let (mut nearest, mut instead) = (None, None);
        let mut help = "add it first, and name it by what `add` was given, by its name, or by its `id()`; where it is added later, say there that it comes `before` or `after` this one";
        match kind {
            Kind::Name(_) if !found.is_empty() && found.iter().all(|id| self.called(*id).typed.is_some()) => {
                help = "name the function itself instead of what it is called, give each a name of its own with `named(…)`, or say which by the `id()` that `add` answered";
            }
            _ if !found.is_empty() && self.have_names_of_their_own(&found) => {
                help = "they have names of their own: say which by its name, as a string, or by the `id()` that `add` answered";
            }
            _ if !found.is_empty() => {
                help = "give each a name of its own with `named(…)`, or say which by the `id()` that `add` answered";
            }
            Kind::Id(id) if id.schedule != self.mark.0 => {
                instead = Some("the id is of another schedule, or of none".to_owned());
                help = "ask the schedule that the system was added to; one by name or by function: `find(…)?`";
            }
            Kind::Id(id) => {
                let hole = self.holes.iter().find(|hole| hole.number == id.number);
                let name = hole.map_or_else(|| "it".to_owned(), |hole| format!("`{}`", shown(&hole.name)));
                instead = Some(format!("{name} was removed"));
                help = "an id is not used again: keep the one that `add` answers when the system is added anew; whether one is there says `contains(id)`";
            }
            Kind::Name(name) => {
                let names: Vec<&str> = self.nodes().map(|(_, node)| &*node.name).collect();
                nearest = near(name, &names);
                if nearest.is_some() {
                    help = "a system is named by what `add` was given, by its name, or by its `id()`";
                }
            }
            Kind::Value(_) => {
                instead = Some(
                    "it is a function pointer or a closure that captures, and others of its type are other systems"
                        .to_owned(),
                );
                help = "give it a name with `named(…)`, or keep the `id()` that `add` answered; a function itself says which it is: `add(tick)`, not `add(tick as fn())`";
            }
            Kind::Function(_, name, path) => {
                // Of the same name, but another function.
                if let Some((_, other)) = self.nodes().find(|(_, node)| node.name == *name) {
                    wanted = format!("`{}`", path_of(path).join("::"));
                    instead =
                        Some(format!("there is a `{name}` of another function: `{}`", path_of(other.path).join("::")));
                }
            }
        }
        let added = found.iter().map(|id| self.node(*id));
        let added = added.map(|node| Found { name: node.name.clone(), added: node.caller }).collect();
        let present: Vec<String> = self.nodes().take(MOST_NAMES).map(|(_, node)| node.name.clone()).collect();
        let details = Box::new(Details { more: self.len() - present.len(), added, instead, help });
        let by_value = matches!(kind, Kind::Value(_));
        UnknownSystem { wanted, found, by_value, near: nearest, present, caller, details }
    }

    /// The same where only some were to be looked at.
    #[cold]
    pub(super) fn unknown_among(
        &self,
        systems: &[SystemId],
        kind: &Kind,
        found: Vec<SystemId>,
        caller: &'static Location<'static>,
    ) -> UnknownSystem {
        let mut error = self.unknown(kind, found, caller);
        if error.found.is_empty() && !matches!(kind, Kind::Id(_) | Kind::Value(_)) {
            let elsewhere = self.all_of_kind(kind);
            let elsewhere: Vec<String> =
                elsewhere.iter().map(|id| format!("`{}`", shown(&self.node(*id).name))).collect();
            if !elsewhere.is_empty() {
                let names = elsewhere.join(", ");
                error.details.instead = Some(format!("{names}, which is not among those that are asked about"));
            }
            let names: Vec<String> =
                systems.iter().filter(|id| self.contains(**id)).map(|id| self.node(*id).name.clone()).collect();
            error.near = error.near.filter(|near| names.contains(near));
            error.details.more = names.len().saturating_sub(MOST_NAMES);
            error.present = names.into_iter().take(MOST_NAMES).collect();
        }
        error
    }

    /// Whether no other system is called as one of these is.
    fn have_names_of_their_own(&self, systems: &[SystemId]) -> bool {
        let is_alone = |id: &SystemId| {
            let name = &self.node(*id).name;
            self.nodes().filter(|(_, node)| node.name == *name).count() == 1
        };
        systems.iter().all(is_alone)
    }
}
