//! A bundle whose components are chosen at run time.

use crate::component::{Component, ComponentId, DynValue};

/// Collects components whose number and types are known only at run time.
///
/// A component that was added twice is refused when the bundle is used.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Armour(u32);
///
/// let mut world = World::new();
/// let mut orc = BundleBuilder::new();
/// orc.add(Health(7));
/// if world.alive() == 0 { orc.add(Armour(2)); }
/// let orc = world.spawn_dyn(orc)?;
/// assert!(world.has::<Armour>(orc));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default, Debug)]
pub struct BundleBuilder {
    pub(crate) values: Vec<(Option<ComponentId>, DynValue)>,
}

impl BundleBuilder {
    /// An empty bundle.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a component of a compiled type.
    pub fn add<T: Component>(&mut self, value: T) -> &mut Self {
        self.values.push((None, DynValue::new(value)));
        self
    }

    /// Adds a component by id; whether the value fits is checked when the bundle is used.
    pub fn add_dyn(&mut self, id: ComponentId, value: DynValue) -> &mut Self {
        self.values.push((Some(id), value));
        self
    }

    /// How many values were added.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
