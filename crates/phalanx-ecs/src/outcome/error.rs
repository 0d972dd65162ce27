//! What could not be done when queued commands were applied.

use crate::entity::{Death, EntitiesFull, Entity, NoSuchEntity, NotAliveReason, UuidTaken, debug_as_display};
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A queued command that could not be done.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Title(&'static str);
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// let mut commands = world.commands();
/// commands.despawn(orc);
/// commands.insert(orc, Title("Grub"));
/// let errors = world.apply(&mut commands).unwrap_err().errors;
/// assert_eq!((&*errors[0].act, errors[0].entity), ("insert `Title` into entity 0v0", Some(orc)));
/// assert!(errors[0].to_string().starts_with("error[K001]: cannot insert `Title` into entity 0v0: it is not alive"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct CommandError {
    /// What was to be done, to whom: ``insert `Name` into entity 5v0``.
    pub act: String,
    /// The entity it was about, if it was about one.
    pub entity: Option<Entity>,
    /// Why it was not done.
    pub fault: CommandFault,
    /// The name of the queue, if it has one.
    pub queue: Option<Arc<str>>,
    /// Who queued it.
    pub caller: &'static Location<'static>,
}

/// Why a queued command was not done.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::CommandFault;
///
/// let mut world = World::new();
/// let mut commands = world.commands();
/// commands.run(|_: &mut World| "seven".parse::<u32>().map(drop));
/// let errors = world.apply(&mut commands).unwrap_err().errors;
/// let CommandFault::Failed(error) = &errors[0].fault else { unreachable!() };
/// assert!(error.is::<std::num::ParseIntError>());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum CommandFault {
    /// The entity is not alive, and who despawned it, if that is remembered.
    #[non_exhaustive]
    Dead {
        /// What the world knows of it.
        found: NoSuchEntity,
        /// Who despawned it.
        death: Option<Death>,
    },
    /// The world has no room for the entity.
    Full(EntitiesFull),
    /// The bundle has this component twice.
    Duplicate(String),
    /// Another entity has the uuid.
    Uuid(UuidTaken),
    /// A tag depends on what the entity would not have.
    #[non_exhaustive]
    Lacks {
        /// The tag.
        tag: String,
        /// What is missing.
        missing: Vec<String>,
    },
    /// A component refused to come.
    #[non_exhaustive]
    Refused {
        /// Which.
        component: String,
        /// What it said.
        why: Arc<dyn Error + Send + Sync>,
    },
    /// The queued closure answered this error.
    Failed(Arc<dyn Error + Send + Sync>),
    /// No id was left for the queue.
    NoIds,
    /// The iterator of a batch promised more bundles than it gave.
    #[non_exhaustive]
    Short {
        /// How many it promised.
        promised: usize,
        /// How many it gave.
        given: usize,
    },
    /// The iterator of a batch promised fewer bundles than it has.
    #[non_exhaustive]
    Long {
        /// How many it promised.
        promised: usize,
    },
    /// The queue was made by another world. Nothing of it was applied.
    OtherWorld,
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let act = &self.act;
        let help = match &self.fault {
            CommandFault::Dead { found, death } => {
                writeln!(f, "error[K001]: cannot {act}: it is not alive")?;
                writeln!(f, "  found: {}", found.found())?;
                match death {
                    Some(death) => writeln!(f, "  despawned by: {death}")?,
                    None if found.is_past() => {
                        writeln!(f, "  despawned by: nobody remembers; `World::builder().remember_deaths(…)` does")?;
                    }
                    None => {}
                }
                match found.reason {
                    NotAliveReason::Reserved => "apply the queue that spawns it first",
                    NotAliveReason::Foreign => "use the handle with the world that spawned it",
                    NotAliveReason::NeverIssued { .. } | NotAliveReason::Ahead { .. } => {
                        "was the handle saved, or made, for another world?"
                    }
                    _ => {
                        "let go of the handle when its entity ends, or queue a function that asks first: `commands.run(…)`, with `world.is_alive(…)`"
                    }
                }
            }
            CommandFault::Full(full) => {
                writeln!(f, "error[K002]: cannot {act}: the world is full")?;
                writeln!(f, "  limit: {}, alive: {}", full.limit, full.alive)?;
                "despawn some first, or make the world with `World::builder().limit(…)` and a higher limit"
            }
            CommandFault::Duplicate(component) => {
                writeln!(f, "error[K003]: cannot {act}: the bundle contains component `{component}` twice")?;
                "leave one of them out, or wrap one in a type of its own"
            }
            CommandFault::Uuid(taken) => {
                writeln!(f, "error[K009]: cannot {act}: uuid {} is taken", taken.uuid)?;
                writeln!(f, "{}", taken.whose())?;
                "`world.new_uuid()` makes one that nobody has; `world.by_uuid(&uuid)` finds who has it"
            }
            CommandFault::Lacks { tag, missing } => {
                writeln!(f, "error[K010]: cannot {act}: the tag `{tag}` depends on what is not there")?;
                writeln!(f, "  missing: `{}`", missing.join("`, `"))?;
                "insert what is missing first, or in the same bundle"
            }
            CommandFault::Refused { component, why } => {
                writeln!(f, "error[K012]: cannot {act}: component `{component}` refused to come")?;
                writeln!(f, "  because: {}", why.to_string().replace('\n', "\n  "))?;
                "mend what it says, or leave the component out"
            }
            CommandFault::Failed(error) => {
                writeln!(f, "error[K004]: cannot {act}: it answered an error")?;
                writeln!(f, "  found: {}", error.to_string().replace('\n', "\n  "))?;
                "mend the cause, or let the function deal with it"
            }
            CommandFault::NoIds => {
                writeln!(f, "error[K005]: cannot {act}: the queue has no id left")?;
                "apply or drop queues that are not in use; one queue can be used again and again"
            }
            CommandFault::Short { promised, given } => {
                writeln!(f, "error[K006]: cannot {act} in full: the iterator ended early")?;
                writeln!(f, "  found: it promised {promised} bundles and gave {given}, which are spawned")?;
                "collect the bundles into a `Vec` and give that"
            }
            CommandFault::Long { promised } => {
                writeln!(f, "error[K011]: cannot {act} in full: the iterator has more")?;
                writeln!(
                    f,
                    "  found: it promised {promised} bundles, which are spawned; ids were reserved for no more"
                )?;
                "collect the bundles into a `Vec` and give that"
            }
            CommandFault::OtherWorld => {
                writeln!(f, "error[K007]: cannot {act}: another world made it")?;
                writeln!(f, "  found: the queue is unchanged")?;
                "apply it to the world whose `commands` made it"
            }
        };
        write!(f, "  asked by: {}:{}", self.caller.file(), self.caller.line())?;
        if let Some(queue) = &self.queue {
            write!(f, ", queue `{queue}`")?;
        }
        write!(f, "\n  help: {help}")
    }
}

