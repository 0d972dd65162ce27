//! Shared components: what they are, and how their values are told apart.

use super::{Component, FixedHasher};
use std::hash::{Hash, Hasher};

/// A component of which equal values are stored once; write `#[component(shared)]`.
///
/// Entities with equal values have the same one, and lie side by side in tables of their own: so they are walked grouped by value, and
/// changing the value for all of them at once costs no more than for one. Made for what many entities have in common: a material, a mesh, a team. The value
/// goes when its last entity goes.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component, PartialEq, Eq, Hash, Debug)]
/// #[component(shared)]
/// struct Material { colour: u32 }
///
/// let mut world = World::new();
/// world.spawn_batch((0..1000).map(|i| Material { colour: i % 2 }));
/// let red = world.spawn(Material { colour: 7 });
/// assert_eq!(world.shared_values::<Material>().count(), 3);
///
/// // All with this value see the change.
/// let first = world.query::<(Entity, &Material)>().iter().find(|(_, m)| m.colour == 0).unwrap().0;
/// world.edit_shared::<Material>(first, |material| material.colour = 9)?;
/// assert_eq!(world.query::<&Material>().iter().filter(|m| m.colour == 9).count(), 500);
///
/// // Another value for one of them: it joins those that have it.
/// world.insert(first, Material { colour: 7 }).unwrap();
/// assert!(std::ptr::eq(world.get::<Material>(first).unwrap(), world.get::<Material>(red).unwrap()));
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
///
/// | | |
/// |---|---|
/// | insert, spawn, replace by insert | the value is compared with those that are there; if an equal one is, that one stays and the new one is dropped |
/// | `&T`, [`get`](crate::World::get) | as for any component; all its entities yield the same reference |
/// | `&mut T`, [`get_mut`](crate::World::get_mut) | do not build: use [`edit_shared`](crate::World::edit_shared), or insert another value |
/// | [`take`](crate::World::take), [`replace`](crate::World::replace) | do not build: the value is not one entity's to give away |
/// | [`chunks`](crate::Query::chunks) | with [`Common<T>`](crate::Common): the value once per chunk |
/// | [`for_each_group`](crate::Query::for_each_group) | each value once, with all its entities |
///
/// Two values are equal if `Eq` says so, and `Hash` must agree with it. If it does not, equal values may be stored more than once; nothing worse happens.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not shared",
    label = "not a shared component",
    note = "write `#[component(shared)]` below `#[derive(Component, PartialEq, Eq, Hash)]` of `{Self}`"
)]
pub trait Shared: Component + Eq + Hash {}

/// When two values of a shared component are equal.
#[doc(hidden)]
pub struct Likeness<T> {
    pub(crate) hash: fn(&T) -> u64,
    pub(crate) equal: fn(&T, &T) -> bool,
}

impl<T: Shared> Likeness<T> {
    pub fn of() -> Self {
        Self {
            hash: |value| {
                let mut hasher = FixedHasher::default();
                value.hash(&mut hasher);
                hasher.finish()
            },
            equal: |a, b| a == b,
        }
    }
}

/// How values of a shared component are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Telling {
    /// By their bytes (types made at run time).
    Bytes,
    /// By a number that equal values have in common, and by comparing two.
    By { hash: unsafe fn(*const u8) -> u64, equal: unsafe fn(*const u8, *const u8) -> bool },
}
