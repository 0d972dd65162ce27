//! The value of one component in a prefab, whatever its type.

use super::parts::Columns;
use crate::here::Here;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, DynError, DynValue, Folder, InsertError, SpawnError};
use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Which component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Key {
    Compiled(TypeId),
    Runtime(ComponentId),
}

impl Key {
    pub(super) fn of<T: Component>() -> Self {
        Self::Compiled(TypeId::of::<T>())
    }
}

/// Why a value did not come into an entity, or did not leave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Unfit {
    Spawn(SpawnError),
    Insert(InsertError),
    Dyn(DynError),
    /// There is no part at a path from the part at `frame`.
    NoPart {
        frame: u32,
        path: String,
    },
    /// A tag depends on what there is not.
    Lacks {
        tag: String,
        missing: Vec<String>,
    },
    /// Somebody has put another world in place of this one.
    Exchanged,
}

impl Here {
    /// [`Here::is`], as what keeps a value from coming.
    pub(super) fn still(self, world: &World) -> Result<(), Unfit> {
        if self.is(world) { Ok(()) } else { Err(Unfit::Exchanged) }
    }
}

impl From<SpawnError> for Unfit {
    fn from(error: SpawnError) -> Self {
        Self::Spawn(error)
    }
}

impl From<InsertError> for Unfit {
    fn from(error: InsertError) -> Self {
        Self::Insert(error)
    }
}

impl From<DynError> for Unfit {
    fn from(error: DynError) -> Self {
        Self::Dyn(error)
    }
}

/// Gives entities back what they had.
pub(super) type GiveBack = Box<dyn FnOnce(&mut World)>;

/// What can be done with a component without a value.
pub(super) trait Kind: Send + Sync {
    fn name(&self, world: &World) -> String;
    fn id(&self, world: &mut World) -> ComponentId;
    fn is_in(&self, world: &World, entity: Entity) -> bool;
    fn remove(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit>;
    /// What entities have of it, and how they get it back.
    fn keep(&self, world: &mut World, entities: &[Entity]) -> GiveBack;
}

fn keep<T: Component + Clone>(world: &mut World, entities: &[Entity]) -> GiveBack {
    let (mut had, mut values, mut had_not) = (Vec::new(), Vec::new(), Vec::new());
    for entity in entities {
        match world.get::<T>(*entity) {
            Some(value) => {
                had.push(*entity);
                values.push(value.clone());
            }
            None => had_not.push(*entity),
        }
    }
    let here = Here::of(world);
    Box::new(move |world| {
        for (entity, value) in had.into_iter().zip(values) {
            if here.is(world) {
                // Who has ended since needs it no more.
                calmly(|| _ = world.insert(entity, value));
            }
        }
        if here.is(world) {
            had_not.retain(|entity| world.is_alive(*entity));
            calmly(|| _ = world.remove_batch::<T>(&had_not));
        }
    })
}

/// Does a part of what undoes something: a panic in it must neither keep the rest from being undone nor hide why that has to be.
pub(super) fn calmly(act: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(act));
}

