//! `#[component(depends_on(…))]`: tags that cannot be without others.

use super::{Component, ComponentId, Registry};

/// Collects what a tag depends on; see [`Component::depend`].
pub struct Dependencies<'a> {
    pub(super) registry: &'a mut Registry,
    pub(super) list: Vec<ComponentId>,
}

impl Dependencies<'_> {
    /// The tag cannot be on an entity without `T`.
    pub fn add<T: Component>(&mut self) -> &mut Self {
        let id = self.registry.register::<T>();
        if !self.list.contains(&id) {
            self.list.push(id);
        }
        self
    }
}

/// Stops the build if a component that depends on others is more than a tag.
#[track_caller]
pub const fn refuse_dependent_value(size: usize, in_tables: bool) {
    assert!(
        size == 0 && in_tables,
        "only a tag can depend on other components: a type without fields, and not `storage = \"sparse\"`"
    );
}
