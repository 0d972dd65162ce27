//! Who cannot be whose child, and how that is said.

use super::forest::Forest;
use super::links::Hierarchy;
use phalanx_ecs::{Entity, InsertError, Name, NoSuchEntity, NotAliveReason, World};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::panic::Location;

/// An entity did not become a child; nothing was changed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{HierarchyError, Kinship};
///
/// let mut world = World::new();
/// let [a, b] = [world.spawn(()), world.spawn(())];
/// world.attach(b, a)?;
/// let error = world.attach(a, b).unwrap_err();
/// assert!(error.to_string().starts_with("error[H002]: entity 0v0 cannot become a child of entity 1v0"));
/// assert!(matches!(error, HierarchyError::Circle { path, .. } if path == [a, b, a]));
/// # Ok::<(), HierarchyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The child, the parent or the sibling is not alive.
    Dead(NoSuchEntity),
    /// The entity would be its own ancestor.
    #[non_exhaustive]
    Circle {
        /// The entity, whose child it was to become, and so on up to the entity again.
        path: Vec<Entity>,
        /// What those are called that have a name.
        names: Vec<(Entity, Name)>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A place beside who is no child of the parent, or beside itself.
    #[non_exhaustive]
    NoSibling {
        /// Who was to get the place.
        child: Entity,
        /// Beside whom.
        sibling: Entity,
        /// Whose child it was to become.
        parent: Entity,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Something else kept the component from coming.
    Insert(InsertError),
}

impl fmt::Display for HierarchyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Insert(error) => error.fmt(f),
            Self::Circle { path, names, caller } => {
                let called = |entity: Entity| match names.iter().find(|(named, _)| *named == entity) {
                    Some((_, name)) => format!("{entity} {:?}", name.as_str()),
                    None => entity.to_string(),
                };
                match &path[..] {
                    [child, _] => writeln!(f, "error[H002]: entity {} cannot become its own child", called(*child))?,
                    [child, parent, ..] => writeln!(
                        f,
                        "error[H002]: entity {} cannot become a child of entity {}, which is its descendant",
                        called(*child),
                        called(*parent)
                    )?,
                    _ => writeln!(f, "error[H002]: a circle of parents")?,
                }
                let words: Vec<String> = path.iter().map(|entity| called(*entity)).collect();
                write!(
                    f,
                    "  circle: {}\n  asked by: {}:{}\n  help: detach one of the others first; nothing was changed",
                    shortened(&words),
                    caller.file(),
                    caller.line()
                )
            }
            Self::NoSibling { child, sibling, parent, caller } => {
                let why = if child == sibling {
                    "it is the same entity".to_owned()
                } else {
                    format!("it is no child of entity {parent}")
                };
                write!(
                    f,
                    "error[H003]: entity {child} cannot get a place beside entity {sibling}\n  found: {why}\n  asked by: {}:{}\n  help: name a child of the parent it is to have; `Place::First` and `Place::Last` need none",
                    caller.file(),
                    caller.line()
                )
            }
        }
    }
}

impl fmt::Debug for HierarchyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for HierarchyError {}

impl From<NoSuchEntity> for HierarchyError {
    fn from(dead: NoSuchEntity) -> Self {
        Self::Dead(dead)
    }
}

impl HierarchyError {
    /// What to tell who asked.
    #[track_caller]
    pub(super) fn of(obstacle: Obstacle, world: &World) -> Self {
        match obstacle {
            Obstacle::Dead(entity) => match world.entity(entity) {
                Err(dead) => Self::Dead(dead),
                Ok(_) => unreachable!("it was not alive just now"),
            },
            Obstacle::Circle(path) => {
                let ends = path.iter().take(SHOWN).chain(path.iter().rev().take(SHOWN));
                let names = ends.filter_map(|entity| Some((*entity, world.get::<Name>(*entity)?.clone()))).collect();
                Self::Circle { path, names, caller: Location::caller() }
            }
        }
    }
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

/// What keeps entities from becoming children.
pub(super) enum Obstacle {
    /// The parent is not alive.
    Dead(Entity),
    /// The entity, whose child it would be, and so on up to the entity again.
    Circle(Vec<Entity>),
}

/// Why an entity is not alive, in half a sentence.
pub(crate) fn why(reason: NotAliveReason) -> &'static str {
    match reason {
        NotAliveReason::NeverIssued { .. } | NotAliveReason::Ahead { .. } => "this world never handed it out",
        NotAliveReason::Reserved => "the commands that are to spawn it have not been applied yet",
        NotAliveReason::Foreign => "it is one of another world",
        _ => "it was despawned",
    }
}

impl Obstacle {
    /// As [`Refused::why`] says it.
    pub(super) fn in_words(&self, world: &World) -> Box<dyn Error + Send + Sync> {
        match self {
            Self::Dead(parent) => match world.entity(*parent) {
                Err(dead) => format!("its parent {parent} is not alive: {}", why(dead.reason)).into(),
                Ok(_) => format!("its parent {parent} is not alive").into(),
            },
            Self::Circle(path) => {
                let words: Vec<String> = path.iter().map(Entity::to_string).collect();
                format!("it would be its own ancestor: {}", shortened(&words)).into()
            }
        }
    }
}

