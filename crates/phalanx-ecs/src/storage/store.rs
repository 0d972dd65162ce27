//! [`Store`]: what the world is made of, and finding things in it.

use super::archetype::{Archetype, ArchetypeId, SharedValue};
use super::bundles::Bundles;
use super::era::{Era, STEP};
use super::plan::MovePlan;
use super::pool::Pools;
use super::sparse::SparseSets;
use super::table::{Shape, Table};
use crate::component::{
    Component, ComponentId, ComponentLayout, FixedState, Panics, RegisterError, Registry, SetId, StorageKind, Watch,
};
use crate::entity::{Entities, EntityConfig, Location, TableId};
use crate::order::sort_by;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number drawn anew, process-wide, whenever archetypes, the tables behind them or the registry change.
///
/// A query that remembers an epoch and finds it again knows two things by one comparison: it is the same world, and what it
/// cached about tables still holds. Growing columns do not change it: nothing caches their addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(u64);

impl Epoch {
    /// No store has this one.
    pub(crate) const NEVER: Self = Self(0);

    fn draw() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// As a number, for layers that know no epochs.
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

/// Something by a list of numbers.
pub(super) type NumberMap = HashMap<Box<[u32]>, u32, FixedState>;

/// Entities, registry, tables and sparse sets: the world without what happens over time.
pub struct Store {
    pub(crate) entities: Entities,
    pub(crate) registry: Registry,
    pub(crate) tables: Vec<Table>,
    /// Slots of `tables` that are free for reuse.
    pub(super) vacant: Vec<TableId>,
    /// In order of creation; `ArchetypeId::EMPTY` is always there.
    pub(crate) archetypes: Vec<Archetype>,
    /// By components, and the numbers of the values of those that are shared.
    by_signature: NumberMap,
    /// By component: the archetypes that have it, in order.
    with_component: Vec<Vec<ArchetypeId>>,
    pub(crate) sets: SparseSets,
    pub(crate) pools: Pools,
    pub(super) bundles: Bundles,
    pub(crate) era: Era,
    /// Whether some table may have dead rows.
    pub(crate) may_have_gaps: bool,
    plans: HashMap<(u32, u32), Arc<MovePlan>, FixedState>,
    /// The epoch it was made in: no other store ever has this one.
    birth: Epoch,
    epoch: Epoch,
    /// The epoch of the last time when archetypes changed tables.
    relabelled: Epoch,
    /// The epoch of the last time when archetypes got other numbers.
    renumbered: Epoch,
}

impl Store {
    pub(crate) fn new(config: EntityConfig) -> Self {
        let epoch = Epoch::draw();
        let mut store = Self {
            entities: Entities::new(config),
            registry: Registry::default(),
            tables: Vec::new(),
            vacant: Vec::new(),
            archetypes: Vec::new(),
            by_signature: HashMap::default(),
            with_component: Vec::new(),
            sets: SparseSets::default(),
            pools: Pools::default(),
            bundles: Bundles::default(),
            era: Era::default(),
            may_have_gaps: false,
            plans: HashMap::default(),
            birth: epoch,
            epoch,
            relabelled: epoch,
            renumbered: epoch,
        };
        store.archetype(Vec::new(), &[]);
        store
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Equal answers prove: the same store, and so component types have the same numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn birth(&self) -> Epoch {
        self.birth
    }

    /// Equal answers prove: the same store, and archetypes still have their numbers.
    pub(crate) fn numbering(&self) -> Epoch {
        self.renumbered
    }

    /// Equal answers, where the numbering is equal too, prove: archetypes still have their tables.
    pub(crate) fn labelling(&self) -> Epoch {
        self.relabelled
    }

    fn redraw_epoch(&mut self) {
        self.epoch = Epoch::draw();
    }

    /// For when archetypes changed tables.
    pub(super) fn redraw_epoch_for_tables(&mut self) {
        self.redraw_epoch();
        self.relabelled = self.epoch;
    }

    #[inline]
    pub(crate) fn register<T: Component>(&mut self) -> ComponentId {
        match self.registry.id_of::<T>() {
            Some(id) => id,
            None => self.with_registry(Registry::register::<T>),
        }
    }

    #[track_caller]
    pub(crate) fn register_dyn(&mut self, layout: ComponentLayout) -> Result<ComponentId, RegisterError> {
        let caller = std::panic::Location::caller();
        self.with_registry(|registry| registry.register_dyn(layout, caller))
    }

    /// Does something that may register types, and catches up with it, also if it panics.
    pub(super) fn with_registry<R>(&mut self, act: impl FnOnce(&mut Registry) -> R) -> R {
        struct CatchUp<'a>(&'a mut Store);
        impl Drop for CatchUp<'_> {
            fn drop(&mut self) {
                let store = &mut *self.0;
                if store.with_component.len() != store.registry.len() {
                    store.with_component.resize_with(store.registry.len(), Vec::new);
                    store.sets.add_missing(&store.registry);
                    store.pools.add_missing(&store.registry);
                    store.redraw_epoch();
                }
            }
        }
        let guard = CatchUp(self);
        guard.0.registry.finish();
        act(&mut guard.0.registry)
    }

