//! The archetypes a pattern matches, kept up to date at the cost of one comparison where nothing has changed.

use super::pattern::Pattern;
use crate::entity::TableId;
use crate::storage::{ArchetypeId, Epoch, Store, Table, TablePlace};

/// One archetype that can match, with what was worked out about its columns.
#[derive(Clone, Copy)]
pub(crate) struct Match<C> {
    pub(crate) archetype: ArchetypeId,
    /// Where the archetype's rows are in this epoch.
    pub(crate) table: TableId,
    /// The same, as walks use it.
    pub(crate) place: TablePlace,
    pub(crate) columns: C,
}

#[derive(Clone)]
pub(crate) struct Matches<C> {
    /// In order of archetypes.
    pub(crate) list: Vec<Match<C>>,
    /// By table: position in `list` plus one. Every match whose table is below the end stands here.
    ///
    /// The end does not go far beyond what the number of matches is worth: a query that finds two tables among a hundred thousand does not pay for the
    /// others.
    slots: Vec<u32>,
    /// How many matches have a table beyond the end of `slots`; they are looked up in `list`.
    far: usize,
    /// How long `list` was when `slots` was made anew.
    spread: usize,
    epoch: Epoch,
    labelling: Epoch,
    numbering: Epoch,
    /// How many archetypes have been looked at.
    seen: usize,
    /// How many types were registered then.
    types: usize,
}

/// So many slots there may be at least, and so many per match.
const SLOTS: usize = 256;
const SLOTS_PER_MATCH: usize = 8;

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
        let (list, slots, never) = (Vec::new(), Vec::new(), Epoch::NEVER);
        Self { list, slots, far: 0, spread: 0, epoch: never, labelling: never, numbering: never, seen: 0, types: 0 }
    }
}

