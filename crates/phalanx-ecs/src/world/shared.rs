//! Values that many entities have in common.

use super::World;
use super::dynamic::DynError;
use super::lookup::LookupError;
use crate::component::{ComponentId, DynRefMut, Panics, Shared, Storage};
use crate::entity::Entity;
use crate::storage::ArchetypeId;
use std::panic::Location;

/// What became of a shared value that was edited; see [`World::edit_shared`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::SharedEdit;
///
/// #[derive(Component, PartialEq, Eq, Hash)] #[component(shared)] struct Team(u8);
///
/// let mut world = World::new();
/// let [orc, elf] = [world.spawn(Team(1)), world.spawn(Team(2))];
/// assert_eq!(world.edit_shared::<Team>(orc, |team| team.0 = 3)?, SharedEdit::Apart);
/// assert_eq!(world.edit_shared::<Team>(orc, |team| team.0 = 2)?, SharedEdit::Merged);
/// assert!(std::ptr::eq(world.get::<Team>(orc).unwrap(), world.get::<Team>(elf).unwrap()));
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedEdit {
    /// No other value is equal to it.
    Apart,
    /// It is equal to another value now: its entities and those that had the other one have the same.
    Merged,
}

/// Stops the build if somebody has said by hand that a component is shared.
#[track_caller]
pub(crate) const fn refuse_unshared(storage: Storage) {
    assert!(
        matches!(storage, Storage::Shared),
        "a shared component says so by `#[component(shared)]`, and not by hand"
    );
}

/// # Shared values
impl World {
    /// Edits the value that an entity has of a [shared](Shared) component, for all entities that have it. However many these are it costs the same, unless
    /// the value is then equal to another one: in that case they join those that have that one, table by table.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::SharedEdit;
    ///
    /// #[derive(Component, PartialEq, Eq, Hash, Debug)]
    /// #[component(shared)]
    /// struct Team { name: &'static str }
    ///
    /// let mut world = World::new();
    /// let reds = world.spawn_batch((0..100).map(|_| Team { name: "red" }));
    /// let blue = world.spawn(Team { name: "blue" });
    ///
    /// assert_eq!(world.edit_shared::<Team>(reds[0], |team| team.name = "pink")?, SharedEdit::Apart);
    /// assert_eq!(world.get::<Team>(reds[99]).unwrap().name, "pink");
    /// assert_eq!(world.edit_shared::<Team>(reds[0], |team| team.name = "blue")?, SharedEdit::Merged);
    /// assert_eq!(world.shared_values::<Team>().collect::<Vec<_>>(), [(world.get::<Team>(blue).unwrap(), 101)]);
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// No observers are called, as with `get_mut` of other components.
    ///
    /// If `edit` panics, what it has done to the value by then stays. If `Hash` or `Eq` of the value panics, it stays as it is with its entities, and no
    /// equal value is found for it until it is edited again. The panic goes on in both cases.
    ///
    /// # Errors
    /// [`LookupError`] if the entity is not alive or does not have the component.
    #[track_caller]
    pub fn edit_shared<T: Shared>(
        &mut self,
        entity: Entity,
        edit: impl FnOnce(&mut T),
    ) -> Result<SharedEdit, LookupError> {
        const { refuse_unshared(T::STORAGE) };
        self.edit_shared_for(entity, edit, Location::caller())
    }

    /// [`World::edit_shared`], with whom to name.
    pub(crate) fn edit_shared_for<T: Shared>(
        &mut self,
        entity: Entity,
        edit: impl FnOnce(&mut T),
        caller: &'static Location<'static>,
    ) -> Result<SharedEdit, LookupError> {
        if !self.has::<T>(entity) {
            return Err(self.missing::<T>(entity, (false, true), caller));
        }
        let (Some(at), Some(id)) = (self.store.entities.locate(entity), self.store.registry.id_of::<T>()) else {
            unreachable!("it was there");
        };
        let archetype = self.store.tables[at.table.index()].archetype();
        let mut panics = Panics::default();
        let merged = self.store.edit_shared(archetype, id, edit, &mut panics);
        panics.resume();
        Ok(if merged { SharedEdit::Merged } else { SharedEdit::Apart })
    }

    /// Edits the value that an entity has of a shared component, known by its id, for all entities that have it; as [`World::edit_shared`] does.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{ComponentLayout, DynValue, SharedEdit, Storage};
    ///
    /// let mut world = World::new();
    /// let paint = world.register_dyn(ComponentLayout::new("Paint").size(1).storage(Storage::Shared))?;
    /// let walls = world.spawn_batch([(), ()]).to_vec();
    /// for wall in &walls {
    ///     world.insert_dyn(*wall, paint, DynValue::bytes(&[7]))?;
    /// }
    /// let edited = world.edit_shared_dyn(walls[0], paint, |value| value.bytes().unwrap()[0] = 8)?;
    /// assert_eq!(edited, SharedEdit::Apart);
    /// assert_eq!(world.get_dyn(walls[1], paint).unwrap().bytes(), Some(&[8][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the entity is not alive or lacks it, the id is unknown, or the component is not shared.
    #[track_caller]
    pub fn edit_shared_dyn(
        &mut self,
        entity: Entity,
        component: ComponentId,
        edit: impl FnOnce(DynRefMut<'_>),
    ) -> Result<SharedEdit, DynError> {
        let archetype = self.archetype_to_edit(entity, component, Location::caller())?;
        let (mut edit, mut panics) = (Some(edit), Panics::default());
        let mut edit = |value: DynRefMut<'_>| edit.take().expect("called once")(value);
        let merged = self.store.edit_shared_dyn(archetype, component, &mut edit, &mut panics);
        panics.resume();
        Ok(if merged { SharedEdit::Merged } else { SharedEdit::Apart })
    }

    /// Where an entity is that has a shared component, by id.
    fn archetype_to_edit(
        &self,
        entity: Entity,
        component: ComponentId,
        caller: &'static Location<'static>,
    ) -> Result<ArchetypeId, DynError> {
        if let Some(info) = self.store.registry.info(component)
            && !info.is_shared()
            && self.is_alive(entity)
        {
            // Before it is missed: to insert it would not help.
            return Err(DynError::NotShared { component: info.name().into(), immutable: !info.is_mutable(), caller });
        }
        let at = self.locate_with(entity, component, caller)?;
        Ok(self.store.tables[at.table.index()].archetype())
    }

    /// All values of a [shared](Shared) component, with how many entities have each.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, PartialEq, Eq, Hash)]
    /// #[component(shared)]
    /// struct Mesh(&'static str);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch(["rock", "tree", "rock"].map(Mesh));
    /// let counts: Vec<_> = world.shared_values::<Mesh>().map(|(mesh, count)| (mesh.0, count)).collect();
    /// assert_eq!(counts, [("rock", 2), ("tree", 1)]);
    /// ```
    pub fn shared_values<T: Shared>(&self) -> impl Iterator<Item = (&T, usize)> {
        const { refuse_unshared(T::STORAGE) };
        self.store.shared_values()
    }
}
