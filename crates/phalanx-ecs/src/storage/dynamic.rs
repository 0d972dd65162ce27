//! Changing one row with components chosen at run time; several changes become one move.

#![expect(unsafe_code, reason = "moves type-erased values into rows")]

use super::archetype::{ArchetypeId, SharedValue};
use super::bundles::Missing;
use super::depend::Lack;
use super::spawn::SpawnRefusal;
use super::store::Store;
use crate::component::{
    Cloning, ComponentId, ComponentInfo, DynRef, DynRefMut, DynValue, Name, Panics, StorageKind, Waiting,
};
use crate::entity::{EntitiesFull, Entity, Location, NoSuchEntity};
use crate::order::sort_by;
use std::ptr::NonNull;

/// Why a value chosen at run time was refused.
pub(crate) enum DynRefusal {
    /// No component has this id here.
    Unknown(ComponentId),
    /// The value is not one of this component; with what it is.
    Mismatch(ComponentId, String),
}

/// Why an entity was not cloned.
pub(crate) enum CloneRefusal {
    Dead(NoSuchEntity),
    Full(EntitiesFull),
    NotCloneable(Vec<ComponentId>),
}

/// Changes of one entity, folded as they come: the last word on each component counts.
#[derive(Default)]
pub(crate) struct Changes {
    /// Each component at most once.
    add: Vec<(ComponentId, DynValue)>,
    /// Whether they did not come in the order of their ids; if they did, one is found by halving.
    jumbled: bool,
    /// What goes before anything comes. A component that is in both lists goes, and another one comes.
    remove: Vec<ComponentId>,
}

impl Changes {
    /// Values to add, each of another component.
    pub(super) fn adding(add: Vec<(ComponentId, DynValue)>) -> Self {
        let jumbled = !add.is_sorted_by_key(|(component, _)| *component);
        Self { add, jumbled, remove: Vec::new() }
    }

    /// Where a component is among those that come.
    fn find(&self, component: ComponentId) -> Option<usize> {
        if self.jumbled {
            return self.add.iter().position(|(c, _)| *c == component);
        }
        self.add.binary_search_by_key(&component, |(c, _)| *c).ok()
    }

    /// Adds a value; answers one that was waiting in its place.
    #[must_use = "dropping it is somebody's code, and may panic"]
    pub(crate) fn add(&mut self, component: ComponentId, value: DynValue) -> Option<DynValue> {
        match self.find(component) {
            Some(at) => Some(std::mem::replace(&mut self.add[at].1, value)),
            None => {
                self.jumbled |= self.add.last().is_some_and(|(last, _)| *last > component);
                self.add.push((component, value));
                None
            }
        }
    }

    /// Removes a component; answers a value of it that was waiting.
    #[must_use = "dropping it is somebody's code, and may panic"]
    pub(crate) fn remove(&mut self, component: ComponentId) -> Option<DynValue> {
        if !self.remove.contains(&component) {
            self.remove.push(component);
        }
        let at = self.find(component)?;
        Some(self.add.remove(at).1)
    }

    /// Whether an entity has a component after these changes, if it has it now or not.
    fn leaves(&self, component: ComponentId, now: bool) -> bool {
        self.adds(component) || (now && !self.remove.contains(&component))
    }

    /// Whether a value of a component is waiting.
    pub(crate) fn adds(&self, component: ComponentId) -> bool {
        self.find(component).is_some()
    }

    /// The components of which values are waiting.
    pub(crate) fn added(&self) -> Vec<ComponentId> {
        self.add.iter().map(|(c, _)| *c).collect()
    }

    /// The components that will be removed.
    pub(crate) fn removed(&self) -> Vec<ComponentId> {
        self.remove.clone()
    }

    /// Drops all values that are waiting.
    pub(crate) fn drop_all(self, panics: &mut Panics) {
        for (_, value) in self.add {
            panics.catch(|| drop(value));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }
}

impl Store {
    /// Whether a value is one of the component with this id; or which component it is of.
    pub(crate) fn check_value(
        &mut self,
        component: Option<ComponentId>,
        value: &DynValue,
    ) -> Result<ComponentId, DynRefusal> {
        let own = self.with_registry(|registry| value.register(registry));
        let Some(id) = component.or(own) else {
            unreachable!("bytes come with the id of a component");
        };
        let info = self.registry.info(id).ok_or(DynRefusal::Unknown(id))?;
        if value.fits(info) { Ok(id) } else { Err(DynRefusal::Mismatch(id, value.describe())) }
    }

