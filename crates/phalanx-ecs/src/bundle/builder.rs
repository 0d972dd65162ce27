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
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let nobody = world.spawn_dyn(BundleBuilder::new())?;
    /// assert!(world.signature(nobody)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a component of a compiled type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Shield(u32);
    /// # let mut world = World::new();
    /// let mut orc = BundleBuilder::new();
    /// orc.add(Health(3)).add(Shield(1));
    /// let orc = world.spawn_dyn(orc)?;
    /// assert!(world.has::<Health>(orc) && world.has::<Shield>(orc));
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    pub fn add<T: Component>(&mut self, value: T) -> &mut Self {
        self.values.push((None, DynValue::new(value)));
        self
    }

    /// Adds a component by id; whether the value fits is checked when the bundle is used.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let mut elf = BundleBuilder::new();
    /// elf.add(Health(5)).add_dyn(mana, DynValue::bytes(&[7]));
    /// let elf = world.spawn_dyn(elf)?;
    /// assert!(world.has_dyn(elf, mana));
    ///
    /// let mut odd = BundleBuilder::new();
    /// odd.add_dyn(mana, DynValue::bytes(&[7, 7]));
    /// assert!(world.spawn_dyn(odd).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_dyn(&mut self, id: ComponentId, value: DynValue) -> &mut Self {
        self.values.push((Some(id), value));
        self
    }

    /// How many values were added.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// let mut orc = BundleBuilder::new();
    /// orc.add(Health(3)).add(Gold(5));
    /// assert_eq!(orc.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was added yet.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut orc = BundleBuilder::new();
    /// assert!(orc.is_empty());
    /// orc.add(Health(3));
    /// assert!(!orc.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
