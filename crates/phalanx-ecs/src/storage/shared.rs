//! Shared values that come with a bundle, and editing them for all entities that have them.
//!
//! ```text
//! (Position, Red)  +  entity in {Position}      1. seek    Red is value 4 of its pool, or will be
//!                                               2. edge    from {Position} to {Position, Material = 4}, cached for the bundle with this value
//!                                               3. move and write, as for any bundle; the value settles in its pool
//! ```
//!
//! Only the first step runs somebody's code (`Hash`, `Eq`), and it changes nothing.

#![expect(unsafe_code, reason = "looks at the parts of bundles, and moves them into boxes and pools")]

use super::archetype::{ArchetypeId, SharedValue};
use super::bundles::{BundleId, DuplicateInBundle, EdgeId, Way};
use super::dynamic::Changes;
use super::pool::{Pools, pool_of};
use super::store::Store;
use crate::bundle::{BundleParts, PartVisitor};
use crate::component::{Component, ComponentId, ComponentInfo, DynRefMut, DynValue, Panics, Registry, Storage};
use crate::entity::{Entity, Location};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Looks for the slots of the shared parts of a bundle, and lists their numbers. Moves nothing.
struct SeekParts<'a> {
    components: &'a [ComponentId],
    next: usize,
    registry: &'a Registry,
    pools: &'a mut Pools,
    key: &'a mut Vec<u32>,
}

impl PartVisitor for SeekParts<'_> {
    #[inline]
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        if T::STORAGE == Storage::Shared {
            let pool = self.pools.get_mut(pool_of(self.registry, self.components[self.next]));
            // SAFETY: the pool of `T`; the value is valid, and stays where it is.
            self.key.push(unsafe { pool.seek(value.cast()) });
        }
        self.next += 1;
    }
}

/// Moves shared parts that were sought into their pools. Made for bundles without other parts.
struct SettleParts<'a> {
    components: &'a [ComponentId],
    next: usize,
    registry: &'a Registry,
    pools: &'a mut Pools,
    panics: &'a mut Panics,
}

impl PartVisitor for SettleParts<'_> {
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        let pool = self.pools.get_mut(pool_of(self.registry, self.components[self.next]));
        self.next += 1;
        // SAFETY: the pool of `T`; the value is what was sought, and ours to move.
        unsafe { pool.settle(value.cast(), self.panics) };
    }
}

/// Moves the parts of a bundle into boxes.
struct BoxParts<'a> {
    components: &'a [ComponentId],
    boxes: Vec<(ComponentId, DynValue)>,
}

impl PartVisitor for BoxParts<'_> {
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        let component = self.components[self.boxes.len()];
        // SAFETY: the value is ours to move.
        self.boxes.push((component, DynValue::new(unsafe { value.read() })));
    }
}