    /// Makes what components that are about to be added to the changes of an entity (`None`: one to be spawned) require, and it will not have. Made now and
    /// not when the changes are applied, so that a chain of changes does what the changes would do one by one.
    pub(crate) fn make_required(
        &self,
        index: Option<u32>,
        added: &[ComponentId],
        changes: &Changes,
    ) -> Vec<(ComponentId, DynValue)> {
        let has = |component| index.is_some_and(|i| self.has(i, self.entities.location_at(i), component));
        let mut required = self.required(added);
        required.retain(|missing| !changes.leaves(missing.component, has(missing.component)));
        let make = |missing: Missing| {
            (missing.component, DynValue::made(self.registry.at(missing.component), &missing.constructor))
        };
        // If a constructor panics, drops of what was made before it must not panic as well.
        Waiting::collect(required.into_iter().map(make)).into_vec()
    }

    /// What tags among components that are about to be added to the changes of an entity (`None`: one to be spawned), or among what they require, will lack.
    pub(crate) fn lack_after(&self, index: Option<u32>, added: &[ComponentId], changes: &Changes) -> Option<Lack> {
        if !self.registry.has_dependencies() {
            return None;
        }
        let coming = self.with_required(added);
        let has = |component| index.is_some_and(|i| self.has(i, self.entities.location_at(i), component));
        let mut known = coming.clone();
        sort_by(&mut known, |a, b| a < b);
        self.lack_among(&coming, |c| known.binary_search(&c).is_ok() || changes.leaves(c, has(c)))
    }

    /// Gives a live entity what a component that it has requires and it lacks, before a new `value` of the component comes. If a constructor panics the
    /// value is dropped, and nothing has changed.
    pub(crate) fn bring_required<T>(&mut self, index: u32, component: ComponentId, value: T) -> T {
        if self.registry.at(component).requires.is_empty() {
            return value;
        }
        let (mut panics, mut done) = (Panics::default(), false);
        panics.catch(|| {
            let changes = Changes::adding(self.make_required(Some(index), &[component], &Changes::default()));
            if !changes.is_empty() {
                self.apply(index, changes);
            }
            done = true;
        });
        if !done {
            panics.catch(|| drop(value));
            panics.resume();
            unreachable!("a constructor panicked");
        }
        value
    }

    /// Applies changes to a live entity in one move.
    pub(crate) fn apply(&mut self, index: u32, changes: Changes) {
        let mut panics = Panics::default();
        self.apply_keeping(index, changes, &mut panics);
        panics.resume();
    }

    /// Looks for the values of shared components among those to be added. If comparing panics all are dropped, and the panic goes on: nothing has changed.
    fn seek_added(&mut self, add: Vec<(ComponentId, DynValue)>) -> (Vec<(ComponentId, DynValue)>, Vec<SharedValue>) {
        let (mut panics, mut values) = (Panics::default(), Vec::new());
        for (component, value) in &add {
            if self.registry.at(*component).is_shared() && !panics.any() {
                // SAFETY: the value is one of the component, as `check_value` found before it came into the changes.
                panics.catch(|| unsafe {
                    let number = self.pool_mut(*component).seek(value.as_ptr());
                    values.push(SharedValue { component: *component, number });
                });
            }
        }
        if panics.any() {
            Changes::adding(add).drop_all(&mut panics);
            panics.resume();
            unreachable!("comparing panicked");
        }
        (add, values)
    }

