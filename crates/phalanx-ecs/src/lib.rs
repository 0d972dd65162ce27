//! The core of Phalanx: entities, components, storage, queries and the world.
//!
//! Goals, in order: sound, fast, deterministic, clear, small.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Position { x: f32, y: f32 }
//! #[derive(Component)] struct Velocity { x: f32, y: f32 }
//!
//! let mut world = World::new();
//! world.spawn_batch((0..1000).map(|i| (Position { x: i as f32, y: 0.0 }, Velocity { x: 0.0, y: 1.0 })));
//! for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
//!     position.x += velocity.x;
//!     position.y += velocity.y;
//! }
//! ```
//!
//! | to | see |
//! |---|---|
//! | make a world and change it | [`World`] |
//! | declare components and bundles | [`Component`](trait@Component), [`Bundle`](trait@Bundle) |
//! | ask for entities | [`World::query`], [`World::read`], [`Terms`], [`Filter`], [`Query`](struct@Query), [`Prepared`] |
//! | find what changed | [`Changed`], [`Added`], [`Mut`], [`Tracked`] |
//! | switch components off and on | [`Toggle`], [`World::switch_off`], [`EvenOff`], [`Off`] |
//! | be told when components come and go | [`World::observe`], [`World::hook`], [`Act`] |
//! | let entities die now and clean up later | [`World::despawn_lazy`], [`World::collect`] |
//! | keep what belongs to no entity | [`Resource`](trait@Resource), [`ResourceReader`] |
//! | send messages | [`Event`](trait@Event), [`EventReader`] |
//! | work with types known at run time | [`ComponentLayout`], [`DynValue`], [`DynQuery`], [`BundleBuilder`] |
//! | lend a world to several threads at once, in parts | [`World::plan`], [`World::lend`], [`Claim`] |
//! | look into values, compare worlds | [`Schema`], [`World::checksum`], [`World::content_checksum`] |
//! | change a world later, or from another thread | [`World::commands`], [`Commands`] |
//! | understand an error | [`errors`] |
//!
//! # Collect, then change
//! While a query is open the world cannot change: items point into its tables. So find the entities first, then change them:
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Health(i32);
//! #[derive(Component)] struct Corpse;
//!
//! let mut world = World::new();
//! world.spawn_batch([3, 0, -2].map(Health));
//! let dead: Vec<Entity> =
//!     world.query::<(Entity, &Health)>().iter().filter(|(_, health)| health.0 <= 0).map(|(entity, _)| entity).collect();
//! for entity in dead {
//!     world.insert(entity, Corpse)?;
//! }
//! // The same for all of a kind needs no list:
//! assert_eq!(world.remove_where::<With<Corpse>, Health>(), 2);
//! assert_eq!(world.despawn_where::<With<Corpse>>(), 2);
//! # Ok::<(), phalanx_ecs::InsertError>(())
//! ```
//!
//! # Coming from `bevy_ecs` or `hecs`
//! | `bevy_ecs` | `hecs` | here |
//! |---|---|---|
//! | `world.spawn_empty()` | `world.spawn(())` | `world.spawn(())` |
//! | `world.entity_mut(e).insert(b)` | `world.insert(e, b)` | `world.insert(e, b)`, or [`World::entity_mut`] for several edits in one move |
//! | `world.get_entity(e).is_ok()` | `world.contains(e)` | [`World::is_alive`] |
//! | `world.entities().len()` | `world.len()` | [`World::alive`] |
//! | `world.iter_entities()` | `world.iter()` | [`World::entities`], [`World::entity`] |
//! | `world.get::<T>(e)` | `world.get::<&T>(e)` | [`World::get`]; [`World::lookup`] says why not |
//! | `world.query::<Q>().iter_mut(&mut world)` | `world.query_mut::<Q>()` | `world.query::<Q>()`, which is an iterator of its own |
//! | `world.query::<Q>().iter(&world)` | `world.query::<Q>().iter()` | [`World::read`] |
//! | `QueryState<Q, F>` | `PreparedQuery<Q>` | [`Prepared<Q, F>`](Prepared) |
//! | `Query<Q, Without<T>>` | `Without<Q, &T>` | [`World::query_filtered`] with [`Without<T>`](Without) |
//! | `query.get(e)` in a loop | `query.view()` | [`Query::view`](struct@Query#method.view) |
//! | `query.iter_combinations_mut()` | – | [`Query::pairs_mut`](struct@Query#method.pairs_mut) |
//! | `#[require(A)]` | – | `#[component(requires(A))]` |
//! | `#[component(storage = "SparseSet")]` | – | `#[component(storage = "sparse")]` |
//! | `#[derive(QueryData)]` | `#[derive(Query)]` | `#[derive(Query)]` |
//! | `Mut<T>`, `Changed<T>`, `Added<T>` | – | [`Mut`], [`Changed`], [`Added`], for components with `#[component(track)]`, in a [`Prepared`] query |
//! | `bypass_change_detection()` | – | [`Mut::bypass`] |
//! | `world.add_observer(…)`, component hooks | – | [`World::observe`], [`World::hook`] |
//! | `world.trigger(…)` | – | [`World::trigger`] |
//! | `Res<T>`, `ResMut<T>` | – | [`World::get_resource`], [`World::get_resource_mut`] |
//! | `Messages<E>`, `MessageReader<E>` | – | [`World::send`], [`EventReader`] |
//! | systems, schedules | – | not in this crate |
//! | `Commands` | `CommandBuffer` | [`Commands`] |
//!
//! # Features
//! `parallel` (on by default): `par_for_each` and its kind, on the current pool of the crate `rayon`.
//!
//! # What it does not do
//! There is no schedule, no system and no time here: those are layers above. There is no reference counting and no run-time borrow flag: what
//! `&World` and `&mut World` allow is decided by the compiler, and what claims allow by comparing plans.

