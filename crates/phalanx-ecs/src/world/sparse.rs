//! One sparse component of a world, edited without looking anything up but the entity.

#![expect(unsafe_code, reason = "moves values in and out of a sparse set")]

use super::World;
use super::edit::list;
use crate::component::{Component, ComponentInfo, Storage, refuse_immutable};
use crate::entity::{Entities, Entity, Finder, NoSuchEntity};
use crate::outcome::Deaths;
use crate::storage::{SetEditor, Table, why_not};
use std::mem::ManuallyDrop;
use std::panic::Location;

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
    /// For those who want to know why somebody is not alive. Not a slice: that is one register more in the way of those who do not.
    tables: &'w Vec<Table>,
    deaths: &'w Deaths,
    finder: Finder<'w>,
    editor: SetEditor<'w, T>,
}

/// # Many edits of one sparse component
impl World {
    /// The values of one sparse component, to insert and remove many times. For components with table storage the build stops.
    ///
    /// A loop over [`World::insert`] looks the component up for each entity; this does it once.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    ///
    /// let orcs = world.spawn_batch([(), (), ()]);
    /// let mut burning = world.sparse_mut::<Burning>();
    /// for orc in &orcs {
    ///     burning.insert(orc, Burning(2.0))?;
    /// }
    /// assert_eq!(world.query::<&Burning>().count(), 3);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Panics
    /// If the component requires others, which would be left out, is observed, which nobody would be told, or has tags that [depend](Component::depend) on it, which
    /// would stay. Use [`World::insert`] and [`World::remove`] then.
    #[inline]
    #[track_caller]
    pub fn sparse_mut<T: Component>(&mut self) -> SparseMut<'_, T> {
        const { refuse_tables(T::STORAGE) };
        const { refuse_sides(T::TRACK || T::TOGGLE) };
        let id = self.store.register::<T>();
        if !self.store.registry.at(id).watch.is_empty() {
            self.forget_idle_logs();
        }
        let info = self.store.registry.at(id);
        if !info.requires.is_empty() {
            self.refuse_requirements(info);
        }
        if !info.watch.is_empty() {
            self.refuse_observers(info);
        }
        if !info.dependents.is_empty() {
            self.refuse_dependents(info);
        }
        let set = self.store.set_of(id).expect("a sparse component has a set");
        let entities = &self.store.entities;
        // SAFETY: the set of `T`.
        let editor = unsafe { SetEditor::new(&mut self.store.sets, set, entities.issued()) };
        SparseMut { entities, tables: &self.store.tables, deaths: &self.deaths, finder: entities.finder(), editor }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    #[expect(clippy::unused_self, reason = "the twin of `refuse_requirements`")]
    fn refuse_observers(&self, info: &ComponentInfo) -> ! {
        let caller = Location::caller();
        panic!(
            "error[O003]: component `{}` is observed, and `sparse_mut` would not tell its observers\n  asked by: {}:{}\n  help: use `world.insert` and `world.remove`, which do",
            info.name(),
            caller.file(),
            caller.line()
        );
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse_dependents(&self, info: &ComponentInfo) -> ! {
        let tags: Vec<String> = info.dependents.iter().map(|tag| self.store.registry.name_of(*tag).into()).collect();
        let caller = Location::caller();
        panic!(
            "error[C016]: tags depend on component `{}`, and `sparse_mut` would leave them behind\n  tags: {}\n  asked by: {}:{}\n  help: use `world.insert` and `world.remove`, which takes them along",
            info.name(),
            list(&tags),
            caller.file(),
            caller.line()
        );
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse_requirements(&self, info: &ComponentInfo) -> ! {
        let required: Vec<String> =
            info.requires.iter().map(|(component, _)| self.store.registry.name_of(*component).into()).collect();
        let caller = Location::caller();
        panic!(
            "error[C009]: component `{}` requires others, which `sparse_mut` would leave out\n  required: {}\n  asked by: {}:{}\n  help: use `world.insert`, which brings them along",
            info.name(),
            list(&required),
            caller.file(),
            caller.line()
        );
    }
}

/// Stops the build for components that keep something beside their values.
#[track_caller]
const fn refuse_sides(sides: bool) {
    assert!(
        !sides,
        "`sparse_mut` is for components that are neither tracked nor toggled: use `world.insert` and `world.remove`"
    );
}

/// Stops the build if a component is not kept in a sparse set.
#[track_caller]
const fn refuse_tables(storage: Storage) {
    assert!(
        matches!(storage, Storage::Sparse),
        "`sparse_mut` is for sparse components: add `#[component(storage = \"sparse\")]`, or use `insert` and `remove`"
    );
}

/// Why an entity is not alive. Not a method: whoever gets a reference to all of a [`SparseMut`] keeps its parts from staying in registers.
#[cold]
#[inline(never)]
fn refuse(
    (entities, tables, deaths): (&Entities, &[Table], &Deaths),
    entity: Entity,
    caller: &'static Location<'static>,
) -> NoSuchEntity {
    deaths.explain(&why_not(entities, tables, entity), caller)
}

impl<T: Component> SparseMut<'_, T> {
    /// Inserts a value, in place of an older one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// let orc = world.spawn(());
    /// let mut burning = world.sparse_mut::<Burning>();
    /// burning.insert(orc, Burning(2.0))?;
    /// burning.insert(orc, Burning(3.0))?;
    /// assert_eq!(burning.get(orc).unwrap().0, 3.0);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if the entity is not alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn insert(&mut self, entity: Entity, value: T) -> Result<(), NoSuchEntity> {
        if !self.finder.is_alive(entity) {
            let dead = refuse((self.entities, self.tables, self.deaths), entity, Location::caller());
            // Before what is returned is in its place, where it would be lost if this panicked.
            drop(value);
            return Err(dead);
        }
        let mut value = ManuallyDrop::new(value);
        // SAFETY: the entity is alive; the value is not used again.
        unsafe { self.editor.insert(entity.index(), &raw mut *value) };
        Ok(())
    }