    /// [`Store::apply`] that keeps panics of drops. Those of comparing shared values go on: then nothing has changed.
    pub(crate) fn apply_keeping(&mut self, index: u32, changes: Changes, panics: &mut Panics) {
        assert!(self.entities.is_index_alive(index), "changes are made to the living");
        let Changes { add, remove, .. } = changes;
        let (add, values) = self.seek_added(add);
        let mut from = self.entities.location_at(index);
        let archetype = self.tables[from.table.index()].archetype();
        let rest = self.archetype_minus(archetype, &remove);
        let target = self.archetype_plus(rest, add.iter().map(|(c, _)| *c).collect(), &values);
        let table = self.archetypes[target.index()].table;
        self.tables[table.index()].reserve_one();
        self.reserve_sets(&add.iter().map(|(c, _)| *c).collect::<Vec<_>>());
        let comes_again =
            |(c, _): &(ComponentId, DynValue)| remove.contains(c) && self.archetypes[archetype.index()].has(*c);
        if add.iter().any(comes_again) {
            // What goes and comes again leaves its old value, and what is kept beside it, behind: that takes a move of its own.
            let table = self.archetypes[rest.index()].table;
            self.tables[table.index()].reserve_one();
            // SAFETY: the entity is alive and there; nothing arrives.
            from = unsafe { self.relocate(index, from, rest, panics) };
        }
        // SAFETY: the entity is alive and there; what arrives is written below, with only drops in between, which are caught.
        let to = unsafe { self.relocate(index, from, target, panics) };
        for component in &remove {
            if let StorageKind::Set(set) = self.registry.at(*component).kind {
                self.sets.remove(set, index, panics);
            }
        }
        for (component, value) in add {
            let present = self.archetypes[rest.index()].has(component);
            // SAFETY: the value fits the component, as `check_value` found before it came into the changes. `present` says whether the cell is initialised.
            unsafe { self.write_dyn(index, to, component, present, value, panics) };
        }
        self.shift(archetype, target, 1, panics);
    }

    /// Makes room for one more value of each of these components that is sparse.
    pub(super) fn reserve_sets(&mut self, components: &[ComponentId]) {
        for component in components {
            if let StorageKind::Set(set) = self.registry.at(*component).kind {
                self.sets.get_mut(set).reserve(1);
            }
        }
    }

    /// Spawns an entity and applies changes to it; if that panics, the entity is gone again.
    pub(crate) fn spawn_changed(&mut self, changes: Changes) -> Result<Entity, EntitiesFull> {
        let entity = match self.spawn(()) {
            Ok(entity) => entity,
            Err(SpawnRefusal::Full(full)) => return Err(full),
            Err(_) => unreachable!("nothing is no duplicate"),
        };
        let mut panics = Panics::default();
        let mut done = false;
        panics.catch(|| {
            self.apply(entity.index(), changes);
            done = true;
        });
        if !done {
            panics.catch(|| self.despawn(entity).expect("spawned just now"));
        }
        panics.resume();
        Ok(entity)
    }

    /// Moves a value into its place.
    ///
    /// # Safety
    /// 1. The value is one of the component.
    /// 2. The entity is at `to`, whose table has the component (if it is not sparse), initialised if `present`.
    /// 3. If the component is shared, the value was sought in its pool, and nothing else since.
    unsafe fn write_dyn(
        &mut self,
        index: u32,
        to: Location,
        component: ComponentId,
        present: bool,
        value: DynValue,
        panics: &mut Panics,
    ) {
        let info = self.registry.at(component);
        let (place, present, commit) = match info.kind {
            StorageKind::Shared(pool) => {
                // SAFETY: what was sought for this component; moved or dropped here, and forgotten.
                unsafe { self.pools.get_mut(pool).settle(value.as_ptr().cast_mut(), panics) };
                return value.forget_value();
            }
            StorageKind::Tag => (std::ptr::without_provenance_mut(info.align()), present, None),
            StorageKind::Column => {
                let table = &self.tables[to.table.index()];
                let column = table.map().column(component).expect("the target has what is added");
                // SAFETY: a column and a row of this table, by (2).
                (unsafe { table.cell(column, to.row.index()) }, present, None)
            }
            StorageKind::Set(set) => match self.sets.get(set).cell(index) {
                Some(cell) => (cell, true, None),
                None => (self.sets.prepare(set, index), false, Some(set)),
            },
        };
        if info.is_tracked() {
            match info.kind {
                StorageKind::Set(set) if present => self.sets.note_written(set, index, self.era.now()),
                StorageKind::Set(_) => {}
                StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => {
                    self.tables[to.table.index()].mark(component, to.row.index(), self.era.now());
                }
            }
        }
        if present && let Some(drop) = info.drop {
            // SAFETY: initialised, and written anew below.
            panics.catch(|| unsafe { drop(place, 1) });
        }
        // SAFETY: a place for a value of this component; the value fits by (1) and is forgotten below.
        unsafe { place.copy_from_nonoverlapping(value.as_ptr(), info.size()) };
        value.forget_value();
        if let Some(set) = commit {
            // SAFETY: prepared and written just now.
            unsafe { self.sets.commit(set, index, self.era.now()) };
        }
    }

