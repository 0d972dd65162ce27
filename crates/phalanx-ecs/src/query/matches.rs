//! The archetypes a pattern matches, kept up to date at the cost of one comparison where nothing has changed.

use super::pattern::Pattern;
use crate::entity::TableId;
use crate::storage::{ArchetypeId, Epoch, Store, Table};

/// One archetype that can match, with what was worked out about its columns.
#[derive(Clone, Copy)]
pub(crate) struct Match<C> {
    pub(crate) archetype: ArchetypeId,
    /// Where the archetype's rows are in this epoch.
    pub(crate) table: TableId,
    pub(crate) columns: C,
}

#[derive(Clone)]
pub(crate) struct Matches<C> {
    /// In order of archetypes.
    pub(crate) list: Vec<Match<C>>,
    /// By table: position in `list` plus one.
    slots: Vec<u32>,
    epoch: Epoch,
    numbering: Epoch,
    /// How many archetypes have been looked at.
    seen: usize,
}

/// What [`Matches::begin`] found.
#[derive(PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Nothing has changed.
    Current,
    /// New archetypes or moved tables: go on with [`Matches::update`].
    Stale,
    /// Another world, or other numbers: the pattern must be made anew, then [`Matches::update`].
    Foreign,
}

impl<C> Default for Matches<C> {
    fn default() -> Self {
        Self { list: Vec::new(), slots: Vec::new(), epoch: Epoch::NEVER, numbering: Epoch::NEVER, seen: 0 }
    }
}

impl<C> Matches<C> {
    #[inline(always)]
    pub(crate) fn begin(&self, store: &Store) -> Freshness {
        if self.epoch == store.epoch() {
            Freshness::Current
        } else if self.numbering == store.numbering() {
            Freshness::Stale
        } else {
            Freshness::Foreign
        }
    }

    /// Forgets everything; the next update starts from the first archetype.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// The position in `list` of the match whose rows are in a table.
    #[inline(always)]
    pub(crate) fn slot(&self, table: TableId) -> Option<usize> {
        let slot = *self.slots.get(table.index())?;
        (slot as usize).checked_sub(1)
    }

    /// Looks at archetypes that are new, and at where tables went.
    pub(crate) fn update(&mut self, store: &Store, pattern: &Pattern, columns: impl Fn(&Table) -> C) {
        self.slots.clear();
        for entry in &mut self.list {
            entry.table = store.archetypes[entry.archetype.index()].table;
        }
        let mut try_one = |id: ArchetypeId| {
            let archetype = &store.archetypes[id.index()];
            if pattern.may_match(archetype) {
                let table = &store.tables[archetype.table.index()];
                self.list.push(Match { archetype: id, table: archetype.table, columns: columns(table) });
            }
        };
        // The rarest required component has the shortest list of archetypes to look at.
        let mut candidates: Option<&[ArchetypeId]> = None;
        for component in pattern.required_in_tables() {
            let with = component.map_or(&[][..], |c| store.archetypes_with(c));
            if candidates.is_none_or(|best| with.len() < best.len()) {
                candidates = Some(with);
            }
        }
        match candidates {
            Some(with) => {
                let new = with.partition_point(|id| id.index() < self.seen);
                with[new..].iter().copied().for_each(&mut try_one);
            }
            None => (self.seen..store.archetypes.len())
                .map(|at| ArchetypeId(u32::try_from(at).expect("an archetype number")))
                .for_each(&mut try_one),
        }
        if let Some(most) = self.list.iter().map(|entry| entry.table.index()).max() {
            self.slots.resize(most + 1, 0);
            for (at, entry) in self.list.iter().enumerate() {
                self.slots[entry.table.index()] = u32::try_from(at + 1).expect("fewer than 2³² archetypes");
            }
        }
        self.seen = store.archetypes.len();
        self.epoch = store.epoch();
        self.numbering = store.numbering();
    }
}
