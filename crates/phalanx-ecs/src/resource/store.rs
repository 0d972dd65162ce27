//! [`Resources`]: the values, and the ticks of what happened to them.
//!
//! ```text
//! ids    TypeId of Gravity → 0, of Score → 1
//! slots  [ Gravity  value      added 1  changed 5  removed -
//!        | Score    (nothing)  added 2  changed 3  removed 4 ]
//! ```
//! A slot stays when its value is removed: readers must be able to learn of that.

use super::{ResMut, Resource};
use crate::cell::Lendable;
use crate::component::{Folder, Panics, Schema, TypeMap, short_name};
use crate::tick::{Clock, Tick};
use std::any::{Any, TypeId, type_name};
use std::marker::PhantomData;

/// The resources of one world.
#[derive(Default)]
pub(crate) struct Resources {
    /// Nothing until the first resource comes, so that worlds without any pay nothing.
    ids: Option<TypeMap>,
    /// In the order in which the types were first named.
    slots: Vec<Slot>,
}

struct Slot {
    name: Box<str>,
    /// Bytes of the value.
    size: usize,
    /// Whether there is a value; said here too, because it may be asked while the value is lent.
    there: bool,
    counting: Counting,
    held: Lendable<Held>,
}

/// How a resource counts in checksums.
#[derive(Clone, Copy)]
pub(crate) struct Counting {
    /// The full name of its type.
    pub(crate) name: &'static str,
    /// Whether it counts at all.
    counts: bool,
    /// What it is made of.
    pub(crate) schema: fn() -> Schema,
    fold: fn(&dyn Any, &mut Folder),
}

impl Counting {
    fn of<R: Resource>() -> Self {
        Self {
            name: type_name::<R>(),
            counts: R::CHECKSUM,
            schema: || Schema::made_of::<R>(R::describe_resource),
            fold: |value, folder| {
                value.downcast_ref::<R>().expect("a slot holds values of its type").fold_resource(folder);
            },
        }
    }
}

/// A resource, or the place where it was, with its ticks.
#[derive(Default)]
pub(crate) struct Held {
    /// Of the type that `ids` leads from.
    value: Option<Box<dyn Any + Send + Sync>>,
    ticks: Ticks,
}

impl Held {
    #[inline]
    pub(crate) fn get<R: Resource>(&self) -> Option<&R> {
        self.value.as_deref().map(|value| value.downcast_ref().expect("a slot holds values of its type"))
    }

    #[inline]
    pub(crate) fn get_mut<'w, R: Resource>(&'w mut self, clock: &'w mut Clock) -> Option<ResMut<'w, R>> {
        let value = self.value.as_deref_mut()?.downcast_mut();
        Some(ResMut::new(value.expect("a slot holds values of its type"), &mut self.ticks.changed, clock))
    }
}

/// Where a resource is that is there.
pub(crate) struct Found<R> {
    index: usize,
    _resource: PhantomData<fn() -> R>,
}

/// When a resource came, changed and went, at last; the start for never.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ticks {
    pub(crate) added: Tick,
    /// Not before `added`.
    pub(crate) changed: Tick,
    pub(crate) removed: Tick,
}

impl Ticks {
    /// Whether the resource came and has not gone since.
    pub(crate) fn is_there(&self) -> bool {
        self.added > self.removed
    }

    /// Whether the resource was ever removed.
    pub(crate) fn was_removed(&self) -> bool {
        self.removed > Tick::default()
    }
}

/// A resource that a world has; see [`World::resources`](crate::World::resources).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(0));
/// let info = world.resources().next().unwrap();
/// assert_eq!((info.name, info.size), ("Score", 4));
/// assert_eq!(info.added, info.changed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceInfo<'w> {
    /// Its name, as editors and errors show it.
    pub name: &'w str,
    /// Bytes of the value, without what it owns elsewhere.
    pub size: usize,
    /// When it was inserted.
    pub added: Tick,
    /// When it was last written; not before `added`.
    pub changed: Tick,
}

/// The name that editors and errors show.
pub(crate) fn name_of<R: Resource>() -> String {
    R::NAME.map_or_else(|| short_name(type_name::<R>()), str::to_owned)
}

impl Resources {
    #[inline]
    fn index_of<R: Resource>(&self) -> Option<usize> {
        self.ids.as_ref()?.get(TypeId::of::<R>()).map(|index| index as usize)
    }

    #[inline]
    pub(crate) fn get<R: Resource>(&self) -> Option<&R> {
        self.slots[self.index_of::<R>()?].held.get().get()
    }