    /// Where a component of a live entity is.
    pub(crate) fn cell_dyn(&self, index: u32, at: Location, component: ComponentId) -> Option<NonNull<u8>> {
        let info = self.registry.info(component)?;
        let table = &self.tables[at.table.index()];
        let place = match info.kind {
            StorageKind::Tag if table.map().contains(component) => Some(std::ptr::without_provenance_mut(info.align())),
            StorageKind::Tag => None,
            // SAFETY: a column and a row of this table.
            StorageKind::Column => table.map().column(component).map(|c| unsafe { table.cell(c, at.row.index()) }),
            StorageKind::Set(set) => self.sets.get(set).cell(index),
            // SAFETY: the place comes from the map of this table.
            StorageKind::Shared(_) => table.map().column(component).map(|c| unsafe { table.shared_cell(c).as_ptr() }),
        };
        place.and_then(NonNull::new)
    }

    /// Notes that a component of a live entity is about to be changed, if it is tracked.
    pub(crate) fn mark_dyn(&self, index: u32, at: Location, component: ComponentId) {
        let info = self.registry.at(component);
        if info.is_tracked() {
            self.mark_tracked(index, at, component);
        }
    }

    /// Notes that a tracked component of a live entity is about to be changed.
    #[inline]
    pub(crate) fn mark_tracked(&self, index: u32, at: Location, component: ComponentId) {
        let now = self.era.now();
        match self.set_of(component) {
            Some(set) => {
                let set = self.sets.get(set);
                if let (Some(side), Some(row)) = (set.side(), set.row(index)) {
                    side.mark(row, now);
                }
            }
            None => self.tables[at.table.index()].mark(component, at.row.index(), now),
        }
    }

    /// A component of an entity, by id.
    pub(crate) fn get_dyn(&self, entity: Entity, component: ComponentId) -> Option<DynRef<'_>> {
        let at = self.entities.locate(entity)?;
        let data = self.cell_dyn(entity.index(), at, component)?;
        // SAFETY: a valid value of that component, shared as long as the store is.
        Some(unsafe { DynRef::new(self.registry.at(component), data) })
    }

    /// What an entity is called, if it is alive and has a name.
    #[cold]
    pub(crate) fn name_of(&self, entity: Entity) -> Option<Name> {
        self.get_dyn(entity, self.registry.id_of::<Name>()?)?.downcast::<Name>().cloned()
    }