macro_rules! compiled_kind {
    () => {
        fn name(&self, _: &World) -> String {
            name_of::<T>()
        }

        fn id(&self, world: &mut World) -> ComponentId {
            world.register::<T>()
        }

        fn is_in(&self, world: &World, entity: Entity) -> bool {
            world.has::<T>(entity)
        }

        fn remove(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit> {
            Ok(world.remove_batch::<T>(entities).map(drop)?)
        }

        fn keep(&self, world: &mut World, entities: &[Entity]) -> GiveBack {
            keep::<T>(world, entities)
        }
    };
}

/// A value that can be had again and again.
pub(super) trait Value: Kind {
    fn add_to(&self, bundle: &mut BundleBuilder);
    fn insert(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit>;
    /// Of entities that have the component, those that have this value; all of them if that cannot be told.
    fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>);
    /// Whether another value is known to be equal.
    fn equals(&self, other: &dyn Value) -> bool;
    fn as_any(&self) -> &dyn Any;
}

/// A value of a compiled type.
pub(super) struct Compiled<T>(pub(super) T);

impl<T: Component + Clone> Kind for Compiled<T> {
    compiled_kind!();
}

impl<T: Component + Clone> Value for Compiled<T> {
    fn add_to(&self, bundle: &mut BundleBuilder) {
        bundle.add(self.0.clone());
    }

    fn insert(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit> {
        Ok(world.insert_batch(entities, entities.iter().map(|_| self.0.clone()))?)
    }

    fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>) {
        let Some(fold) = comparable::<T>() else { return };
        let own = sum(fold, &self.0);
        entities.retain(|(_, entity)| world.get::<T>(*entity).is_some_and(|value| sum(fold, value) == own));
    }

    fn equals(&self, other: &dyn Value) -> bool {
        let (Some(fold), Some(other)) = (comparable::<T>(), other.as_any().downcast_ref::<T>()) else { return false };
        sum(fold, &self.0) == sum(fold, other)
    }

    fn as_any(&self) -> &dyn Any {
        &self.0
    }
}

/// How values of a type are folded, if nothing of them is passed over: then equal sums say that they are equal.
fn comparable<T: Component>() -> Option<fn(&T, &mut Folder)> {
    T::fold_fn().filter(|_| T::schema().unseen().is_empty())
}

fn sum<T>(fold: fn(&T, &mut Folder), value: &T) -> u64 {
    let mut folder = Folder::new();
    fold(value, &mut folder);
    folder.sum()
}

/// A value of a type made at run time.
pub(super) struct Bytes {
    pub(super) component: ComponentId,
    pub(super) bytes: Box<[u8]>,
}

impl Kind for Bytes {
    fn name(&self, world: &World) -> String {
        world.components().info(self.component).map_or_else(|| "?".to_owned(), |info| info.name().to_owned())
    }

    fn id(&self, _: &mut World) -> ComponentId {
        self.component
    }

    fn is_in(&self, world: &World, entity: Entity) -> bool {
        world.has_dyn(entity, self.component)
    }

    fn remove(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit> {
        Ok(world.remove_batch_dyn(entities, self.component).map(drop)?)
    }

    fn keep(&self, world: &mut World, entities: &[Entity]) -> GiveBack {
        let (here, component) = (Here::of(world), self.component);
        let of = |entity: &Entity| {
            let value = world.get_dyn(*entity, component);
            (*entity, value.and_then(|value| value.bytes().map(<[u8]>::to_vec)))
        };
        let had: Vec<_> = entities.iter().map(of).collect();
        Box::new(move |world| {
            for (entity, bytes) in had {
                if !here.is(world) {
                    return;
                }
                calmly(|| {
                    let _ = match bytes {
                        Some(bytes) => world.insert_dyn(entity, component, DynValue::bytes(&bytes)),
                        None => world.remove_dyn(entity, component).map(drop),
                    };
                });
            }
        })
    }
}

impl Value for Bytes {
    fn add_to(&self, bundle: &mut BundleBuilder) {
        bundle.add_dyn(self.component, DynValue::bytes(&self.bytes));
    }

    fn insert(&self, world: &mut World, entities: &[Entity]) -> Result<(), Unfit> {
        Ok(world.insert_batch_dyn(entities, self.component, &self.bytes).map(drop)?)
    }

    fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>) {
        entities.retain(|(_, entity)| {
            let value = world.get_dyn(*entity, self.component);
            value.is_some_and(|value| value.bytes() == Some(&*self.bytes))
        });
    }

    fn equals(&self, other: &dyn Value) -> bool {
        other.as_any().downcast_ref::<Box<[u8]>>() == Some(&self.bytes)
    }

    fn as_any(&self) -> &dyn Any {
        &self.bytes
    }
}

/// A value that is made for each copy, of the entities of that copy.
pub(super) trait Bind: Kind {
    /// Gives entities, each the part of a copy, their values. Who refers to a part that its copy has lost gets none.
    fn insert(
        &self,
        world: &mut World,
        entities: &[(usize, Entity)],
        columns: &Columns<'_>,
        frame: u32,
    ) -> Result<(), Unfit>;
    /// The path of a part that its value refers to, and that a copy has lost.
    fn lost(&self, copy: usize, columns: &Columns<'_>, frame: u32) -> Option<String>;
    /// Of entities that have the component, those that have the value which is made for them; all of them if that cannot be told.
    fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>, columns: &Columns<'_>, frame: u32);
}

pub(super) struct Bound<T, F>(pub(super) F, pub(super) PhantomData<fn() -> T>);

impl<T: Component + Clone, F: Send + Sync> Kind for Bound<T, F> {
    compiled_kind!();
}

impl<T: Component + Clone, F: Fn(&super::PartsOfCopy<'_>) -> T + Send + Sync> Bind for Bound<T, F> {
    fn insert(
        &self,
        world: &mut World,
        entities: &[(usize, Entity)],
        columns: &Columns<'_>,
        frame: u32,
    ) -> Result<(), Unfit> {
        let (mut whole, mut values) = (Vec::with_capacity(entities.len()), Vec::with_capacity(entities.len()));
        for (copy, entity) in entities {
            let parts = columns.of(*copy, frame);
            let value = (self.0)(&parts);
            if let Some(path) = parts.no_part() {
                return Err(Unfit::NoPart { frame, path });
            }
            if parts.lost().is_none() {
                whole.push(*entity);
                values.push(value);
            }
        }
        Ok(world.insert_batch(whole, values)?)
    }

    fn lost(&self, copy: usize, columns: &Columns<'_>, frame: u32) -> Option<String> {
        let parts = columns.of(copy, frame);
        drop((self.0)(&parts));
        parts.lost()
    }

    fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>, columns: &Columns<'_>, frame: u32) {
        let Some(fold) = comparable::<T>() else { return };
        entities.retain(|(copy, entity)| {
            let parts = columns.of(*copy, frame);
            let value = (self.0)(&parts);
            let same = world.get::<T>(*entity).is_some_and(|has| sum(fold, has) == sum(fold, &value));
            same && parts.lost().is_none() && parts.no_part().is_none()
        });
    }
}

/// What a prefab says about one component of a part.
#[derive(Clone)]
pub(super) enum Piece {
    Value(Arc<dyn Value>),
    /// Made of the parts below the one at `frame`, a position in the tree.
    Bound {
        bind: Arc<dyn Bind>,
        frame: u32,
    },
}

impl Piece {
    pub(super) fn kind(&self) -> &dyn Kind {
        match self {
            Self::Value(value) => &**value,
            Self::Bound { bind, .. } => &**bind,
        }
    }

    /// Whether both are known to say the same. What is bound says another thing where there are other parts.
    pub(super) fn same(&self, other: &Self, same_parts: bool) -> bool {
        match (self, other) {
            (Self::Value(a), Self::Value(b)) => Arc::ptr_eq(a, b) || a.equals(&**b),
            (Self::Bound { bind: a, frame }, Self::Bound { bind: b, frame: other }) => {
                same_parts && frame == other && Arc::ptr_eq(a, b)
            }
            _ => false,
        }
    }

    /// Of entities that have the component, those that have what this says.
    pub(super) fn retain_same(&self, world: &World, entities: &mut Vec<(usize, Entity)>, columns: &Columns<'_>) {
        match self {
            Self::Value(value) => value.retain_same(world, entities),
            Self::Bound { bind, frame } => bind.retain_same(world, entities, columns, *frame),
        }
    }

    /// What it refers to that a copy has lost: so that it gets nothing. The part from which it looks, and the path from there.
    pub(super) fn lost(&self, copy: usize, columns: &Columns<'_>) -> Option<(u32, String)> {
        match self {
            Self::Value(_) => None,
            Self::Bound { bind, frame } => Some((*frame, bind.lost(copy, columns, *frame)?)),
        }
    }

    pub(super) fn insert(
        &self,
        world: &mut World,
        entities: &[(usize, Entity)],
        columns: &Columns<'_>,
    ) -> Result<(), Unfit> {
        match self {
            Self::Value(value) => {
                let entities: Vec<Entity> = entities.iter().map(|(_, entity)| *entity).collect();
                value.insert(world, &entities)
            }
            Self::Bound { bind, frame } => bind.insert(world, entities, columns, *frame),
        }
    }
}

/// How many tags there are, one depending on the other, from a component down to what depends on nothing: what is depended on comes first.
pub(super) fn rank(world: &World, component: ComponentId) -> usize {
    let below = world.components().info(component).map_or(&[][..], ComponentInfo::depends_on);
    below.iter().map(|below| rank(world, *below) + 1).max().unwrap_or(0)
}

/// What editors call a component.
pub(super) fn name_of<T: Component>() -> String {
    T::NAME.map_or_else(|| T::schema().name().to_owned(), str::to_owned)
}