    /// Removes a value and hands it back; `None` if the entity is not alive or has none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// let orc = world.spawn(Burning(2.0));
    /// let mut burning = world.sparse_mut::<Burning>();
    /// assert_eq!(burning.remove(orc).unwrap().0, 2.0);
    /// assert!(burning.remove(orc).is_none());
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn remove(&mut self, entity: Entity) -> Option<T> {
        if !self.finder.is_alive(entity) {
            return None;
        }
        // SAFETY: the entity is alive.
        unsafe { self.editor.remove(entity.index()) }
    }

    /// A value; `None` if the entity is not alive or has none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// let [orc, stone] = [world.spawn(Burning(2.0)), world.spawn(())];
    /// let burning = world.sparse_mut::<Burning>();
    /// assert_eq!(burning.get(orc).unwrap().0, 2.0);
    /// assert!(burning.get(stone).is_none());
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, entity: Entity) -> Option<&T> {
        self.cell(entity).map(|cell| {
            // SAFETY: the cell of a `T`, shared with `self`.
            unsafe { &*cell }
        })
    }

    /// A value, to change; `None` if the entity is not alive or has none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// let orc = world.spawn(Burning(2.0));
    /// world.sparse_mut::<Burning>().get_mut(orc).unwrap().0 -= 1.0;
    /// assert_eq!(world.get::<Burning>(orc).unwrap().0, 1.0);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.cell(entity).map(|cell| {
            // SAFETY: the cell of a `T`, exclusive with `self`.
            unsafe { &mut *cell }
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cell(&self, entity: Entity) -> Option<*mut T> {
        if !self.finder.is_alive(entity) {
            return None;
        }
        self.editor.cell(entity.index())
    }

    /// How many entities have the component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// world.spawn_batch([2.0, 3.0].map(Burning));
    /// assert_eq!(world.sparse_mut::<Burning>().len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.editor.set().len()
    }

    /// Whether no entity has it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    /// assert!(world.sparse_mut::<Burning>().is_empty());
    /// world.spawn(Burning(2.0));
    /// assert!(!world.sparse_mut::<Burning>().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
