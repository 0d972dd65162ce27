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
//! # I want to …
//! | entities and components | see |
//! |---|---|
//! | make a world | [`World::new`], [`World::builder`] |
//! | declare components, and say how they are kept | [`Component`](trait@Component), [`Storage`] |
//! | give several components a name | [`Bundle`](trait@Bundle) |
//! | make entities: one, many, from columns | [`World::spawn`], [`World::spawn_batch`], [`World::spawn_columns`] |
//! | add, replace and remove components | [`World::insert`], [`World::replace`], [`World::remove`], [`World::take`] |
//! | make several changes to an entity in one move | [`World::entity_mut`] |
//! | change many entities at once | [`World::insert_where`], [`World::remove_where`], [`World::despawn_where`], [`World::insert_batch`] |
//! | end entities: now, or now and cleaned up later | [`World::despawn`], [`World::despawn_lazy`], [`World::collect`] |
//! | read or write a component of one entity | [`World::get`], [`World::get_mut`], [`World::lookup`] |
//! | let a component bring others along | `#[component(requires(…))]` at [`Component`](trait@Component) |
//! | let a tag go when what it needs goes | [`Component::depend`] |
//! | store equal values once, and group entities by them | [`Shared`], [`World::edit_shared`] |
//! | keep values from being changed in their place | `#[component(immutable)]` at [`Component`](trait@Component) |
//! | switch a component off and on, with its value kept | [`Toggle`], [`World::switch_off`], [`EvenOff`], [`Off`] |
//! | copy an entity, or move it to another world | [`World::clone_entity`], [`World::move_entity`] |
//! | save, send or print a handle | [`Entity::to_bits`], [`CompactEntity`] |
//!
//! | asking | see |
//! |---|---|
//! | walk over entities | [`World::query`], [`World::read`] |
//! | know what I can ask for, and among whom | [`Terms`], [`Filter`] |
//! | look up, count, sort, pair what a query finds | [`Query`](struct@Query) |
//! | keep a query | [`Prepared`] |
//! | have columns as slices of numbers | [`Query::chunks`](struct@Query#method.chunks), [`flat`], [`Plain`](trait@Plain) |
//! | use all threads | [`Query::par_for_each`](struct@Query#method.par_for_each) and its kind |
//! | know why an entity does not match | [`Query::explain`](struct@Query#method.explain) |
//!
//! | over time | see |
//! |---|---|
//! | change the world while a query is open, or from another thread | [`World::commands`], [`Commands`], [`World::apply`] |
//! | be told when components come and go | [`World::observe`], [`World::hook`], [`Act`], [`Trigger`] |
//! | let a component do something by itself when it comes and goes | [`Hooks`] |
//! | find what changed | [`Tracked`], [`Changed`], [`Added`], [`Mut`] |
//! | send messages | [`Event`](trait@Event), [`World::send`], [`EventReader`] |
//! | aim an event at one entity | [`World::trigger`], [`World::observe_event`] |
//! | keep what belongs to no entity, and see it change | [`Resource`](trait@Resource), [`World::insert_resource`], [`ResourceReader`] |
//! | lend the world to several threads at once, in parts | [`World::plan`], [`World::lend`], [`Claim`] |
//!
//! | looking inside | see |
//! |---|---|
//! | understand an error | [`errors`] |
//! | use component types that are made at run time | [`ComponentLayout`], [`DynValue`], [`DynQuery`], [`BundleBuilder`] |
//! | know what values are made of | [`World::components`], [`Schema`] |
//! | compare worlds (what nobody [described](trait@Described) is passed over: [`Checksum::unseen`]) | [`World::checksum`], [`World::content_checksum`] |
//! | know what it costs, and which sets of components are in use | [`World::stats`], [`World::memory`], [`World::tables`], [`Query::plan`](struct@Query#method.plan) |
//! | test my program for leaks | [`testing`] |
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
//! # What happens over time
//! A whole program: things move, some get hurt, and those without health go. Hurting is noted, because `Health` is tracked; going is put off, because a query is
//! open; and keeping score is nobody's business but the observer's.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Position(f32);
//! #[derive(Component)] struct Velocity(f32);
//! #[derive(Component)] #[component(track)] struct Health(u32);
//! #[derive(Resource)] struct Score(u32);
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut world = World::new();
//!     world.insert_resource(Score(0));
//!     world.spawn_batch([1.0, 0.0, -5.0].map(|x| (Position(x), Velocity(1.0), Health(1))));
//!
//!     // An observer is called wherever in the program it happens.
//!     world.observe::<Health>(Act::Despawn, |trigger| {
//!         if let Some(mut score) = trigger.get_resource_mut::<Score>() {
//!             score.0 += 1;
//!         }
//!     });
//!     // A query of your own remembers what it has seen; what is spawned so far is not news.
//!     let mut hurt = Prepared::<(Entity, &Health), Changed<Health>>::new();
//!     hurt.skip_to_now(&world);
//!     // A queue of commands is used again and again.
//!     let mut commands = world.commands();
//!
//!     for _frame in 0..3 {
//!         for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
//!             position.0 += velocity.0;
//!         }
//!         // There is fire from 2.0 on. `Mut` notes what is written; `&mut Health` would note every row.
//!         for (position, mut health) in world.query::<(&Position, Mut<Health>)>() {
//!             if position.0 >= 2.0 {
//!                 health.0 -= 1;
//!             }
//!         }
//!         // Only those that were hurt since the last frame.
//!         for (entity, health) in hurt.on(&mut world) {
//!             if health.0 == 0 {
//!                 commands.despawn(entity);
//!             }
//!         }
//!         // Now they go, and the observer is called.
//!         world.apply(&mut commands)?;
//!         world.update_events();
//!     }
//!     assert_eq!(world.resource::<Score>()?.0, 2);
//!     assert_eq!(world.alive(), 1);
//!     Ok(())
//! }
//! ```
//!
//! | what | when |
//! |---|---|
//! | `spawn`, `insert`, `remove`, `despawn` and their kind | at once |
//! | hooks and observers | within the operation that calls them; what they [defer](Trigger::defer) is done before it returns |
//! | commands | when the queue is [applied](World::apply), in the order in which they were queued |
//! | a change | is seen once by each [`Prepared`] query with [`Changed`] or [`Added`], when it next [looks](Prepared::on) |
//! | an event that is sent | is read once by each [`EventReader`], at any time before the second [`World::update_events`] from then on, unless [`Retention`] says otherwise |
//! | an event that is [aimed](World::trigger) | calls its observers at once, and is gone |
//! | an entity that ends [lazily](World::despawn_lazy) | is dead at once; its row goes when it is [collected](World::collect) |
//!
//! Nothing happens by itself: there is no frame in this crate. Who calls what, and in which order, is up to the program, or to a layer above.
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
//! | `Mut<T>`, `Changed<T>`, `Added<T>` | – | [`Mut`], [`Changed`], [`Added`], for components with `#[component(track)]`, in a [`Prepared`] query or in a system |
//! | `bypass_change_detection()` | – | [`Mut::bypass`] |
//! | `RemovedComponents<T>` | – | [`Removed<T>`](Removed); in systems `Losses<T>` |
//! | `world.add_observer(…)`, `app.add_observer(…)`, component hooks | – | [`World::observe`], [`World::hook`] |
//! | `world.trigger(…)` | – | [`World::trigger`] |
//! | `Res<T>`, `ResMut<T>` | – | [`World::get_resource`], [`World::get_resource_mut`]; in systems `Res<T>` and `ResMut<T>` |
//! | `Messages<E>`, `MessageReader<E>` | – | [`World::send`], [`EventReader`]; in systems `Reader<E>` and `Writer<E>` |
//! | systems, schedules, `App` | – | the crate `phalanx_schedule` (in `phalanx`): functions with `Query`, `Res`, `&mut Commands`; `Schedule`, `Engine` |
//! | `app.add_systems(Update, (a, b).chain())` | – | `engine.add_all((a, b))?.chain()?` |
//! | `app.add_systems(FixedUpdate, f)` | – | `engine.group("Physics").pace(fixed(64.0))?` once, and `engine.add(f)?.to("Physics")` |
//! | `app.update()`, `app.run()` | – | `engine.run_frame(passed)?` or `engine.run_frames(1)?`; `engine.run()?` |
//! | `time.delta_secs()` | – | `time.step()` of `Time` |
//! | `Commands` | `CommandBuffer` | [`Commands`]; in systems `&mut Commands` |
//! | `commands.entity(e).insert(b)` | `commands.insert(e, b)` | [`commands.insert(e, b)`](Commands::insert) |
//! | `ChildOf`, `#[relationship(…)]` | – | `ChildOf`, and `#[derive(Relation)]`, of the crate `phalanx_scene` (the feature `scene` of `phalanx`) |
//! | `Transform::from_xyz(x, y, z)`, `GlobalTransform` | – | `Transform::at(Vec3::new(x, y, z))`, `WorldTransform`, of the same crate |
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
    DynRefMut, DynValue, Folder, Kind, Name, OwnHooks, Plain, RegisterError, Registry, Requirements, Scalar, Schema,
    SchemaBody, SchemaField, SchemaVariant, Shared, Storage, Toggle, Tracked, TypeKey, Wish, flat, flat_mut,
};
pub use entity::{
    CompactEntity, Death, EntitiesFull, Entity, EntityConfig, EntityStats, FullKind, HandleLayout, NoSuchEntity,
    NotAliveReason, NotCompact, ParseEntityError, ParseUuidError, Spawned, SpawnedIntoIter, SpawnedIter, Uuid,
    UuidTaken,
};
pub use event::{Event, EventIter, EventReader, Events, NumberedEventIter, Retention};
pub use outcome::{CommandError, CommandErrors, CommandFault, Policy};
pub use phalanx_derive::{Bundle, Component, Described, Event, Plain, Query, Resource};
pub use query::{
    AccessKeys, Added, Alternative, AnyOf, Changed, Chunks, Common, ConflictingTerms, Driver, DynItem, DynQuery,
    DynQueryBuilder, EntityMismatch, EntitySlice, EvenOff, Exact, Explanation, Filter, Has, Mut, NotSingle, Off, Or,
    Part, Prepared, Query, QueryIter, QueryPlan, ReadPart, Slot, Slots, TermFound, Terms, View, With, WithDyn, Without,
};
pub use resource::{ResMut, Resource, ResourceInfo, ResourceReader};
pub use storage::{ColumnSource, Columns};
pub use tick::Tick;
pub use world::{
    Act, BrokenInvariant, Check, Checksum, ChecksumPart, CloneError, Collection, ComponentMemory, CrossConflict,
    Demands, DespawnBatchError, DynError, DynGone, DynRemoved, DynRemovedIter, EntityMut, EntityRef, Gone, Hook,
    HookTaken, Hooks, InsertError, LookupError, MemoryReport, MissingDependency, NoResource, ObserverId, Owned,
    Refused, Removed, Sampling, SharedEdit, SparseMut, SpawnError, TableMemory, TableView, TakeError, TransferError,
    Trigger, ValueMemory, Within, World, WorldBuilder, WorldStats,
};