impl Error for CommandError {}
debug_as_display!(CommandError);

/// What could not be done of one or several queues.
///
/// One error prints as itself, several as a list.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// let mut commands = world.commands();
/// for _ in 0..3 {
///     commands.despawn(orc);
/// }
/// let errors = world.apply(&mut commands).unwrap_err();
/// assert_eq!((errors.errors.len(), errors.not_applied), (2, 0));
/// assert!(errors.to_string().starts_with("error[K008]: 2 queued commands could not be done"));
/// ```
#[non_exhaustive]
pub struct CommandErrors {
    /// The errors, in the order in which the commands were queued.
    pub errors: Vec<CommandError>,
    /// How many commands are still in queues that stop at the first error.
    pub not_applied: usize,
}

impl CommandErrors {
    pub(crate) fn new(errors: Vec<CommandError>, not_applied: usize) -> Self {
        Self { errors, not_applied }
    }
}

impl fmt::Display for CommandErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        let Self { errors, not_applied } = self;
        if errors.len() > 1 {
            writeln!(f, "error[K008]: {} queued commands could not be done", errors.len())?;
        }
        for (at, error) in errors.iter().take(SHOWN).enumerate() {
            if errors.len() == 1 {
                error.fmt(f)?;
            } else {
                let (line, error) = (if at > 0 { "\n\n" } else { "" }, error.to_string().replace('\n', "\n  "));
                write!(f, "{line}  {error}")?;
            }
        }
        if errors.len() > SHOWN {
            write!(f, "\n\n  … and {} more", errors.len() - SHOWN)?;
        }
        if *not_applied > 0 {
            let commands = if *not_applied == 1 { "command after it is" } else { "commands after it are" };
            write!(f, "\n  not applied: {not_applied} {commands} still in the queue")?;
        }
        Ok(())
    }
}

impl Error for CommandErrors {}
debug_as_display!(CommandErrors);
