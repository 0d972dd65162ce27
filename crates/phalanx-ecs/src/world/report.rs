//! What a world holds, what it costs, and whether it is well.

use super::World;
use crate::component::StorageKind;
use crate::entity::{EntityStats, debug_as_display};
use std::fmt;

/// How a world stands.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let stats = world.stats();
/// assert_eq!((stats.entities.alive, stats.components, stats.tables), (3, 1, 2));
/// assert!(stats.to_string().ends_with("1 component type, 2 tables (1 empty)"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldStats {
    /// The entities.
    pub entities: EntityStats,
    /// How many component types are registered.
    pub components: usize,
    /// How many tables there are, with and without entities.
    pub tables: usize,
    /// How many of them have no entities.
    pub empty_tables: usize,
}

impl fmt::Display for WorldStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = if self.components == 1 { "type" } else { "types" };
        let tables = if self.tables == 1 { "table" } else { "tables" };
        write!(
            f,
            "{}; {} component {types}, {} {tables} ({} empty)",
            self.entities, self.components, self.tables, self.empty_tables
        )
    }
}

/// Where the memory of a world is, in bytes: live is used, reserved is taken from the system, live included.
///
/// It prints as a table.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let memory = world.memory();
/// assert_eq!((&*memory.components[0].name, memory.components[0].values), ("Health", 3));
/// assert!(memory.reserved() > memory.live());
/// println!("{memory}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryReport {
    /// By component type, in order of ids.
    pub components: Vec<ComponentMemory>,
    /// By table, in order of creation.
    pub tables: Vec<TableMemory>,
    /// Generations, locations and free indices of entities. Locations are kept for 1024 indices at a time: 16 bytes if these entities stand in one table in order, and
    /// 8 kB if not, however few they are.
    pub entities: usize,
    /// Archetypes, bundles, moves and the registry.
    pub graph: usize,
    /// Queries the world keeps.
    pub queries: usize,
    /// Indexes: entities by name and by uuid.
    pub indexes: usize,
    /// Resources.
    pub resources: ValueMemory,
    /// Events that are kept.
    pub events: ValueMemory,
}

/// The memory of values that belong to no entity.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let resources = world.memory().resources;
/// assert_eq!(resources.live, size_of::<Score>());
/// assert!(resources.reserved >= resources.live);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueMemory {
    /// Bytes of the values, without what they own elsewhere.
    pub live: usize,
    /// Bytes reserved, with what finding them takes.
    pub reserved: usize,
}

/// The memory of one component type.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let health = &world.memory().components[0];
/// assert_eq!((health.values, health.live), (3, 3 * size_of::<Health>()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComponentMemory {
    /// Its name.
    pub name: String,
    /// How many values there are; of a shared component each counts once.
    pub values: usize,
    /// Bytes of those values.
    pub live: usize,
    /// Bytes reserved for values; for a sparse or shared component also what finding them takes.
    pub reserved: usize,
}

/// The memory of one table.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// world.spawn_batch([(Health(3), Enemy), (Health(2), Enemy)]);
/// let memory = world.memory();
/// let table = memory.tables.iter().find(|table| table.rows > 0).unwrap();
/// assert_eq!((table.components.join(", "), table.rows), ("Health, Enemy".into(), 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableMemory {
    /// The names of its components.
    pub components: Vec<String>,
    /// How many entities are in it.
    pub rows: usize,
    /// Bytes of their values and indices.
    pub live: usize,
    /// Bytes reserved.
    pub reserved: usize,
    /// How many of those are not for component values.
    pub overhead: usize,
}

impl MemoryReport {
    /// Bytes of all values: components, resources and events.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// assert_eq!(world.memory().live(), 3 * size_of::<Health>());
    /// ```
    pub fn live(&self) -> usize {
        self.components.iter().map(|c| c.live).sum::<usize>() + self.resources.live + self.events.live
    }

    /// All bytes reserved.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let empty = world.memory().reserved();
    /// world.spawn_batch((0..1000).map(Health));
    /// assert!(world.memory().reserved() >= empty + 1000 * size_of::<Health>());
    /// ```
    pub fn reserved(&self) -> usize {
        let components: usize = self.components.iter().map(|c| c.reserved).sum();
        let values = self.resources.reserved + self.events.reserved;
        components + self.beside_components() + self.entities + self.graph + self.queries + self.indexes + values
    }

    /// Bytes of tables that are not for component values: which entity is in which row, and the tables themselves.
    ///
    /// What tables cost by being tables; many small ones cost much of it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let empty = world.memory().beside_components();
    /// world.spawn_batch((0..1000).map(Health));
    /// assert!(world.memory().beside_components() >= empty + 4 * 1000, "who is in which row");
    /// ```
    pub fn beside_components(&self) -> usize {
        self.tables.iter().map(|t| t.overhead).sum()
    }
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.components.iter().map(|c| c.name.chars().count());
        let width = names.max().unwrap_or(0).max(28);
        writeln!(f, "{:<width$} {:>10} {:>12} {:>12}", "component", "values", "live", "reserved")?;
        for c in &self.components {
            writeln!(f, "{:<width$} {:>10} {:>12} {:>12}", c.name, c.values, bytes(c.live), bytes(c.reserved))?;
        }
        for (what, values) in [("resources", self.resources), ("events", self.events)] {
            if values.reserved > 0 {
                writeln!(f, "{what:<width$} {:>10} {:>12} {:>12}", "", bytes(values.live), bytes(values.reserved))?;
            }
        }
        let beside = [
            ("tables, without values", self.beside_components()),
            ("entities (in blocks of 1024)", self.entities),
            ("names and uuids", self.indexes),
            ("graph and queries", self.graph + self.queries),
        ];
        for (what, reserved) in beside {
            if reserved == 0 && what == "names and uuids" {
                continue;
            }
            writeln!(f, "{what:<width$} {:>10} {:>12} {:>12}", "", "", bytes(reserved))?;
        }
        write!(f, "{:<width$} {:>10} {:>12} {:>12}", "all", "", bytes(self.live()), bytes(self.reserved()))
    }
}

