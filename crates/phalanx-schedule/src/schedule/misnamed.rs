//! Groups that are not there, or have nothing in them: perhaps another one was meant. And which one.

use super::schedule::{DEFAULT_GROUP, Schedule};
use crate::ids::GroupId;
use crate::shown::shown;
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// There is no group of this name.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{FaultKind, Schedule};
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, || ())?.to("Physics");
/// let fault = schedule.run_group(&mut world, "Phisics").unwrap_err();
/// let FaultKind::UnknownGroup(unknown) = &fault.kind else { unreachable!("nothing ran") };
/// assert_eq!((unknown.wanted.as_str(), unknown.near.as_deref()), ("Phisics", Some("Physics")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownGroup {
    /// Which one was asked for.
    pub wanted: String,
    /// The one that was meant, perhaps.
    pub near: Option<String>,
    /// Which there are; not more than 20.
    pub present: Vec<String>,
    /// How many there are beside those.
    pub more: usize,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for UnknownGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, near, present, more, caller } = self;
        writeln!(f, "error[S012]: there is no group `{}`", shown(wanted))?;
        write_names(f, present, *more)?;
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        if let Some(near) = near {
            write!(f, "  help: did you mean `{}`? a group", shown(near))?;
        } else {
            write!(f, "  help: a group")?;
        }
        write!(f, " is made when a system is put into it with `to({wanted:?})`, or by `group({wanted:?})`")
    }
}

impl fmt::Debug for UnknownGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for UnknownGroup {}

/// A group without systems; see [`Schedule::empty_groups`].
///
/// ```
/// use phalanx_schedule::Schedule;
///
/// let mut schedule = Schedule::new();
/// schedule.group("Sound");
/// assert_eq!(schedule.empty_groups()[0].to_string(), "group `Sound` has no systems");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmptyGroup {
    /// What it is called.
    pub name: String,
    /// A group with systems that was meant, perhaps.
    pub near: Option<String>,
}

impl fmt::Display for EmptyGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group `{}` has no systems", shown(&self.name))?;
        self.near.as_ref().map_or(Ok(()), |near| write!(f, "; did you mean `{}`?", shown(near)))
    }
}

impl Schedule {
    /// The groups without systems, in the order in which they were made. What says something about a group makes it, so that it can be said before systems are added; a
    /// name that is misspelled there is found here.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{Schedule, fixed};
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.group("phyiscs").pace(fixed(60.0))?;
    /// schedule.add(&mut world, || ())?.to("Physics");
    /// let empty: Vec<String> = schedule.empty_groups().iter().map(|group| group.to_string()).collect();
    /// assert_eq!(empty, ["group `phyiscs` has no systems; did you mean `Physics`?"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn empty_groups(&self) -> Vec<EmptyGroup> {
        let filled: Vec<&str> =
            self.members().filter(|group| !group.systems.is_empty()).map(|group| &*group.name).collect();
        // All systems begin in this one.
        let empty = self.members().filter(|group| group.systems.is_empty() && group.name != DEFAULT_GROUP);
        empty.map(|group| EmptyGroup { name: group.name.clone(), near: near(&group.name, &filled) }).collect()
    }

    /// The group of this name, which is to be run. The one that all systems begin in is always there.
    pub(crate) fn known_group(
        &mut self,
        name: &str,
        caller: &'static Location<'static>,
    ) -> Result<GroupId, UnknownGroup> {
        if name == DEFAULT_GROUP {
            return Ok(self.group_id(name));
        }
        self.find_group(name).ok_or_else(|| {
            let names: Vec<&str> = self.members().map(|group| &*group.name).collect();
            UnknownGroup {
                wanted: name.to_owned(),
                near: near(name, &names),
                more: names.len().saturating_sub(MOST_NAMES),
                present: names.into_iter().take(MOST_NAMES).map(str::to_owned).collect(),
                caller,
            }
        })
    }
}

/// As many names as a message lists.
pub(super) const MOST_NAMES: usize = 20;

/// The line of a message that lists what there is.
pub(super) fn write_names(f: &mut fmt::Formatter<'_>, names: &[String], more: usize) -> fmt::Result {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let more = if more == 0 { String::new() } else { format!(", … and {more} more") };
    writeln!(f, "  present: {names}{more}")
}

/// The name that is most like another one, if it is so much like it that it may be meant: a third of its letters may be others.
pub(super) fn near(wanted: &str, names: &[&str]) -> Option<String> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let with_steps = names.iter().map(|name| (steps(&wanted, &name.to_lowercase()), *name));
    let (steps, name) = with_steps.min_by_key(|(steps, _)| *steps)?;
    (steps <= wanted.len() / 3).then(|| name.to_owned())
}

/// How many letters must be put in, left out or changed to make one name of another.
fn steps(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (at, letter) in to.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], at + 1);
        for (place, other) in from.iter().enumerate() {
            let changed = corner + usize::from(*other != letter);
            corner = row[place + 1];
            row[place + 1] = changed.min(corner + 1).min(row[place] + 1);
        }
    }
    row[from.len()]
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn a_name_is_near_if_few_letters_differ() {
        let names = ["Physics", "Input", "Drawing"];
        for (wanted, found) in [
            ("Phisics", Some("Physics")),
            ("physics", Some("Physics")),
            ("Phyiscs", Some("Physics")),
            ("Inputs", Some("Input")),
            ("Draw", None),
            ("", None),
            ("Networking", None),
        ] {
            assert_eq!(near(wanted, &names).as_deref(), found, "{wanted}");
        }
    }
}