    /// Notes for which acts somebody observes a component: operations that do them go the slow way from now on.
    pub(crate) fn set_watch(&mut self, component: ComponentId, watch: Watch) {
        if self.registry.at(component).watch == watch {
            return;
        }
        self.registry.set_watch(component, watch);
        // Which edges are plain has changed.
        self.bundles.forget_edges();
        for archetype in &self.archetypes {
            if archetype.has(component) {
                let is_watched = |c: &ComponentId| self.registry.at(*c).watch.has(Watch::REMOVE);
                let watched = archetype.components.iter().any(is_watched);
                self.tables[archetype.table.index()].set_watched(watched);
            }
        }
    }

    /// Components with all that they require.
    pub(crate) fn with_required(&self, components: &[ComponentId]) -> Vec<ComponentId> {
        let mut all = components.to_vec();
        all.extend(self.required(components).into_iter().map(|missing| missing.component));
        all
    }

    /// The archetypes that have a component, in order.
    pub(crate) fn archetypes_with(&self, component: ComponentId) -> &[ArchetypeId] {
        self.with_component.get(component.index()).map_or(&[], Vec::as_slice)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn table_of(&self, archetype: ArchetypeId) -> &Table {
        &self.tables[self.archetypes[archetype.index()].table.index()]
    }

    /// The archetype of a set of components, made now if it is new. Sparse components are left out. There is one value for each that is shared; values of
    /// others are left out.
    pub(super) fn archetype(&mut self, mut components: Vec<ComponentId>, known: &[SharedValue]) -> ArchetypeId {
        components.retain(|c| !matches!(self.registry.at(*c).kind, StorageKind::Set(_)));
        sort_by(&mut components, |a, b| a < b);
        components.dedup();
        let mut values = Vec::new();
        for component in &components {
            if self.registry.at(*component).is_shared() {
                let value = known.iter().find(|value| value.component == *component);
                values.push(*value.expect("a shared component comes with its value"));
            }
        }
        let key = key_of(&components, &values);
        if let Some(&id) = self.by_signature.get(key.as_slice()) {
            return ArchetypeId(id);
        }
        let id = ArchetypeId(u32::try_from(self.archetypes.len()).expect("fewer than 2³² archetypes"));
        let shape = self.shape(&components, &values);
        let table_id = match self.vacant.pop() {
            Some(slot) => {
                self.tables[slot.index()].replace(id, shape);
                slot
            }
            None => {
                self.tables.push(Table::new(id, shape));
                TableId::new(u32::try_from(self.tables.len() - 1).expect("fewer than 2³² tables"))
            }
        };
        for component in &components {
            self.with_component[component.index()].push(id);
        }
        self.pools.note(&self.registry, &values, id);
        self.by_signature.insert(key.into(), id.0);
        self.archetypes.push(Archetype { components: components.into(), values: values.into(), table: table_id });
        self.redraw_epoch();
        id
    }

    /// [`Store::archetype`] for tests of what is above the store.
    #[cfg(test)]
    pub(crate) fn archetype_of(&mut self, components: Vec<ComponentId>) -> ArchetypeId {
        self.archetype(components, &[])
    }

    /// Empty columns for a set of components with these values of those that are shared.
    fn shape(&self, components: &[ComponentId], values: &[SharedValue]) -> Shape {
        let cells: Vec<_> = values.iter().map(|value| self.pool(value.component).cell(value.number)).collect();
        Shape::new(components, &cells, &self.registry)
    }

    /// Empty columns for an archetype.
    pub(super) fn shape_of(&self, archetype: ArchetypeId) -> Shape {
        let archetype = &self.archetypes[archetype.index()];
        self.shape(&archetype.components, &archetype.values)
    }

    /// The archetype with more components, and with these shared values in place of its own.
    pub(super) fn archetype_plus(
        &mut self,
        from: ArchetypeId,
        mut added: Vec<ComponentId>,
        values: &[SharedValue],
    ) -> ArchetypeId {
        let source = &self.archetypes[from.index()];
        added.retain(|c| !source.has(*c));
        added.extend(source.components.iter());
        if source.values.is_empty() {
            return self.archetype(added, values);
        }
        // The first mention counts.
        let values = [values, &source.values].concat();
        self.archetype(added, &values)
    }

    pub(super) fn archetype_minus(&mut self, from: ArchetypeId, removed: &[ComponentId]) -> ArchetypeId {
        let components = &self.archetypes[from.index()].components;
        let rest = components.iter().copied().filter(|c| !removed.contains(c)).collect();
        let values = self.archetypes[from.index()].values.clone();
        self.archetype(rest, &values)
    }

    /// The plan of moves from one archetype to another.
    pub(super) fn plan(&mut self, from: ArchetypeId, to: ArchetypeId) -> Arc<MovePlan> {
        if let Some(plan) = self.plans.get(&(from.0, to.0)) {
            return Arc::clone(plan);
        }
        let plan = Arc::new(MovePlan::new(self.table_of(from), self.table_of(to)));
        self.plans.insert((from.0, to.0), Arc::clone(&plan));
        plan
    }

    /// The sparse set of a component, if it is one.
    pub(crate) fn set_of(&self, component: ComponentId) -> Option<SetId> {
        match self.registry.info(component)?.kind {
            StorageKind::Set(set) => Some(set),
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => None,
        }
    }

    /// Whether a live entity has a component of a registered type.
    #[inline]
    pub(crate) fn has(&self, index: u32, location: Location, component: ComponentId) -> bool {
        match self.registry.at(component).kind {
            StorageKind::Set(set) => self.sets.get(set).row(index).is_some(),
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => {
                self.tables[location.table.index()].map().contains(component)
            }
        }
    }

    /// Everything a live entity has: table components first, by id, then sparse ones, by id.
    pub(crate) fn components_of(&self, index: u32, location: Location) -> Vec<ComponentId> {
        let archetype = self.tables[location.table.index()].archetype();
        let mut all = self.archetypes[archetype.index()].components.to_vec();
        let first_sparse = all.len();
        all.extend(self.sets.of(index).map(|set| self.sets.get(set).component()));
        sort_by(&mut all[first_sparse..], |a, b| a < b);
        all
    }

    /// Empties the store; types, archetypes and memory stay.
    pub(crate) fn clear(&mut self) {
        let mut panics = Panics::default();
        for table in &self.tables {
            table.dead().iter().for_each(|row| self.entities.release_collected(table.entities()[row]));
        }
        self.may_have_gaps = false;
        self.entities.clear();
        for table in &mut self.tables {
            table.clear(&mut panics);
        }
        self.sets.clear(&mut panics);
        self.pools.clear(&mut panics);
        panics.resume();
    }

    /// Moves the base of ticks if they are nearly used up.
    #[inline]
    pub(crate) fn keep_ticks_in_range(&mut self) {
        if self.era.is_full() {
            self.rebase_ticks();
        }
    }

    #[cold]
    fn rebase_ticks(&mut self) {
        self.era.move_base();
        self.tables.iter_mut().for_each(|table| table.sides_mut().rebase(STEP));
        self.sets.rebase_ticks(STEP);
    }

    /// Gives back memory that is reserved but not used.
    pub(crate) fn shrink(&mut self) {
        let mut uncollected = Vec::new();
        for table in &self.tables {
            uncollected.extend(table.dead().iter().map(|row| table.entities()[row]));
        }
        sort_by(&mut uncollected, |a, b| a < b);
        self.entities.shrink(&uncollected);
        for table in &mut self.tables {
            table.shrink();
        }
        self.sets.shrink();
    }

    /// Deletes archetypes without entities, with their tables; answers how many.
    pub(crate) fn reclaim(&mut self) -> usize {
        let before = self.archetypes.len();
        let mut kept = Vec::new();
        for (at, archetype) in std::mem::take(&mut self.archetypes).into_iter().enumerate() {
            if at == 0 || self.tables[archetype.table.index()].len() > 0 {
                kept.push(archetype);
            } else {
                let shape = Shape::new(&[], &[], &self.registry);
                self.tables[archetype.table.index()].replace(ArchetypeId::EMPTY, shape);
                self.vacant.push(archetype.table);
            }
        }
        self.archetypes = kept;
        // The slot freed first is reused first, as a newcomer would expect from reading a dump.
        sort_by(&mut self.vacant, |a, b| a > b);
        self.by_signature.clear();
        self.with_component.iter_mut().for_each(Vec::clear);
        self.pools.forget_archetypes();
        for (at, archetype) in self.archetypes.iter().enumerate() {
            let id = ArchetypeId(u32::try_from(at).expect("fewer than before"));
            self.tables[archetype.table.index()].archetype = id;
            self.by_signature.insert(key_of(&archetype.components, &archetype.values).into(), id.0);
            self.pools.note(&self.registry, &archetype.values, id);
            for component in &archetype.components {
                self.with_component[component.index()].push(id);
            }
        }
        self.pools.reclaim();
        self.bundles.forget_edges();
        self.plans.clear();
        self.redraw_epoch_for_tables();
        self.renumbered = self.epoch;
        before - self.archetypes.len()
    }

    /// Bytes of what is kept per archetype, bundle and edge.
    pub(crate) fn graph_bytes(&self) -> usize {
        let lists = self.with_component.iter().map(|list| list.capacity() * size_of::<ArchetypeId>());
        // The components of an archetype are there twice: in the list, and as the key of the map.
        let signatures = self.archetypes.iter().map(|a| 2 * (size_of_val(&*a.components) + size_of_val(&*a.values)));
        self.archetypes.capacity() * size_of::<Archetype>()
            + signatures.sum::<usize>()
            + map_bytes(&self.by_signature)
            + self.with_component.capacity() * size_of::<Vec<ArchetypeId>>()
            + lists.sum::<usize>()
            + self.vacant.capacity() * size_of::<TableId>()
            + map_bytes(&self.plans)
            + self.plans.values().map(|plan| plan.bytes()).sum::<usize>()
            + self.bundles.bytes()
            + self.registry.bytes()
    }

    /// Whether the maps from signatures and from components to archetypes say what the archetypes say. Each archetype is looked at once per
    /// component.
    pub(super) fn signature_map_agrees(&self) -> bool {
        let listed: usize = self.with_component.iter().map(Vec::len).sum();
        let named: usize = self.archetypes.iter().map(|a| a.components.len()).sum();
        // As many entries as there should be, none twice, and none wrong: so none is missing.
        self.by_signature.len() == self.archetypes.len()
            && listed == named
            && self.archetypes.iter().enumerate().all(|(at, a)| {
                let key = key_of(&a.components, &a.values);
                self.by_signature.get(key.as_slice()).is_some_and(|id| *id as usize == at)
            })
            && self.registry.iter().all(|info| {
                let list = self.archetypes_with(info.id());
                list.is_sorted_by(|a, b| a < b)
                    && list.iter().all(|id| self.archetypes.get(id.index()).is_some_and(|a| a.has(info.id())))
            })
    }
}

/// Components, and then a number for each that is shared. No other archetype has the same: one with more components has at least as many shared ones, and
/// so a longer list.
fn key_of(components: &[ComponentId], values: &[SharedValue]) -> Vec<u32> {
    let mut key = Vec::with_capacity(components.len() + values.len());
    key.extend(components.iter().map(|component| component.raw()));
    key.extend(values.iter().map(|value| value.number));
    key
}

/// Bytes of a map: an entry and a byte per place, of which one in eight stays free.
pub(super) fn map_bytes<K, V>(map: &HashMap<K, V, FixedState>) -> usize {
    if map.capacity() == 0 { 0 } else { (map.capacity() + 1).next_power_of_two() * (size_of::<(K, V)>() + 1) }
}

impl Drop for Store {
    /// Drops all values here, where a panic does not keep the others from being dropped.
    fn drop(&mut self) {
        let mut panics = Panics::default();
        for table in &mut self.tables {
            table.clear(&mut panics);
        }
        self.sets.clear(&mut panics);
        self.pools.clear(&mut panics);
        if std::thread::panicking() {
            panics.ignore();
        } else {
            panics.resume();
        }
    }
}
