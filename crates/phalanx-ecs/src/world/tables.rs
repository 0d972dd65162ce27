//! The tables of a world, to be looked at: for editors, statistics, and layers that must know which sets of components are in use.

use super::{EntityRef, World};
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::Entity;
use crate::storage::{Archetype, Table};
use std::fmt;

/// A table: all entities with the same components, those in sparse sets apart, and the same shared values.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch([(Health(3), Enemy), (Health(4), Enemy)]);
/// let enemy = world.register::<Enemy>();
/// let table = world.tables().find(|table| table.has(enemy)).unwrap();
/// assert!(table.entities().eq(orcs.iter()));
/// assert_eq!(format!("{table:?}"), r#"{"Health", "Enemy"} × 2"#);
/// ```
#[derive(Clone, Copy)]
pub struct TableView<'w> {
    world: &'w World,
    archetype: &'w Archetype,
}

impl<'w> TableView<'w> {
    fn table(self) -> &'w Table {
        &self.world.store.tables[self.archetype.table.index()]
    }

    /// The world that it is a table of.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let world = World::new();
    /// assert!(world.tables().all(|table| std::ptr::eq(table.world(), &world)));
    /// ```
    pub fn world(self) -> &'w World {
        self.world
    }

    /// The components that its entities have, in the order of their ids; what is in sparse sets is not among them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let table = world.tables().last().unwrap();
    /// assert!(table.components().map(|info| info.name()).eq(["Health"]));
    /// ```
    pub fn components(self) -> impl ExactSizeIterator<Item = &'w ComponentInfo> {
        let registry = &self.world.store.registry;
        self.archetype.components.iter().map(|component| registry.at(*component))
    }

    /// Whether its entities have a component; no, if it is a sparse one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// world.spawn(());
    /// world.spawn(Health(3));
    /// assert_eq!(world.tables().filter(|table| table.has(health)).count(), 1);
    /// ```
    pub fn has(self, component: ComponentId) -> bool {
        self.archetype.has(component)
    }

    /// How many entities it has.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let [one, _] = [(); 2].map(|()| world.spawn(()));
    /// assert_eq!(world.tables().map(|table| table.len()).sum::<usize>(), 2);
    /// world.despawn_lazy(one)?;
    /// assert_eq!(world.tables().map(|table| table.len()).sum::<usize>(), 1);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn len(self) -> usize {
        self.table().len() - self.table().dead().ones()
    }

    /// Whether it has no entities.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let world = World::new();
    /// assert!(world.tables().all(|table| table.is_empty()));
    /// ```
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Its entities, in [walking order](struct@crate::Query#order).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let stone = world.spawn(());
    /// assert!(world.tables().flat_map(|table| table.entities()).eq([stone]));
    /// ```
    pub fn entities(self) -> impl Iterator<Item = Entity> + use<'w> {
        let entities = &self.world.store.entities;
        self.table().living().map(|index| entities.entity_at(index))
    }
}

impl PartialEq for TableView<'_> {
    /// Whether they are the same table of the same world.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.archetype, other.archetype)
    }
}

impl Eq for TableView<'_> {}

impl fmt::Debug for TableView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.components().map(ComponentInfo::name)).finish()?;
        write!(f, " × {}", self.len())
    }
}

impl<'w> EntityRef<'w> {
    /// The table that it is in.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [one, other] = [3, 4].map(|health| world.spawn(Health(health)));
    /// let stone = world.spawn(());
    /// let table = world.entity(one)?.table();
    /// assert!(table == world.entity(other)?.table() && table != world.entity(stone)?.table());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn table(&self) -> TableView<'w> {
        let (world, at) = self.place();
        let archetype = world.store.tables[at.table.index()].archetype();
        TableView { world, archetype: &world.store.archetypes[archetype.index()] }
    }
}

/// # Tables
impl World {
    /// The tables, in the order in which they were made, with and without entities; those that [`World::reclaim`] deleted are not among them.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Enemy;
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// world.spawn_batch([(Health(3), Enemy), (Health(4), Enemy)]);
    /// let sizes: Vec<_> = world.tables().map(|table| table.len()).filter(|len| *len > 0).collect();
    /// assert_eq!(sizes, [1, 2]);
    /// ```
    pub fn tables(&self) -> impl ExactSizeIterator<Item = TableView<'_>> {
        self.store.archetypes.iter().map(|archetype| TableView { world: self, archetype })
    }
}
