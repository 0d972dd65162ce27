//! Archetypes: sets of table components, with a value for each that is shared. Which table holds the rows of a set is a separate question.
//!
//! ```text
//! archetype {Position}            → table 3 ┐   a bulk insert of Velocity into all rows relabels the tables:
//! archetype {Position, Velocity}  → table 5 ┘   {Position} → table 5 (empty), {Position, Velocity} → table 3
//! ```
//! Entities name tables, never archetypes, so relabelling touches no entity.

use crate::component::ComponentId;
use crate::entity::TableId;

/// The number of an archetype in one world, in order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArchetypeId(pub(crate) u32);

impl ArchetypeId {
    /// The archetype without any table component; it always exists.
    pub const EMPTY: Self = Self(0);

    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2³² archetypes"))
    }

    /// The number as an index.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The value that all entities of an archetype have of a shared component: its number in the component's pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SharedValue {
    pub(crate) component: ComponentId,
    pub(crate) number: u32,
}

pub(crate) struct Archetype {
    /// Sorted, without duplicates; table components, tags and shared ones, no sparse ones.
    pub(crate) components: Box<[ComponentId]>,
    /// One for each of the components that is shared, in order.
    pub(crate) values: Box<[SharedValue]>,
    pub(crate) table: TableId,
}

impl Archetype {
    pub(crate) fn has(&self, component: ComponentId) -> bool {
        self.components.binary_search(&component).is_ok()
    }

    /// The number of its value of a shared component.
    pub(crate) fn value_of(&self, component: ComponentId) -> Option<u32> {
        self.values.iter().find(|value| value.component == component).map(|value| value.number)
    }

    /// Whether all shared values of another archetype are those of this one too.
    pub(super) fn keeps_values_of(&self, other: &Self) -> bool {
        other.values.iter().all(|value| self.values.contains(value))
    }
}