impl Store {
    /// Whether where a bundle leads depends on values of its shared parts, or of what it requires.
    pub(crate) fn goes_by_value<P: BundleParts>(&mut self) -> Result<bool, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        Ok(self.bundles.way(bundle) != Way::Typed)
    }

    /// Whether a bundle has nothing but shared parts, and requires nothing.
    pub(crate) fn is_all_shared<P: BundleParts>(&mut self) -> Result<bool, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        let components = self.bundles.components(bundle);
        let plain = |component: &ComponentId| {
            let info = self.registry.at(*component);
            info.is_shared() && info.requires.is_empty()
        };
        Ok(!components.is_empty() && components.iter().all(plain))
    }

    /// Looks for the values of the shared parts of a bundle; answers the bundle with these values. If comparing panics the parts are dropped, and the panic
    /// goes on: nothing has changed.
    fn seek_parts<P: BundleParts>(&mut self, bundle: BundleId, parts: P) -> (BundleId, P) {
        let mut parts = ManuallyDrop::new(parts);
        let (mut panics, mut found) = (Panics::default(), None);
        let mut key = std::mem::take(&mut self.bundles.key);
        panics.catch(|| {
            key.clear();
            key.push(bundle.0);
            let (components, registry) = (self.bundles.components(bundle), &self.registry);
            let mut seek = SeekParts { components, next: 0, registry, pools: &mut self.pools, key: &mut key };
            // SAFETY: the parts are valid, and stay where they are.
            unsafe { P::each_part(&raw mut *parts, &mut seek) };
            found = Some(self.bundles.valued(&key, &self.registry));
        });
        self.bundles.key = key;
        let parts = ManuallyDrop::into_inner(parts);
        match found {
            Some(valued) => (valued, parts),
            None => {
                panics.catch(|| drop(parts));
                panics.resume();
                unreachable!("comparing panicked");
            }
        }
    }

    /// The parts of a bundle and what it requires on an entity (`None`: one to be spawned), as changes. If making that panics the parts are dropped, and the
    /// panic goes on.
    fn with_made<P: BundleParts>(&mut self, bundle: BundleId, index: Option<u32>, parts: P) -> Changes {
        let (mut panics, mut made) = (Panics::default(), None);
        let components = self.bundles.components(bundle);
        panics.catch(|| made = Some(self.make_required(index, components, &Changes::default())));
        let Some(made) = made else {
            panics.catch(|| drop(parts));
            panics.resume();
            unreachable!("a constructor panicked");
        };
        let mut parts = ManuallyDrop::new(parts);
        let mut collect = BoxParts { components, boxes: Vec::with_capacity(P::COUNT + made.len()) };
        // SAFETY: the parts are valid, and nobody uses them again.
        unsafe { P::each_part(&raw mut *parts, &mut collect) };
        collect.boxes.extend(made);
        Changes::adding(collect.boxes)
    }

    /// Inserts a bundle where it leads depends on values. Panics of drops are kept; others go on, and nothing was inserted.
    pub(super) fn insert_by_value<P: BundleParts>(
        &mut self,
        bundle: BundleId,
        index: u32,
        from: Location,
        parts: P,
        panics: &mut Panics,
    ) {
        // Known at compile time for bundles without shared parts: so the rest is not compiled for them.
        if !P::SHARED || self.bundles.way(bundle) == Way::Made {
            let changes = self.with_made(bundle, Some(index), parts);
            self.apply_keeping(index, changes, panics);
            return;
        }
        let archetype = self.tables[from.table.index()].archetype();
        let (bundle, parts) = self.seek_parts(bundle, parts);
        let edge = self.insert_edge(from.table, bundle);
        let target = self.bundles.edge(edge).target;
        self.insert_along(edge, index, from, parts, panics);
        self.shift(archetype, target, 1, panics);
    }

    /// Gives a new entity its row, where that depends on values. Keeps panics of drops; if something else panics the entity is gone again.
    pub(super) fn spawn_by_value<P: BundleParts>(
        &mut self,
        bundle: BundleId,
        entity: Entity,
        parts: P,
        kept: &mut Panics,
    ) {
        let mut panics = Panics::default();
        if !P::SHARED || self.bundles.way(bundle) == Way::Made {
            let mut changes = None;
            panics.catch(|| {
                let table = self.nothing();
                self.tables[table.index()].reserve_one();
                changes = Some(self.with_made(bundle, None, parts));
            });
            return match changes {
                Some(changes) => self.spawn_from_nothing(entity, changes, kept),
                None => self.undo_spawn(entity, panics),
            };
        }
        let mut sought: Option<(EdgeId, P)> = None;
        panics.catch(|| {
            let (bundle, parts) = self.seek_parts(bundle, parts);
            let edge = self.insert_edge(self.nothing(), bundle);
            sought = Some((edge, parts));
        });
        let Some((edge, parts)) = sought else { return self.undo_spawn(entity, panics) };
        let (target, table) = (self.bundles.edge(edge).target, self.bundles.edge(edge).target_table);
        panics.catch(|| self.tables[table.index()].reserve_one());
        if panics.any() {
            panics.catch(|| drop(parts));
            return self.undo_spawn(entity, panics);
        }
        self.spawn_at(edge, entity, parts, kept);
        self.shift(ArchetypeId::EMPTY, target, 1, kept);
    }

    /// Takes back the id of an entity that has no row, and lets the panic go on that kept it from getting one.
    #[cold]
    fn undo_spawn(&mut self, entity: Entity, panics: Panics) {
        // The id was never seen by anybody.
        let _ = self.entities.free(entity);
        panics.resume();
        unreachable!("something panicked");
    }

    /// Gives a new entity a row without components, for which there is room, and then makes changes to it. Keeps panics of drops.
    fn spawn_from_nothing(&mut self, entity: Entity, changes: Changes, kept: &mut Panics) {
        let (table, mut panics, mut done) = (self.nothing(), Panics::default(), false);
        // SAFETY: there is room, and there are no values to write.
        let row = unsafe { self.tables[table.index()].commit_row(entity.index()) };
        self.entities.set_location(entity.index(), Location { table, row });
        panics.catch(|| {
            self.apply_keeping(entity.index(), changes, kept);
            done = true;
        });
        if !done {
            panics.catch(|| self.despawn(entity).expect("spawned just now"));
        }
        panics.resume();
    }

    /// Inserts a bundle of nothing but shared parts into all entities of an archetype, which move together. Panics of drops are kept.
    pub(crate) fn share_with_all<P: BundleParts>(&mut self, archetype: ArchetypeId, parts: P, panics: &mut Panics) {
        let Ok(bundle) = self.bundle::<P>() else { unreachable!("asked about before") };
        let table = self.archetypes[archetype.index()].table;
        self.collect_table(table, panics);
        let rows = self.tables[table.index()].len();
        if rows == 0 {
            panics.catch(|| drop(parts));
            return;
        }
        let (valued, parts) = self.seek_parts(bundle, parts);
        let edge = self.insert_edge(table, valued);
        let target = self.bundles.edge(edge).target;
        if target != archetype {
            let mut full = Panics::default();
            full.catch(|| self.reserve_for_all(archetype, target));
            if full.any() {
                full.catch(|| drop(parts));
                return full.resume();
            }
            // SAFETY: nothing arrives but shared values, which are in no column; room was made.
            let left = unsafe { self.move_all(archetype, target, Vec::new()) };
            debug_assert!(left.is_empty(), "the target has all components of the source");
        }
        let mut parts = ManuallyDrop::new(parts);
        let (components, registry) = (self.bundles.components(bundle), &self.registry);
        let mut settle = SettleParts { components, next: 0, registry, pools: &mut self.pools, panics: &mut *panics };
        // SAFETY: the parts are valid, and nobody uses them again; all are shared and were sought just now.
        unsafe { P::each_part(&raw mut *parts, &mut settle) };
        self.shift(archetype, target, rows, panics);
    }

    /// Edits the value that the entities of an archetype have of a shared component, for all entities that have it. If it is then equal to another one, these
    /// entities join those that have that one; answers whether they did. Panics are kept: of `edit`, after which the value is what it made of it; and of
    /// comparing, after which no equal value is found for it until it is edited again.
    pub(crate) fn edit_shared<T: Component>(
        &mut self,
        archetype: ArchetypeId,
        component: ComponentId,
        edit: impl FnOnce(&mut T),
        panics: &mut Panics,
    ) -> bool {
        assert_eq!(self.registry.id_of::<T>(), Some(component));
        let mut edit = Some(edit);
        let mut edit = |_: &ComponentInfo, value: NonNull<u8>| {
            let edit = edit.take().expect("called once");
            // SAFETY: a value of `T`; the store is borrowed exclusively.
            edit(unsafe { value.cast().as_mut() });
        };
        self.edit_erased(archetype, component, &mut edit, panics)
    }

    /// [`Store::edit_shared`] of a component by its id.
    pub(crate) fn edit_shared_dyn(
        &mut self,
        archetype: ArchetypeId,
        component: ComponentId,
        edit: &mut dyn FnMut(DynRefMut<'_>),
        panics: &mut Panics,
    ) -> bool {
        let mut edit = |info: &ComponentInfo, value: NonNull<u8>| {
            // SAFETY: a value of the component with this description; the store is borrowed exclusively.
            edit(unsafe { DynRefMut::new(info, value) });
        };
        self.edit_erased(archetype, component, &mut edit, panics)
    }

    fn edit_erased(
        &mut self,
        archetype: ArchetypeId,
        component: ComponentId,
        edit: &mut dyn FnMut(&ComponentInfo, NonNull<u8>),
        panics: &mut Panics,
    ) -> bool {
        let number = self.archetypes[archetype.index()].value_of(component).expect("a shared component it has");
        let pool = self.pool_mut(component);
        pool.unlist(number);
        let value = pool.cell(number);
        panics.catch(|| edit(self.registry.at(component), value));
        let mut other = None;
        panics.catch(|| other = self.pool_mut(component).relist(number));
        let Some(other) = other else { return false };
        self.merge(component, number, other, panics);
        true
    }

    /// All values of a shared component that living entities have, in the order of their numbers, with how many have it.
    pub(crate) fn shared_values<T: Component>(&self) -> impl Iterator<Item = (&T, usize)> {
        let pool = self.registry.id_of::<T>().map(|id| self.pool(id));
        let numbers = pool.into_iter().flat_map(|pool| pool.numbers().map(move |number| (pool, number)));
        numbers.filter_map(|(pool, number)| {
            let tables = pool.archetypes(number).iter().map(|archetype| self.table_of(*archetype));
            let entities: usize = tables.map(|table| table.len() - table.dead().ones()).sum();
            // SAFETY: a slot of the pool of `T` that has a value; the store is borrowed as long as it.
            (entities > 0).then(|| (unsafe { pool.cell(number).cast().as_ref() }, entities))
        })
    }

    /// All entities with one value of a shared component get another one.
    fn merge(&mut self, component: ComponentId, number: u32, other: u32, panics: &mut Panics) {
        let archetypes = self.pool(component).archetypes(number).to_vec();
        let mut moves = Vec::new();
        for from in archetypes {
            self.collect_table(self.archetypes[from.index()].table, panics);
            if self.has_rows(from) {
                let to = self.archetype_plus(from, Vec::new(), &[SharedValue { component, number: other }]);
                // All the room is made before the first row moves: that can panic.
                self.reserve_for_all(from, to);
                moves.push((from, to, self.table_of(from).len()));
            }
        }
        for &(from, to, _) in &moves {
            // SAFETY: nothing arrives, and room was made.
            let left = unsafe { self.move_all(from, to, Vec::new()) };
            debug_assert!(left.is_empty(), "both have the same components");
        }
        for (from, to, rows) in moves {
            self.shift(from, to, rows, panics);
        }
    }
}