#![deny(unsafe_code)]

extern crate self as phalanx_ecs;

// Layers, from the lowest: cell < tick < entity < outcome < component < queue < resource < event < bundle < storage < query < world < claim < command. A module uses its own and lower ones; the `tidy` test checks it.
mod bundle;
mod cell;
mod claim;
mod command;
mod component;
mod entity;
mod event;
mod order;
mod outcome;
mod query;
mod queue;
mod resource;
mod storage;
mod tick;
mod world;

#[doc(hidden)]
pub mod __private;
pub mod errors;
pub mod prelude;
pub mod testing;

pub use bundle::{Bundle, BundleBuilder, BundleParts, KeyList, PartVisitor, TypeVisitor};
pub use claim::{
    Claim, ClaimConflict, ClaimError, Clash, ClashSide, Conflict, EventsMutTicket, EventsTicket, Lend, OtherWorld,
    PartConflict, PartError, Plan, PlanBuilder, PlanError, QueryTicket, ResourceMutTicket, ResourceTicket,
    WorldMutTicket, WorldTicket, WrongTicket,
};
pub use command::{CommandResult, Commands};
pub use component::{
    Bitwise, Component, ComponentId, ComponentInfo, ComponentLayout, Dependencies, Described, Describer, DynRef,
    DynRefMut, DynValue, Folder, Kind, Plain, RegisterError, Registry, Requirements, Scalar, Schema, SchemaBody,
    SchemaField, SchemaVariant, Shared, Storage, Toggle, Tracked, TypeKey, flat, flat_mut,
};
pub use entity::{
    CompactEntity, EntitiesFull, Entity, EntityConfig, EntityStats, FullKind, HandleLayout, NoSuchEntity,
    NotAliveReason, NotCompact, ParseEntityError, Spawned, SpawnedIntoIter, SpawnedIter,
};
pub use event::{Event, EventIter, EventReader, Events, NumberedEventIter, Retention};
pub use outcome::{CommandError, CommandErrors, CommandFault, Death, Policy};
pub use phalanx_derive::{Bundle, Component, Described, Event, Plain, Query, Resource};
pub use query::{
    AccessKeys, Added, Alternative, AnyOf, Changed, Chunks, Common, ConflictingTerms, Driver, DynItem, DynQuery,
    DynQueryBuilder, EntityMismatch, EntitySlice, EvenOff, Exact, Explanation, Filter, Has, Mut, NotSingle, Off, Or,
    Part, Prepared, Query, QueryIter, QueryPlan, ReadPart, TermFound, Terms, View, With, Without,
};
pub use resource::{ResMut, Resource, ResourceInfo, ResourceReader};
pub use storage::{ColumnSource, Columns};
pub use tick::Tick;
pub use world::{
    Act, BrokenInvariant, Checksum, ChecksumPart, CloneError, Collection, ComponentMemory, CrossConflict,
    DespawnBatchError, DynError, EntityMut, EntityRef, HookTaken, InsertError, LookupError, MemoryReport,
    MissingDependency, NoResource, ObserverId, Sampling, SharedEdit, SparseMut, SpawnError, TableMemory, TakeError,
    TransferError, Trigger, ValueMemory, Within, World, WorldBuilder, WorldStats,
};
