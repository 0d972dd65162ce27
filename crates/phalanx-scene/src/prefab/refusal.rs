//! What is said of prefabs that cannot be.

use super::id::PrefabId;
use super::library::{Library, Obstacle};
use super::pieces::Unfit;
use super::tree::{Fault, MOST_PARTS, MOST_SHOWN};
use super::world::PrefabWorld;
use crate::hierarchy::Kinship;
use phalanx_ecs::{DynError, Entity, InsertError, Name, NoSuchEntity, SpawnError, World};
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A prefab is not what somebody wanted, or was not copied; nothing was changed, unless it is [`Exchanged`](PrefabError::Exchanged).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Prefab, PrefabError, PrefabWorld};
///
/// let mut world = World::new();
/// let wheel = world.add_prefab("wheel", Prefab::new())?;
/// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::from(wheel)))?;
/// let error = wheel.set(&mut world, Prefab::new().part("cargo", Prefab::from(cart))).unwrap_err();
/// assert!(error.to_string().contains("circle: `wheel` → `cart` → `wheel`"));
/// assert!(matches!(error, PrefabError::Circle { path, .. } if path == ["wheel", "cart", "wheel"]));
/// # Ok::<(), PrefabError>(())
/// ```
///
/// Each is logged by [`tracing`](https://docs.rs/tracing), too: whoever drops the error finds it there.
#[derive(Clone)]
#[non_exhaustive]
pub enum PrefabError {
    /// There is no such prefab: it was removed, or is one of another world.
    #[non_exhaustive]
    Unknown {
        /// Which.
        prefab: PrefabId,
        /// Whether this world made its id.
        is_of_here: bool,
        /// The prefabs that there are.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Another prefab has the name.
    #[non_exhaustive]
    NameTaken {
        /// Which.
        prefab: PrefabId,
        /// The name.
        name: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A path leads to no part.
    #[non_exhaustive]
    NoPart {
        /// The prefab's name.
        prefab: String,
        /// The path.
        path: String,
        /// From which part it starts: the path of that one from the top.
        from: String,
        /// Paths that lead somewhere, from the same part.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A new part has the name of one that is there.
    #[non_exhaustive]
    PartTaken {
        /// The prefab's name.
        prefab: String,
        /// The part.
        path: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A part cannot be called that.
    #[non_exhaustive]
    BadName {
        /// The prefab's name.
        prefab: String,
        /// The part's.
        name: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The prefab would be made of itself.
    #[non_exhaustive]
    Circle {
        /// Its name, that of one that it would be made of, and so on to its name again.
        path: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// What changes a part, or a copy, is based on another prefab.
    #[non_exhaustive]
    Based {
        /// The prefab's name.
        prefab: String,
        /// The part.
        path: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// There would be more parts than anybody can want.
    #[non_exhaustive]
    TooMany {
        /// The prefab's name.
        prefab: String,
        /// How many.
        parts: usize,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A prefab cannot go while others are made of it.
    #[non_exhaustive]
    Used {
        /// Its name.
        prefab: String,
        /// Those that are made of it.
        users: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// What a prefab says of a part could not be done to an entity.
    #[non_exhaustive]
    Refused {
        /// The prefab's name.
        prefab: String,
        /// The part.
        path: String,
        /// A [`SpawnError`], an [`InsertError`] or a [`DynError`].
        why: Arc<dyn Error + Send + Sync>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A part of a prefab does not have a component as a value.
    #[non_exhaustive]
    NoValue {
        /// The prefab's name.
        prefab: String,
        /// The part.
        path: String,
        /// The component.
        component: String,
        /// What the part has.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// An entity is no instance of a prefab.
    #[non_exhaustive]
    NoInstance {
        /// The entity.
        entity: Entity,
        /// What it is called, if it has a name.
        name: Option<Name>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// An instance has no part at a path.
    #[non_exhaustive]
    NoPartOfInstance {
        /// The instance, or a part of it.
        entity: Entity,
        /// What it is called, if it has a name.
        name: Option<Name>,
        /// The prefab's name.
        prefab: String,
        /// The path from there.
        path: String,
        /// Whether the prefab has such a part, which this instance has lost.
        is_lost: bool,
        /// Paths that lead somewhere.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// An observer put another world in place of the one in which something was under way.
    #[non_exhaustive]
    Exchanged {
        /// The prefab's name.
        prefab: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Copies of a prefab are being made, or it is being changed: it can neither change nor go until that is done.
    #[non_exhaustive]
    Busy {
        /// Its name.
        prefab: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A part that instances have would have a tag without what that depends on.
    #[non_exhaustive]
    Lacks {
        /// The prefab's name.
        prefab: String,
        /// The part.
        path: String,
        /// The tag.
        tag: String,
        /// What it depends on and the prefab does not say of the part.
        missing: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// An entity was made as a part of an instance, and is not one now.
    #[non_exhaustive]
    Apart {
        /// The entity.
        entity: Entity,
        /// What it is called, if it has a name.
        name: Option<Name>,
        /// The prefab's name.
        prefab: String,
        /// Which part it was.
        path: String,
        /// Whether the prefab has such a part.
        is_in_prefab: bool,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// An entity is not alive.
    Dead(NoSuchEntity),
}

/// The path of a part as it is shown.
fn part(path: &str) -> String {
    if path.is_empty() { "the top".to_owned() } else { format!("`{}`", path.escape_debug()) }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

impl fmt::Display for PrefabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (help, caller) = match self {
            Self::Dead(dead) => return dead.fmt(f),
            Self::Unknown { prefab, is_of_here, present, caller } => {
                writeln!(f, "error[P001]: there is no {prefab}\n  found: {}", list(present))?;
                let help = if *is_of_here {
                    "it was removed, and its id is not used again; `world.find_prefab(name)` answers those that there are"
                } else {
                    "it is a prefab of another world; `world.find_prefab(name)` answers those of this one"
                };
                (help.to_owned(), caller)
            }
            Self::NameTaken { prefab, name, caller } => {
                writeln!(f, "error[P002]: {prefab} has the name `{}` already", name.escape_debug())?;
                (format!("choose another name, or change the one that is there: `world.find_prefab({name:?})`"), caller)
            }
            Self::NoPart { prefab, path, from, present, caller } => {
                writeln!(f, "error[P003]: prefab `{}` has no part `{}`", prefab.escape_debug(), path.escape_debug())?;
                if !from.is_empty() {
                    writeln!(f, "  below: {}", part(from))?;
                }
                if present.is_empty() {
                    writeln!(f, "  found: no parts")?;
                } else {
                    writeln!(f, "  found: {}", list(present))?;
                }
                let help = match present.first() {
                    Some(first) => {
                        format!("a path is the names of parts from above, such as `{}`", first.escape_debug())
                    }
                    None => format!("give it one: `.part({path:?}, Prefab::new())`"),
                };
                (help, caller)
            }
            Self::PartTaken { prefab, path, caller } => {
                writeln!(f, "error[P004]: prefab `{}` has a part {} already", prefab.escape_debug(), part(path))?;
                let name = path.rsplit('/').next().unwrap_or(path);
                (
                    format!(
                        "choose another name, or change the one that is there: `.within({name:?}, Prefab::new().with(…))`"
                    ),
                    caller,
                )
            }
            Self::BadName { prefab, name, caller } => {
                writeln!(f, "error[P005]: a part of prefab `{}` cannot be called {name:?}", prefab.escape_debug())?;
                ("a name is not empty and has no `/`, which divides the names of a path".to_owned(), caller)
            }
            Self::Circle { path, caller } => {
                let name = path.first().map_or("", |name| name);
                let names: Vec<String> = path.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
                writeln!(f, "error[P006]: prefab `{}` cannot be made of itself", name.escape_debug())?;
                writeln!(f, "  circle: {}", shortened(&names))?;
                ("leave one of them out of the one before it; nothing was changed".to_owned(), caller)
            }
            Self::Based { prefab, path, caller } => {
                writeln!(
                    f,
                    "error[P007]: what changes {} of prefab `{}` cannot be based on another prefab",
                    part(path),
                    prefab.escape_debug()
                )?;
                ("begin it with `Prefab::new()`: what is changed has its base already".to_owned(), caller)
            }
            Self::TooMany { prefab, parts, caller } => {
                writeln!(f, "error[P008]: prefab `{}` has too many parts", prefab.escape_debug())?;
                writeln!(f, "  found: {parts} parts, of which there can be {MOST_PARTS}")?;
                (
                    "nest fewer, or give one part many copies of another prefab: `prefab.copies(n).below(entity)`"
                        .to_owned(),
                    caller,
                )
            }
            Self::Used { prefab, users, caller } => {
                writeln!(f, "error[P009]: prefab `{}` cannot go, others are made of it", prefab.escape_debug())?;
                writeln!(f, "  found: {}", list(users))?;
                ("remove those first, or `set` them to what is not made of it".to_owned(), caller)
            }
            Self::Refused { prefab, path, why, caller } => {
                let why = why.to_string().replace('\n', "\n  ");
                let prefab = prefab.escape_debug();
                writeln!(f, "error[P010]: {} of prefab `{prefab}` says what entities cannot be", part(path))?;
                writeln!(f, "  because: {why}")?;
                ("mend what it says; nothing was changed".to_owned(), caller)
            }
            Self::NoValue { prefab, path, component, present, caller } => {
                writeln!(
                    f,
                    "error[P011]: {} of prefab `{}` has no value of component `{component}`",
                    part(path),
                    prefab.escape_debug()
                )?;
                writeln!(f, "  found: {}", list(present))?;
                (
                    format!(
                        "give it one: `prefab.insert(&mut world, {path:?}, …)?` with a `{component}`; what is bound has a value in each copy only"
                    ),
                    caller,
                )
            }
            Self::NoInstance { entity, name, caller } => {
                writeln!(f, "error[P012]: entity {entity}{} is no instance of a prefab", called(name.as_ref()))?;
                (
                    "ask `world.prefab_of(entity)` first; only `instantiate` and copies of what it made are instances"
                        .to_owned(),
                    caller,
                )
            }
            Self::NoPartOfInstance { entity, name, prefab, path, is_lost, present, caller } => {
                let (name, path, prefab) = (called(name.as_ref()), path.escape_debug(), prefab.escape_debug());
                writeln!(f, "error[P013]: entity {entity}{name}, of prefab `{prefab}`, has no part `{path}`")?;
                writeln!(f, "  found: {}", list(present))?;
                let help = if *is_lost {
                    "it has lost it: a part that was despawned, or is no longer below the one above it, is none any more"
                } else {
                    "`prefab.paths(&world)` answers what parts there can be"
                };
                (help.to_owned(), caller)
            }
            Self::Busy { prefab, caller } => {
                writeln!(f, "error[P015]: prefab `{}` cannot change or go now", prefab.escape_debug())?;
                writeln!(f, "  found: copies of it are being made, or its instances follow another change")?;
                ("wait until that is done: note it in the observer, and do it in a system".to_owned(), caller)
            }
            Self::Lacks { prefab, path, tag, missing, caller } => {
                let prefab = prefab.escape_debug();
                writeln!(f, "error[P017]: {} of prefab `{prefab}` cannot have tag `{tag}`", part(path))?;
                writeln!(f, "  missing: {}", list(missing))?;
                ("a tag comes with what it depends on: add that, or take the tag away first".to_owned(), caller)
            }
            Self::Apart { entity, name, prefab, path, is_in_prefab, caller } => {
                let (name, prefab) = (called(name.as_ref()), prefab.escape_debug());
                writeln!(f, "error[P016]: entity {entity}{name} is no part of an instance any more")?;
                if *is_in_prefab {
                    writeln!(
                        f,
                        "  found: {} of prefab `{prefab}`, which is not where that part of an instance is",
                        part(path)
                    )?;
                    let help = "attach it to the part above, and make sure that this has no other of that name; or change it by hand";
                    (help.to_owned(), caller)
                } else {
                    writeln!(f, "  found: {}, of which prefab `{prefab}` says nothing", part(path))?;
                    ("it is the instance's own with all that it has: change it by hand".to_owned(), caller)
                }
            }
            Self::Exchanged { prefab, caller } => {
                writeln!(
                    f,
                    "error[P014]: another world took the place of the one with prefab `{}`",
                    prefab.escape_debug()
                )?;
                writeln!(f, "  found: an observer exchanged them while instances were made or changed")?;
                (
                    "exchange worlds between frames, not from observers; the other world was not touched, and the one that was put away is half done"
                        .to_owned(),
                    caller,
                )
            }
        };
        write!(f, "  asked by: {}:{}\n  help: {help}", caller.file(), caller.line())
    }
}

/// A name behind an entity.
fn called(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |name| format!(" {:?}", name.as_str()))
}

/// So many of each end of a long path are shown.
const SHOWN: usize = 4;

/// A path, with its middle left out if it is long.
fn shortened(path: &[String]) -> String {
    if path.len() <= 2 * SHOWN + 1 {
        return path.join(" → ");
    }
    let (start, end) = (&path[..SHOWN], &path[path.len() - SHOWN..]);
    format!("{} → … {} more … → {}", start.join(" → "), path.len() - 2 * SHOWN, end.join(" → "))
}

impl fmt::Debug for PrefabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for PrefabError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for PrefabError {}

impl Error for PrefabError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Refused { why, .. } => Some(&**why),
            _ => None,
        }
    }
}

/// Who asked for what.
type Caller = &'static Location<'static>;

impl PrefabError {
    /// Logs the refusal: whoever drops the error finds it there.
    fn logged(self) -> Self {
        tracing::warn!(target: "phalanx::scene", "{self}");
        self
    }

    pub(super) fn unknown(world: &World, prefab: PrefabId, caller: Caller) -> Self {
        let library = world.get_resource::<Library>();
        let is_of_here = library.is_some_and(|library| library.is_of_here(prefab));
        let names = |library: &Library| library.ids().map(|id| library.name(id)).collect();
        let present = library.map_or_else(Vec::new, names);
        Self::Unknown { prefab, is_of_here, present, caller }.logged()
    }

    pub(super) fn name_taken(prefab: PrefabId, name: &str, caller: Caller) -> Self {
        Self::NameTaken { prefab, name: name.to_owned(), caller }.logged()
    }

    pub(super) fn used(world: &World, prefab: PrefabId, caller: Caller) -> Option<Self> {
        let library = world.get_resource::<Library>()?;
        let users: Vec<String> = library.users(prefab).map(|user| library.name(user)).collect();
        let prefab = library.name(prefab);
        (!users.is_empty()).then(|| Self::Used { prefab, users, caller }.logged())
    }

    pub(super) fn dead(dead: NoSuchEntity) -> Self {
        Self::Dead(dead).logged()
    }

    pub(super) fn no_instance(world: &World, entity: Entity, caller: Caller) -> Self {
        let name = world.get::<Name>(entity).cloned();
        Self::NoInstance { entity, name, caller }.logged()
    }

    /// What is missing below an instance, or below a part of it.
    pub(super) fn no_part_of(world: &World, entity: Entity, prefab: PrefabId, path: &str, caller: Caller) -> Self {
        let from = world.path_of(entity).unwrap_or_default();
        let start = if from.is_empty() { String::new() } else { format!("{from}/") };
        let found = world.descendants(entity).filter_map(|below| {
            let here = world.path_of(below).filter(|_| world.prefab_of(below) == Some(prefab))?;
            let rest = here.strip_prefix(&start)?;
            (world.part_of(entity, rest) == Some(below)).then(|| rest.to_owned())
        });
        let present = found.take(MOST_SHOWN).collect();
        let whole = if from.is_empty() { path.to_owned() } else { format!("{from}/{path}") };
        let library = world.get_resource::<Library>();
        let is_lost =
            library.and_then(|library| library.tree(prefab)).is_some_and(|tree| tree.find(0, &whole).is_some());
        let prefab = library.map_or_else(String::new, |library| library.name(prefab));
        let (name, path) = (world.get::<Name>(entity).cloned(), path.to_owned());
        Self::NoPartOfInstance { entity, name, prefab, path, is_lost, present, caller }.logged()
    }

    pub(super) fn apart(world: &World, entity: Entity, prefab: PrefabId, caller: Caller) -> Self {
        let (name, path) = (world.get::<Name>(entity).cloned(), world.path_of(entity).unwrap_or_default());
        let library = world.get_resource::<Library>();
        let is_in_prefab =
            library.and_then(|library| library.tree(prefab)).is_some_and(|tree| tree.find(0, &path).is_some());
        let prefab = library.map_or_else(String::new, |library| library.name(prefab));
        Self::Apart { entity, name, prefab, path, is_in_prefab, caller }.logged()
    }

    pub(super) fn busy(world: &World, prefab: PrefabId, caller: Caller) -> Option<Self> {
        let library = world.get_resource::<Library>()?;
        let prefab = library.name(library.busy(&[prefab])?);
        Some(Self::Busy { prefab, caller }.logged())
    }

    pub(super) fn exchanged(prefab: String, caller: Caller) -> Self {
        Self::Exchanged { prefab, caller }.logged()
    }

    pub(super) fn no_value(
        prefab: String,
        path: &str,
        component: String,
        present: Vec<String>,
        caller: Caller,
    ) -> Self {
        Self::NoValue { prefab, path: path.to_owned(), component, present, caller }.logged()
    }

    /// What to tell who wants a prefab to be what it cannot be. `new` is the name of one that is not there yet.
    pub(super) fn of_obstacle(world: &World, obstacle: Obstacle, new: Option<&str>, caller: Caller) -> Self {
        let name = |id: PrefabId| {
            let known = world.get_resource::<Library>().filter(|library| library.get(id).is_some());
            match (known, new) {
                (Some(library), _) => library.name(id),
                (None, Some(new)) => new.to_owned(),
                (None, None) => id.to_string(),
            }
        };
        match obstacle {
            Obstacle::Unknown(id) => Self::unknown(world, id, caller),
            Obstacle::Busy(id) => Self::Busy { prefab: name(id), caller }.logged(),
            Obstacle::Circle(path) => Self::Circle { path: path.into_iter().map(name).collect(), caller }.logged(),
            Obstacle::Fault { of, fault } => Self::of_fault(name(of), fault, caller),
        }
    }

    pub(super) fn of_fault(prefab: String, fault: Fault, caller: Caller) -> Self {
        let error = match fault {
            Fault::NoPart { path, from, present } => Self::NoPart { prefab, path, from, present, caller },
            Fault::PartTaken { path } => Self::PartTaken { prefab, path, caller },
            Fault::BadName { name } => Self::BadName { prefab, name, caller },
            Fault::Based { path } => Self::Based { prefab, path, caller },
            Fault::TooMany { parts } => Self::TooMany { prefab, parts, caller },
        };
        error.logged()
    }

    pub(super) fn refused(prefab: String, path: String, why: Unfit, caller: Caller) -> Self {
        let why: Arc<dyn Error + Send + Sync> = match why {
            Unfit::Spawn(error) => Arc::new(spawn_asked_by(error, caller)),
            Unfit::Insert(error) => Arc::new(insert_asked_by(error, caller)),
            Unfit::Dyn(error) => Arc::new(dyn_asked_by(error, caller)),
            Unfit::NoPart { path: missing, .. } => {
                return Self::NoPart { prefab, path: missing, from: path, present: Vec::new(), caller }.logged();
            }
            Unfit::Lacks { tag, missing } => return Self::Lacks { prefab, path, tag, missing, caller }.logged(),
            Unfit::Exchanged => return Self::exchanged(prefab, caller),
        };
        Self::Refused { prefab, path, why, caller }.logged()
    }
}

// Who asked is not this crate, but who called it.

fn spawn_asked_by(mut error: SpawnError, by: Caller) -> SpawnError {
    match &mut error {
        SpawnError::Full(full) => full.caller = Some(by),
        SpawnError::Duplicate { caller, .. } | SpawnError::Uneven { caller, .. } => *caller = by,
        SpawnError::Lacks(lacks) => lacks.caller = by,
        SpawnError::Uuid(taken) => taken.caller = by,
        SpawnError::Refused(refused) => refused.caller = by,
        _ => {}
    }
    error
}

fn insert_asked_by(mut error: InsertError, by: Caller) -> InsertError {
    match &mut error {
        InsertError::Dead(dead) => dead.caller = Some(by),
        InsertError::Duplicate { caller, .. } => *caller = by,
        InsertError::Lacks(lacks) => lacks.caller = by,
        InsertError::Uuid(taken) => taken.caller = by,
        InsertError::Refused(refused) => refused.caller = by,
        _ => {}
    }
    error
}

fn dyn_asked_by(mut error: DynError, by: Caller) -> DynError {
    match &mut error {
        DynError::Dead(dead) => dead.caller = Some(by),
        DynError::Full(full) => full.caller = Some(by),
        DynError::Unknown { caller, .. }
        | DynError::Duplicate { caller, .. }
        | DynError::Mismatch { caller, .. }
        | DynError::Absent { caller, .. }
        | DynError::Immutable { caller, .. }
        | DynError::Sparse { caller, .. }
        | DynError::NoToggle { caller, .. } => *caller = by,
        DynError::Lacks(lacks) => lacks.caller = by,
        DynError::Uuid(taken) => taken.caller = by,
        DynError::Refused(refused) => refused.caller = by,
        _ => {}
    }
    error
}
