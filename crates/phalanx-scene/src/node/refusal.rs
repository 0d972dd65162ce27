//! Who cannot become what, and how that is said.

use super::kinds::Kind;
use crate::scene::NoSuchScene;
use phalanx_ecs::{ComponentId, Entity, Name, NoSuchEntity, World};
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// An entity did not become a node; nothing was changed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, NodeError, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Component)] struct Place(f32);
///
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh, place: &'w Place }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// let error = level.add_node::<Drawn>(&mut world, house).unwrap_err();
/// assert!(error.to_string().starts_with("error[N001]: entity 0v0 cannot become node `Drawn`\n  missing: Place\n  present: Mesh"));
/// assert!(matches!(error, NodeError::Missing { missing, .. } if missing == ["Place"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// There is no such scene.
    Scene(NoSuchScene),
    /// The entity lacks what the node needs.
    #[non_exhaustive]
    Missing {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The node.
        node: &'static str,
        /// What it needs and the entity does not have.
        missing: Vec<String>,
        /// What the node must be without and the entity has.
        excluded: Vec<String>,
        /// What the entity has.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The entity has what the node must be without.
    #[non_exhaustive]
    Excluded {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The node.
        node: &'static str,
        /// What it must be without and the entity has.
        excluded: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Nobody can be this node: it requires what it must be without.
    #[non_exhaustive]
    Contradiction {
        /// The node.
        node: &'static str,
        /// What it requires and must be without.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl NodeError {
    /// Why a living entity cannot have a role, if so.
    pub(super) fn of(
        world: &World,
        entity: Entity,
        kind: &Kind,
        caller: &'static Location<'static>,
    ) -> Result<(), Self> {
        let has = |component: &&ComponentId| world.get_dyn(entity, **component).is_some();
        if kind.fits(world, entity) {
            return Ok(());
        }
        let named = |component: &ComponentId| {
            world.components().info(*component).map_or_else(String::new, |info| info.name().to_owned())
        };
        let (name, node) = (world.get::<Name>(entity).cloned(), kind.name);
        let missing: Vec<String> = kind.present.iter().filter(|component| !has(component)).map(named).collect();
        let excluded = kind.absent.iter().filter(has).map(named).collect();
        if missing.is_empty() {
            return Err(Self::Excluded { entity, name, node, excluded, caller });
        }
        let components = world.entity(entity).expect("alive").components();
        let present = components.filter(|info| info.is_visible()).map(|info| info.name().to_owned()).collect();
        Err(Self::Missing { entity, name, node, missing, excluded, present, caller })
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// As one types it: one alone, or a tuple.
fn bundle(names: &[String]) -> String {
    if let [one] = names { one.clone() } else { format!("({})", names.join(", ")) }
}

fn called(entity: Entity, name: Option<&Name>) -> String {
    match name {
        Some(name) => format!("{entity} {:?}", name.as_str()),
        None => entity.to_string(),
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Scene(unknown) => unknown.fmt(f),
            Self::Missing { entity, name, node, missing, excluded, present, caller } => {
                let (in_the_way, remove) = match &excluded[..] {
                    [] => Default::default(),
                    some => (
                        format!("\n  must be without: {}", list(some)),
                        format!("; world.remove::<{}>(entity)?", bundle(some)),
                    ),
                };
                let values = if missing.len() == 1 { "a value" } else { "values" };
                write!(
                    f,
                    "error[N001]: entity {} cannot become node `{node}`\n  missing: {}{in_the_way}\n  present: {}\n  asked by: {}:{}\n  help: world.insert(entity, {})?, with {values}{remove}; and ask again",
                    called(*entity, name.as_ref()),
                    list(missing),
                    list(present),
                    caller.file(),
                    caller.line(),
                    bundle(missing)
                )
            }
            Self::Excluded { entity, name, node, excluded, caller } => write!(
                f,
                "error[N002]: entity {} cannot become node `{node}`, which must be without what it has\n  found: {}\n  asked by: {}:{}\n  help: world.remove::<{}>(entity)?, and ask again",
                called(*entity, name.as_ref()),
                list(excluded),
                caller.file(),
                caller.line(),
                bundle(excluded)
            ),
            Self::Contradiction { node, component, caller } => {
                f.write_str(&contradiction(node, component, Some(caller)))
            }
        }
    }
}

/// What is said of a node that requires what it must be without. Who adds a system with one is named by others.
pub(super) fn contradiction(node: &str, component: &str, caller: Option<&Location<'_>>) -> String {
    let asked = caller.map_or_else(String::new, |caller| format!("\n  asked by: {}:{}", caller.file(), caller.line()));
    format!(
        "error[N006]: nobody can be node `{node}`: it requires `{component}` and must be without it{asked}\n  help: leave `{component}` out of `#[node(without(…))]` of `{node}`, or make it an `Option`"
    )
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for NodeError {}

impl From<NoSuchScene> for NodeError {
    fn from(unknown: NoSuchScene) -> Self {
        Self::Scene(unknown)
    }
}

impl From<NoSuchEntity> for NodeError {
    fn from(dead: NoSuchEntity) -> Self {
        Self::Dead(dead)
    }
}
