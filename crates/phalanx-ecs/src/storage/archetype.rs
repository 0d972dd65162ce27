//! Archetypes: sets of table components. Which table holds the rows of a set is a separate question.
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

    /// The number as an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub(crate) struct Archetype {
    /// Sorted, without duplicates; table components and tags, no sparse ones.
    pub(crate) components: Box<[ComponentId]>,
    pub(crate) table: TableId,
}

impl Archetype {
    pub(crate) fn has(&self, component: ComponentId) -> bool {
        self.components.binary_search(&component).is_ok()
    }
}
