//! Components that come together, and that are spawned together.

use super::library::Doing;
use super::parts::InstanceOf;
use super::pieces::{Compiled, Key, Unfit, Value};
use crate::hierarchy::{ChildOf, Parent};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{SpawnError, Spawned};
use std::any::TypeId;
use std::sync::Arc;

/// Components for a part of a prefab: one, or a tuple of up to sixteen, all of them `Clone`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Mesh(&'static str);
/// #[derive(Component, Clone)] struct Health(u32);
///
/// let mut world = World::new();
/// let tree = world.add_prefab("tree", Prefab::new().with(Mesh("tree")))?;
/// let orc = world.add_prefab("orc", Prefab::new().with((Mesh("orc"), Health(10))))?;
/// assert_eq!((tree.get::<Mesh>(&world, "").unwrap().0, orc.get::<Health>(&world, "").unwrap().0), ("tree", 10));
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
///
/// The parameter tells the one from the other; nobody need name it.
///
/// Who is below whom is no component of a prefab: that is what parts are for, and the compiler refuses [`ChildOf`] and [`Parent`].
///
/// ```compile_fail,E0080
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Prefab};
/// # let mother = World::new().spawn(());
/// let child = Prefab::new().with(ChildOf(mother));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a prefab",
    label = "not a component that is `Clone`, nor a tuple of such",
    note = "a prefab is copied: write `#[derive(Component, Clone)]` above each component",
    note = "a tuple has up to 16 components, none of which is a tuple or a bundle itself"
)]
pub trait Components<M>: Sized {
    #[doc(hidden)]
    fn into_layer(self) -> Layer;
}

/// A component alone.
#[derive(Debug)]
pub struct One;
/// A tuple of components.
#[derive(Debug)]
pub struct Many;

/// Components as a prefab keeps them. Nobody outside can name it.
#[derive(Clone)]
pub struct Layer {
    pub(super) values: Vec<(Key, Arc<dyn Value>)>,
    /// Spawns or inserts all of them at once; nothing for a value of a type made at run time.
    pub(super) batch: Option<Arc<dyn Batch>>,
}

/// Entities that are spawned at once.
pub(super) struct Wanted<'a> {
    /// For what.
    pub(super) doing: &'a Doing,
    pub(super) count: usize,
    pub(super) instance: InstanceOf,
    pub(super) parents: Parents<'a>,
    /// Whether they will have children.
    pub(super) is_parent: bool,
}

/// Of which types a batch is: those of one kind come into one table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    of: TypeId,
    is_child: bool,
    is_parent: bool,
}

/// Whose children they will be.
#[derive(Clone, Copy)]
pub(super) enum Parents<'a> {
    Nobody,
    One(Entity),
    /// As many as there are to be entities.
    Each(&'a [Entity]),
}

impl Parents<'_> {
    pub(super) fn of(&self, at: usize) -> Option<ChildOf> {
        match self {
            Self::Nobody => None,
            Self::One(parent) => Some(ChildOf(*parent)),
            Self::Each(parents) => Some(ChildOf(parents[at])),
        }
    }
}

pub(super) trait Batch: Send + Sync {
    fn kind(&self, is_child: bool, is_parent: bool) -> Kind;
    /// Makes room for so many of a kind of its own; no component is in it twice.
    fn reserve(&self, world: &mut World, kind: Kind, count: usize);
    fn spawn(&self, world: &mut World, wanted: &Wanted<'_>) -> Result<Spawned, SpawnError>;
    fn insert(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit>;
}

/// Values that are spawned together.
pub(super) struct Together<B>(pub(super) B);

impl<B: Bundle + Clone + Send + Sync> Batch for Together<B> {
    fn kind(&self, is_child: bool, is_parent: bool) -> Kind {
        Kind { of: TypeId::of::<B>(), is_child, is_parent }
    }

    fn reserve(&self, world: &mut World, kind: Kind, count: usize) {
        match (kind.is_child, kind.is_parent) {
            (false, false) => world.reserve::<(B, InstanceOf)>(count),
            (false, true) => world.reserve::<((B, InstanceOf), Parent)>(count),
            (true, false) => world.reserve::<((B, InstanceOf), ChildOf)>(count),
            (true, true) => world.reserve::<((B, InstanceOf), ChildOf, Parent)>(count),
        }
    }

    fn spawn(&self, world: &mut World, wanted: &Wanted<'_>) -> Result<Spawned, SpawnError> {
        let Wanted { count, instance, parents, is_parent, .. } = *wanted;
        let copy = || (self.0.clone(), instance);
        let child_of = |at: usize| parents.of(at).expect("not of nobody");
        match (parents, is_parent) {
            (Parents::Nobody, false) => world.try_spawn_batch((0..count).map(|_| copy())),
            (Parents::Nobody, true) => world.try_spawn_batch((0..count).map(|_| (copy(), Parent))),
            (_, false) => world.try_spawn_batch((0..count).map(|at| (copy(), child_of(at)))),
            (_, true) => world.try_spawn_batch((0..count).map(|at| (copy(), child_of(at), Parent))),
        }
    }

    fn insert(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit> {
        Ok(world.insert_batch(entities, entities.iter().map(|_| self.0.clone()))?)
    }
}

impl<T: Component + Clone> Components<One> for T {
    fn into_layer(self) -> Layer {
        let value: Arc<dyn Value> = Arc::new(Compiled(self.clone()));
        Layer { values: vec![(Key::of::<T>(), value)], batch: Some(Arc::new(Together(self))) }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        #[expect(non_snake_case, reason = "names of types serve as those of values")]
        impl<$($name: Component + Clone),*> Components<Many> for ($($name,)*) {
            fn into_layer(self) -> Layer {
                let ($($name,)*) = self.clone();
                let values: Vec<(Key, Arc<dyn Value>)> =
                    vec![$((Key::of::<$name>(), Arc::new(Compiled($name)) as Arc<dyn Value>)),*];
                Layer { values, batch: Some(Arc::new(Together(self))) }
            }
        }
    };
}

/// From a tuple of all these to one of the last alone.
macro_rules! all_tuples {
    () => {};
    ($first:ident $($rest:ident)*) => {
        tuples!($first $($rest)*);
        all_tuples!($($rest)*);
    };
}
all_tuples!(A B C D E F G H I J K L M N O P);