impl<C> Matches<C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
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

    /// Whether types were registered since the last update.
    pub(crate) fn lacks_types_of(&self, store: &Store) -> bool {
        self.types != store.registry.len()
    }

    /// The position in `list` of the match whose rows are in a table of the store.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn slot(&self, store: &Store, table: TableId) -> Option<usize> {
        match self.slots.get(table.index()) {
            Some(slot) => (*slot as usize).checked_sub(1),
            None => self.far_slot(store, table),
        }
    }

    #[cold]
    #[inline(never)]
    fn far_slot(&self, store: &Store, table: TableId) -> Option<usize> {
        if self.far == 0 {
            return None;
        }
        let archetype = store.tables[table.index()].archetype();
        self.list.binary_search_by_key(&archetype, |at| at.archetype).ok()
    }

    /// Looks at archetypes that are new, and, if some changed tables, at where those of the matches are.
    pub(crate) fn update(&mut self, store: &Store, pattern: &Pattern, columns: impl Fn(&Table) -> C) {
        let known = self.list.len();
        let relabelled = self.labelling != store.labelling();
        if relabelled {
            for entry in &mut self.list {
                entry.table = store.archetypes[entry.archetype.index()].table;
                entry.place = TablePlace::of(entry.table);
            }
        }
        let mut try_one = |id: ArchetypeId| {
            let archetype = &store.archetypes[id.index()];
            if pattern.may_match(archetype) {
                let table = &store.tables[archetype.table.index()];
                let place = TablePlace::of(archetype.table);
                self.list.push(Match { archetype: id, table: archetype.table, place, columns: columns(table) });
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
        if relabelled || self.list.len() >= 2 * self.spread.max(1) {
            self.spread_slots();
        } else {
            (known..self.list.len()).for_each(|at| self.add_slot(at));
        }
        self.seen = store.archetypes.len();
        self.types = store.registry.len();
        self.epoch = store.epoch();
        self.labelling = store.labelling();
        self.numbering = store.numbering();
    }

    /// Makes `slots` anew. Done when the list has doubled, so that it costs a match next to nothing.
    fn spread_slots(&mut self) {
        self.spread = self.list.len();
        self.far = 0;
        self.slots.clear();
        let most = self.list.iter().map(|entry| entry.table.index() + 1).max().unwrap_or(0);
        self.slots.resize(most.min(self.most_slots()), 0);
        (0..self.list.len()).for_each(|at| self.add_slot(at));
    }

    fn most_slots(&self) -> usize {
        (self.list.len() * SLOTS_PER_MATCH).max(SLOTS)
    }

    fn add_slot(&mut self, at: usize) {
        let table = self.list[at].table.index();
        if table >= self.slots.len() {
            // With a match beyond the end that is not noted there, the end must stay.
            if self.far > 0 || table >= self.most_slots() {
                self.far += 1;
                return;
            }
            self.slots.resize(table + 1, 0);
        }
        self.slots[table] = u32::try_from(at + 1).expect("fewer than 2³² archetypes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::ComponentLayout;
    use crate::entity::EntityConfig;

    /// A store with `tables` archetypes besides the empty one; each third has the first of the types answered.
    fn store_with(tables: usize) -> Store {
        let mut store = Store::new(EntityConfig::default());
        let common = store.register_dyn(ComponentLayout::new("common")).expect("possible");
        for at in 0..tables {
            let own = store.register_dyn(ComponentLayout::new(at.to_string())).expect("possible");
            store.archetype_of(if at % 3 == 0 { vec![common, own] } else { vec![own] });
        }
        store
    }

    fn pattern_of(store: &Store, name: &str) -> Pattern {
        let mut builder = crate::query::pattern::PatternBuilder::new(&store.registry);
        let id = store.registry.id_by_name(name).expect("registered");
        builder.by_id(id, crate::query::access::Access::None, crate::query::pattern::Wanted::Present, ("With<", ">"));
        builder.finish()
    }

    fn assert_finds_all(matches: &Matches<()>, store: &Store) {
        for archetype in &store.archetypes {
            let expected = matches.list.iter().position(|entry| entry.table == archetype.table);
            assert_eq!(matches.slot(store, archetype.table), expected);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn a_query_that_finds_few_tables_among_many_keeps_few_slots() {
        let store = store_with(5000);
        let mut matches = Matches::default();
        matches.update(&store, &pattern_of(&store, "4998"), |_| ());
        assert_eq!((matches.list.len(), matches.far), (1, 1));
        assert!(matches.slots.len() <= SLOTS);
        assert_finds_all(&matches, &store);
    }

    #[test]
    fn a_new_table_leaves_the_slots_of_the_others_alone() {
        let mut store = store_with(300);
        let pattern = pattern_of(&store, "common");
        let mut matches = Matches::default();
        matches.update(&store, &pattern, |_| ());
        assert_eq!((matches.list.len(), matches.spread), (100, 100));
        let common = store.registry.id_by_name("common").expect("registered");
        for at in 0..99 {
            let own = store.register_dyn(ComponentLayout::new(format!("new {at}"))).expect("possible");
            store.archetype_of(vec![common, own]);
            matches.update(&store, &pattern, |_| ());
            assert_eq!((matches.list.len(), matches.spread), (101 + at, 100), "not made anew");
        }
        assert_finds_all(&matches, &store);
        let own = store.register_dyn(ComponentLayout::new("one more")).expect("possible");
        store.archetype_of(vec![common, own]);
        matches.update(&store, &pattern, |_| ());
        assert_eq!((matches.list.len(), matches.spread), (200, 200));
        assert_finds_all(&matches, &store);
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn matches_come_into_reach_as_they_become_many() {
        let mut store = store_with(1);
        let pattern = pattern_of(&store, "common");
        let common = store.registry.id_by_name("common").expect("registered");
        let mut matches = Matches::default();
        let mut far = false;
        for at in 0..1500 {
            let own = store.register_dyn(ComponentLayout::new(format!("new {at}"))).expect("possible");
            // First none, then all.
            store.archetype_of(if at < 1000 { vec![own] } else { vec![common, own] });
            if at % 7 == 0 {
                matches.update(&store, &pattern, |_| ());
                assert_finds_all(&matches, &store);
                far |= matches.far > 0;
            }
        }
        assert!(far && matches.far == 0, "{} of {} are far", matches.far, matches.list.len());
    }
}