fn value_memory((live, reserved): (usize, usize)) -> ValueMemory {
    ValueMemory { live, reserved }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn bytes(count: usize) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// An invariant of the world does not hold: a bug in Phalanx, or in unsafe code that uses it.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::BrokenInvariant;
///
/// let mut world = World::new();
/// let result: Result<(), BrokenInvariant> = world.validate();
/// assert!(result.is_ok(), "please report this: {result:?}");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenInvariant {
    /// What was found.
    pub found: String,
}

impl fmt::Display for BrokenInvariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[W001]: the world is not consistent\n  found: {}\n  help: this is a bug in Phalanx, or in unsafe code that uses it; please report it",
            self.found
        )
    }
}

impl std::error::Error for BrokenInvariant {}
debug_as_display!(BrokenInvariant);

/// # Statistics, memory and self-checks
impl World {
    /// How many entities, types and tables there are.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert_eq!(world.stats().to_string(), "alive 1, free 0, retired 0, highest index 0, highest generation 0; 1 component type, 2 tables (1 empty)");
    /// ```
    pub fn stats(&self) -> WorldStats {
        let tables = self.store.archetypes.iter().map(|a| self.store.tables[a.table.index()].len());
        WorldStats {
            entities: self.store.entities.stats(),
            components: self.store.registry.len(),
            tables: self.store.archetypes.len(),
            empty_tables: tables.filter(|rows| *rows == 0).count(),
        }
    }

    /// Where the memory is.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let memory = world.memory();
    /// let largest = memory.components.iter().max_by_key(|component| component.reserved).unwrap();
    /// assert_eq!(largest.name, "Health");
    /// ```
    pub fn memory(&self) -> MemoryReport {
        let store = &self.store;
        let mut components: Vec<ComponentMemory> = store
            .registry
            .iter()
            .map(|info| ComponentMemory { name: info.name().into(), values: 0, live: 0, reserved: 0 })
            .collect();
        let mut tables = Vec::new();
        for archetype in &store.archetypes {
            let table = &store.tables[archetype.table.index()];
            let mut live = table.len() * size_of::<u32>();
            let mut reserved = table.overhead();
            for column in table.columns() {
                let entry = &mut components[column.component().index()];
                let (used, taken) = (table.len() * column.size(), table.capacity() * column.size());
                entry.values += table.len();
                entry.live += used;
                entry.reserved += taken;
                live += used;
                reserved += taken;
            }
            for component in &archetype.components {
                if store.registry.at(*component).kind == StorageKind::Tag {
                    components[component.index()].values += table.len();
                }
            }
            let names = archetype.components.iter().map(|c| store.registry.name_of(*c).to_string());
            tables.push(TableMemory {
                components: names.collect(),
                rows: table.len(),
                live,
                reserved,
                overhead: table.overhead(),
            });
        }
        for set in store.sets.iter() {
            let entry = &mut components[set.component().index()];
            entry.values += set.len();
            entry.live += set.len() * set.values().size();
            entry.reserved += set.capacity() * set.values().size() + set.overhead();
        }
        for pool in store.pools.iter() {
            let entry = &mut components[pool.component().index()];
            (entry.live, entry.reserved) = pool.bytes();
            entry.values = pool.len();
        }
        MemoryReport {
            components,
            tables,
            entities: store.entities.bytes() + store.sets.bytes(),
            graph: store.graph_bytes(),
            queries: self.queries.bytes(),
            indexes: self.indexes.bytes(),
            resources: value_memory(self.resources.bytes()),
            events: value_memory(self.events.bytes()),
        }
    }

    /// Checks every invariant of the world. Slow; for tests, and for those who suspect a bug.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// assert_eq!(world.validate(), Ok(()));
    /// ```
    ///
    /// # Errors
    /// [`BrokenInvariant`], which names the first that does not hold.
    pub fn validate(&self) -> Result<(), BrokenInvariant> {
        let checked = self.store.validate().and_then(|()| self.validate_indexes()).and_then(|()| self.validate_hooks());
        checked.map_err(|found| BrokenInvariant { found })
    }

    /// Makes a dead index continue at a generation, or a live one appear at it; for tests of what happens when generations run out.
    #[doc(hidden)]
    pub fn simulate_generation(&mut self, index: u32, generation: u32) {
        self.store.entities.simulate_generation(index, generation);
    }

    /// The indices that wait to be used again, in order; for tests.
    #[doc(hidden)]
    pub fn waiting_indices(&self) -> Vec<u32> {
        self.store.entities.waiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_invariant_says_whose_fault_it_is() {
        let broken = BrokenInvariant { found: "row 3 of table 1 belongs to nobody".into() };
        assert_eq!(
            broken.to_string(),
            "error[W001]: the world is not consistent\n  \
             found: row 3 of table 1 belongs to nobody\n  \
             help: this is a bug in Phalanx, or in unsafe code that uses it; please report it"
        );
    }
}