/// Whether an entity can become the child of another.
pub(super) fn obstacle(world: &World, child: Entity, parent: Entity) -> Option<Obstacle> {
    if !world.is_alive(parent) {
        return Some(Obstacle::Dead(parent));
    }
    if child == parent {
        return Some(Obstacle::Circle(vec![child, child]));
    }
    let hierarchy = world.get_resource::<Hierarchy>()?;
    // Who has no children is nobody's ancestor.
    if hierarchy.first_child(child).is_none() || hierarchy.ancestors(parent).all(|ancestor| ancestor != child) {
        return None;
    }
    let mut path = vec![child, parent];
    path.extend(hierarchy.ancestors(parent).take_while(|ancestor| *ancestor != child));
    path.push(child);
    Some(Obstacle::Circle(path))
}

/// Whether entities (`None`: new ones) can become children of others all at once.
pub(super) fn obstacle_for_all(world: &World, wishes: &[(Option<Entity>, Entity)]) -> Option<Obstacle> {
    if let [(Some(child), parent)] = wishes {
        return obstacle(world, *child, *parent);
    }
    if let Some((_, dead)) = wishes.iter().find(|(_, parent)| !world.is_alive(*parent)) {
        return Some(Obstacle::Dead(*dead));
    }
    // New ones are nobody's parents.
    let mut given: Vec<(Entity, Entity)> =
        wishes.iter().filter_map(|(child, parent)| Some(((*child)?, *parent))).collect();
    if given.is_empty() {
        return None;
    }
    let mut parents: HashMap<Entity, Entity> = given.iter().copied().collect();
    let mut part = 0..given.len();
    // An entity that is named again is given its parents one after the other: what holds in between counts too.
    if parents.len() < given.len() {
        part = first_circle(world, &given)?;
        given.truncate(part.end);
        parents = given.iter().copied().collect();
    }
    circle(world, &parents, &given[part])
}

/// Who are given parents when there is a circle for the first time, if they are given them in parts of which none names an entity twice.
fn first_circle(world: &World, given: &[(Entity, Entity)]) -> Option<Range<usize>> {
    let hierarchy = world.get_resource::<Hierarchy>();
    let parent_of = |entity: Entity| hierarchy.and_then(|hierarchy| hierarchy.parent(entity));
    // Those who are given parents are the nodes of a forest; whoever else is between them stays where they are.
    let (mut nodes, mut children): (HashMap<Entity, u32>, Vec<Entity>) = Default::default();
    for (child, _) in given {
        nodes.entry(*child).or_insert_with(|| {
            children.push(*child);
            u32::try_from(children.len() - 1).expect("fewer than there can be entities")
        });
    }
    // The first node from an entity upwards. Each entity is passed once.
    let mut passed: HashMap<Entity, Option<u32>> = HashMap::new();
    let mut node_above = |entity: Option<Entity>| {
        let (mut at, mut path) = (entity, Vec::new());
        let found = loop {
            let Some(here) = at else { break None };
            if let Some(node) = nodes.get(&here) {
                break Some(*node);
            }
            if let Some(found) = passed.get(&here) {
                break *found;
            }
            path.push(here);
            at = parent_of(here);
        };
        passed.extend(path.into_iter().map(|entity| (entity, found)));
        found
    };
    let mut forest = Forest::new(nodes.len());
    for child in &children {
        if let Some(above) = node_above(parent_of(*child)) {
            forest.tie(nodes[child], above);
        }
    }
    // In which part a node was last.
    let (mut part_of, mut begin, mut part) = (vec![0; nodes.len()], 0, 1);
    while begin < given.len() {
        let mut end = begin;
        while end < given.len() {
            let node = nodes[&given[end].0];
            if std::mem::replace(&mut part_of[node as usize], part) == part {
                break;
            }
            forest.cut(node);
            end += 1;
        }
        for (child, parent) in &given[begin..end] {
            let node = nodes[child];
            if let Some(above) = node_above(Some(*parent)) {
                if forest.root(above) == node {
                    return Some(begin..end);
                }
                forest.tie(node, above);
            }
        }
        (begin, part) = (end, part + 1);
    }
    None
}

/// A circle that some who are given parents would be part of, if all in the map have theirs.
fn circle(world: &World, parents: &HashMap<Entity, Entity>, given: &[(Entity, Entity)]) -> Option<Obstacle> {
    let hierarchy = world.get_resource::<Hierarchy>();
    let above = |entity: Entity| match parents.get(&entity) {
        Some(parent) => Some(*parent),
        None => hierarchy.and_then(|hierarchy| hierarchy.parent(entity)),
    };
    // Each entity is passed once: what led to no circle before leads to none now.
    let mut seen: HashMap<Entity, usize> = HashMap::new();
    for (walk, (child, _)) in given.iter().enumerate() {
        let mut entity = Some(*child);
        while let Some(here) = entity {
            match seen.insert(here, walk) {
                Some(earlier) if earlier == walk => {
                    let mut path = vec![here];
                    let mut next = above(here);
                    while let Some(further) = next.filter(|next| *next != here) {
                        path.push(further);
                        next = above(further);
                    }
                    path.push(here);
                    return Some(Obstacle::Circle(path));
                }
                Some(_) => break,
                None => entity = above(here),
            }
        }
    }
    None
}
