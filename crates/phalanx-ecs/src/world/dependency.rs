//! What is said when a tag lacks what it depends on.

use super::World;
use super::edit::list;
use crate::component::{Name, called};
use crate::entity::{Entity, debug_as_display};
use crate::storage::Lack;
use std::fmt;
use std::panic::Location;

/// A tag was refused to an entity that lacks what the tag depends on; see [`Component::depend`](crate::Component::depend).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::InsertError;
///
/// #[derive(Component)] struct Body(f32);
/// #[derive(Component)] #[component(depends_on(Body))] struct Falling;
///
/// let mut world = World::new();
/// let ghost = world.spawn(());
/// let error = world.insert(ghost, Falling).unwrap_err();
/// assert!(error.to_string().starts_with("error[C015]: entity 0v0 cannot have the tag `Falling`"));
/// let InsertError::Lacks(error) = error else { unreachable!() };
/// assert_eq!((&*error.tag, &error.missing[..]), ("Falling", &["Body".to_string()][..]));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingDependency {
    /// The tag's name.
    pub tag: String,
    /// The entity; `None` for one that was to be spawned.
    pub entity: Option<Entity>,
    /// What the entity is called, if it has a name.
    pub name: Option<Name>,
    /// What the tag depends on and the entity would not have.
    pub missing: Vec<String>,
    /// What the entity has.
    pub present: Vec<String>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for MissingDependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tag, entity, name, missing, present, caller } = self;
        let whom = match entity {
            Some(entity) => format!("entity {}", called(*entity, name.as_ref())),
            None => "a new entity".to_owned(),
        };
        writeln!(f, "error[C015]: {whom} cannot have the tag `{tag}` without what it depends on")?;
        writeln!(f, "  missing: {}", list(missing))?;
        if entity.is_some() {
            writeln!(f, "  present: {}", list(present))?;
        }
        write!(
            f,
            "  asked by: {}:{}\n  help: insert {} first or in the same bundle; `requires` beside `depends_on` brings what has a default value",
            caller.file(),
            caller.line(),
            list(missing)
        )
    }
}

impl std::error::Error for MissingDependency {}
debug_as_display!(MissingDependency);

impl World {
    /// Words for a tag that lacks something on an entity, or on one that was to be spawned.
    #[cold]
    pub(crate) fn missing_dependency(
        &self,
        lack: &Lack,
        entity: Option<Entity>,
        caller: &'static Location<'static>,
    ) -> MissingDependency {
        let name = |component: &_| self.store.registry.name_of(*component).to_string();
        let missing: Vec<String> = lack.missing.iter().map(name).collect();
        let mut present = entity.map_or_else(Vec::new, |entity| self.names_on(entity));
        // What a chain of edits is about to take off is still there.
        present.retain(|name| !missing.contains(name));
        let tag = name(&lack.tag);
        let name = entity.and_then(|entity| self.store.name_of(entity));
        MissingDependency { tag, entity, name, missing, present, caller }
    }
}