    /// A component of an entity, by id, to change. What is immutable is not handed out.
    pub(crate) fn get_dyn_mut(&mut self, entity: Entity, component: ComponentId) -> Option<DynRefMut<'_>> {
        let at = self.entities.locate(entity)?;
        let data = self.cell_dyn(entity.index(), at, component)?;
        if !self.registry.at(component).mutable {
            return None;
        }
        self.mark_dyn(entity.index(), at, component);
        // SAFETY: a valid value of that component; the store is borrowed exclusively.
        Some(unsafe { DynRefMut::new(self.registry.at(component), data) })
    }

    /// What a copy of an entity gets. What cannot be cloned is refused, or left out if `skip`.
    pub(crate) fn copied(&self, entity: Entity, skip: bool) -> Result<Vec<ComponentId>, CloneRefusal> {
        let at = self.locate(entity).map_err(CloneRefusal::Dead)?;
        let (left_out, copied): (Vec<_>, Vec<_>) =
            self.components_of(entity.index(), at).into_iter().partition(|c| self.registry.at(*c).left_out_of_clones);
        let (cloneable, mut not): (Vec<_>, Vec<_>) =
            copied.into_iter().partition(|c| self.registry.at(*c).is_cloneable());
        if !skip && !not.is_empty() {
            return Err(CloneRefusal::NotCloneable(not));
        }
        not.extend(left_out);
        // A tag stays behind with what it depends on.
        let not = self.with_dependents(&not);
        Ok(cloneable.into_iter().filter(|c| !not.contains(c)).collect())
    }

    /// Spawns a copy of an entity. What cannot be cloned is refused, or left out if `skip`.
    pub(crate) fn clone_entity(&mut self, entity: Entity, skip: bool) -> Result<Entity, CloneRefusal> {
        let cloneable = self.copied(entity, skip)?;
        // Before a table is made that would then stay empty.
        self.entities.check_room(1).map_err(CloneRefusal::Full)?;
        let at = self.locate(entity).map_err(CloneRefusal::Dead)?;
        let archetype = self.tables[at.table.index()].archetype();
        let values = self.archetypes[archetype.index()].values.clone();
        let target = self.archetype(cloneable.clone(), &values);
        let table = self.archetypes[target.index()].table;
        // Room comes before the id and the first clone: making it can panic.
        self.tables[table.index()].reserve_one();
        self.reserve_sets(&cloneable);
        let copy = self.entities.alloc().map_err(CloneRefusal::Full)?;
        let mut panics = Panics::default();
        if self.clone_values(entity.index(), at, copy.index(), target, &cloneable, &mut panics) {
            // SAFETY: there is room, and every column of the row was written.
            let row = unsafe { self.tables[table.index()].commit_row(copy.index()) };
            self.tables[table.index()].settle_sides(self.era.now());
            self.entities.set_location(copy.index(), Location { table, row });
            self.shift(ArchetypeId::EMPTY, target, 1, &mut panics);
            for component in cloneable {
                if let StorageKind::Set(set) = self.registry.at(component).kind {
                    // SAFETY: prepared and written by `clone_values`.
                    unsafe { self.sets.commit(set, copy.index(), self.era.now()) };
                }
            }
        } else {
            let _ = self.entities.free(copy);
        }
        panics.resume();
        Ok(copy)
    }

    /// Writes clones into a row that is not part of the table yet, and beside sparse sets; answers whether all succeeded.
    fn clone_values(
        &mut self,
        index: u32,
        at: Location,
        copy: u32,
        target: ArchetypeId,
        components: &[ComponentId],
        panics: &mut Panics,
    ) -> bool {
        let mut made: Vec<(*mut u8, &ComponentInfo)> = Vec::with_capacity(components.len());
        for &component in components {
            let info = self.registry.at(component);
            let place = match info.kind {
                // The copy has the same value.
                StorageKind::Shared(_) => continue,
                StorageKind::Set(set) => self.sets.prepare(set, copy),
                StorageKind::Tag => std::ptr::without_provenance_mut(info.align()),
                StorageKind::Column => {
                    let table = &self.tables[self.archetypes[target.index()].table.index()];
                    let column = table.map().column(component).expect("the target has it");
                    // SAFETY: a column of this table, which has room for one more row.
                    unsafe { table.cell(column, table.len()) }
                }
            };
            // After `prepare`, which may have moved the values of the set.
            let source = self.cell_dyn(index, at, component).expect("the entity has it").as_ptr();
            let mut done = false;
            panics.catch(|| {
                // SAFETY: `source` is a valid value of this component, `place` has room for one.
                unsafe {
                    match info.cloning {
                        Cloning::By(clone) => clone(source, place),
                        Cloning::Bytes | Cloning::Never => place.copy_from_nonoverlapping(source, info.size()),
                    }
                }
                done = true;
            });
            if !done {
                for (place, info) in made {
                    if let Some(drop) = info.drop {
                        // SAFETY: made above, and nobody knows of it.
                        panics.catch(|| unsafe { drop(place, 1) });
                    }
                }
                return false;
            }
            made.push((place, info));
        }
        true
    }
}