    /// The number of a type's slot, which is made if it is not there. It stays as long as the resources.
    pub(crate) fn slot_of<R: Resource>(&mut self) -> usize {
        self.index_of::<R>().unwrap_or_else(|| self.new_slot::<R>())
    }

    /// What is in a slot, to be lent.
    #[inline]
    pub(crate) fn held(&self, slot: usize) -> &Lendable<Held> {
        &self.slots[slot].held
    }

    /// The names of the resources that are there. Looks at nothing that can be lent.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().filter(|slot| slot.there).map(|slot| &*slot.name)
    }

    /// Where a resource is, if it is there: a borrow that is not known to be needed would be in the way of saying why not.
    #[inline]
    pub(crate) fn find<R: Resource>(&self) -> Option<Found<R>> {
        let index = self.index_of::<R>()?;
        self.slots[index].there.then_some(Found { index, _resource: PhantomData })
    }

    /// A resource that was found, and that nobody has removed since.
    #[inline]
    pub(crate) fn at_mut<'w, R: Resource>(&'w mut self, at: &Found<R>, clock: &'w mut Clock) -> ResMut<'w, R> {
        self.slots[at.index].held.get_mut().get_mut(clock).expect("nobody has removed it")
    }

    /// What happened to a resource; `None` if nobody ever named the type.
    #[inline]
    pub(crate) fn ticks<R: Resource>(&self) -> Option<Ticks> {
        Some(self.slots[self.index_of::<R>()?].held.get().ticks)
    }

    /// Inserts a value and answers the one it replaced.
    pub(crate) fn insert<R: Resource>(&mut self, value: R, clock: &mut Clock) -> Option<R> {
        let index = self.slot_of::<R>();
        let Slot { there, held, .. } = &mut self.slots[index];
        let held = held.get_mut();
        let now = clock.advance();
        held.ticks.changed = now;
        match held.value.as_deref_mut() {
            Some(old) => {
                let old = old.downcast_mut::<R>().expect("a slot holds values of its type");
                Some(std::mem::replace(old, value))
            }
            None => {
                held.ticks.added = now;
                held.value = Some(Box::new(value));
                *there = true;
                None
            }
        }
    }

    fn new_slot<R: Resource>(&mut self) -> usize {
        let index = self.slots.len();
        let id = u32::try_from(index).expect("fewer than 2³² resource types");
        let (name, size) = (name_of::<R>().into(), size_of::<R>());
        self.slots.push(Slot { name, size, there: false, counting: Counting::of::<R>(), held: Lendable::default() });
        self.ids.get_or_insert_default().insert(TypeId::of::<R>(), id);
        index
    }

    pub(crate) fn remove<R: Resource>(&mut self, clock: &mut Clock) -> Option<R> {
        let index = self.index_of::<R>()?;
        let Slot { there, held, .. } = &mut self.slots[index];
        let held = held.get_mut();
        let value = held.value.take()?;
        *there = false;
        held.ticks.removed = clock.advance();
        Some(*value.downcast().expect("a slot holds values of its type"))
    }

    /// The resources that are there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ResourceInfo<'_>> {
        self.slots.iter().filter(|slot| slot.there).map(|slot| {
            let Ticks { added, changed, .. } = slot.held.get().ticks;
            ResourceInfo { name: &slot.name, size: slot.size, added, changed }
        })
    }

    /// The resources that are there and count in checksums, with a sum of each, in order of their types' names.
    pub(crate) fn sums(&self) -> Vec<(Counting, u64)> {
        let mut sums = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.counting.counts) {
            if let Some(value) = &slot.held.get().value {
                let mut folder = Folder::new();
                (slot.counting.fold)(&**value, &mut folder);
                sums.push((slot.counting, folder.sum()));
            }
        }
        sums.sort_by_key(|(counting, _)| counting.name);
        sums
    }

    /// Bytes of the values, and bytes reserved, values included.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let live = self.iter().map(|info| info.size).sum();
        let names: usize = self.slots.iter().map(|slot| slot.name.len()).sum();
        let ids = self.ids.as_ref().map_or(0, TypeMap::bytes);
        (live, live + names + ids + self.slots.capacity() * size_of::<Slot>())
    }
}

impl Drop for Resources {
    /// Drops all values, also if some of them panic.
    fn drop(&mut self) {
        let mut panics = Panics::default();
        for slot in &mut self.slots {
            let value = slot.held.get_mut().value.take();
            panics.catch(|| drop(value));
        }
        if std::thread::panicking() {
            panics.ignore();
        } else {
            panics.resume();
        }
    }
}
