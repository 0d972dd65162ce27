//! One sparse component of a world, edited without looking anything up but the entity.

#![expect(unsafe_code, reason = "moves values in and out of a sparse set")]

use super::World;
use crate::component::{Component, Panics, SetId, Storage};
use crate::entity::{Entities, Entity, NoSuchEntity};
use crate::storage::SparseSets;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// The values of one sparse component: the fastest way to insert and remove it many times.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Burning { seconds: f32 }
///
/// let mut world = World::new();
/// let trees = world.spawn_batch((0..10).map(|_| ()));
/// let mut burning = world.sparse_mut::<Burning>();
/// for tree in &trees {
///     burning.insert(tree, Burning { seconds: 2.0 })?;
/// }
/// let first = trees.get(0).unwrap();
/// assert_eq!(burning.remove(first).unwrap().seconds, 2.0);
/// assert_eq!(burning.len(), 9);
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
pub struct SparseMut<'w, T> {
    entities: &'w Entities,
    sets: &'w mut SparseSets,
    set: SetId,
    _component: PhantomData<&'w mut T>,
}

impl World {
    /// The values of one sparse component, to insert and remove many times. For components with table storage the build stops.
    ///
    /// # Panics
    /// If the component requires others: those would be left out. Use [`World::insert`] then.
    pub fn sparse_mut<T: Component>(&mut self) -> SparseMut<'_, T> {
        const {
            assert!(
                matches!(T::STORAGE, Storage::Sparse),
                "`sparse_mut` is for sparse components: add `#[component(storage = \"sparse\")]`, or use `insert` and `remove`"
            );
        }
        let id = self.store.register::<T>();
        let info = self.store.registry.at(id);
        assert!(
            info.requires.is_empty(),
            "error[C009]: `{}` requires other components, which `sparse_mut` would leave out\n  help: use `world.insert`",
            info.name()
        );
        let set = self.store.set_of(id).expect("a sparse component has a set");
        SparseMut { entities: &self.store.entities, sets: &mut self.store.sets, set, _component: PhantomData }
    }
}

impl<T: Component> SparseMut<'_, T> {
    /// Inserts a value, in place of an older one.
    ///
    /// # Errors
    /// [`NoSuchEntity`] if the entity is not alive.
    #[inline(always)]
    pub fn insert(&mut self, entity: Entity, value: T) -> Result<(), NoSuchEntity> {
        if !self.entities.is_alive(entity) {
            return Err(self.entities.why(entity));
        }
        let mut value = ManuallyDrop::new(value);
        let mut panics = Panics::default();
        // SAFETY: the set is that of `T`; the value is not used again.
        unsafe { self.sets.insert::<T>(self.set, entity.index(), &raw mut *value, &mut panics) };
        panics.resume();
        Ok(())
    }

    /// Removes a value and hands it back; `None` if the entity is not alive or has none.
    #[inline(always)]
    pub fn remove(&mut self, entity: Entity) -> Option<T> {
        if !self.entities.is_alive(entity) {
            return None;
        }
        let mut value = None;
        // SAFETY: the cell holds a `T`, which leaves the set.
        self.sets.take(self.set, entity.index(), |cell| value = Some(unsafe { cell.cast::<T>().read() }));
        value
    }

    /// A value; `None` if the entity is not alive or has none.
    #[inline(always)]
    pub fn get(&self, entity: Entity) -> Option<&T> {
        self.cell(entity).map(|cell| {
            // SAFETY: the cell of a `T`, shared with `self`.
            unsafe { &*cell }
        })
    }

    /// A value, to change; `None` if the entity is not alive or has none.
    #[inline(always)]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        self.cell(entity).map(|cell| {
            // SAFETY: the cell of a `T`, exclusive with `self`.
            unsafe { &mut *cell }
        })
    }

    #[inline(always)]
    fn cell(&self, entity: Entity) -> Option<*mut T> {
        if !self.entities.is_alive(entity) {
            return None;
        }
        self.sets.get(self.set).cell(entity.index()).map(<*mut u8>::cast)
    }

    /// How many entities have the component.
    pub fn len(&self) -> usize {
        self.sets.get(self.set).len()
    }

    /// Whether no entity has it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
