//! All error codes: what each means and how to mend it. There is nothing else in this module.
//!
//! Every error says what was refused, for whom, what was found, who asked (file and line) and what to type; `{}` and `{:?}` print the same. A
//! code keeps its meaning; codes are not used again.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Title(&'static str);
//!
//! let mut world = World::new();
//! let orc = world.spawn(());
//! let error = world.lookup::<Title>(orc).err().unwrap();
//! assert!(error.to_string().starts_with("error[C003]: entity 0v0 has no component `Title`"));
//! ```
//!
//! # Entities
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `E001` | [`NoSuchEntity`] | the entity is not alive: it was despawned (by whom, where the world [remembers](crate::WorldBuilder::remember_deaths)), never was, or is of another world | ask [`World::is_alive`] first, or let go of handles when their entities end |
//! | `E002` | [`EntitiesFull`] | no room for more entities, by a limit or because all indices are in use | despawn some, raise [`WorldBuilder::limit`], or use [`HandleLayout::Wide`] |
//! | `E003` | [`ParseEntityError`] | a text is not an entity | write `5v3` for an [`Entity`], `5\|3` for a [`CompactEntity`] |
//! | `E004` | [`NotCompact`] | a handle has too large an index or generation for 32 bits | give the world [`HandleLayout::Compact`], or keep the [`Entity`] |
//! | `E005` | [`DespawnBatchError`] | some entities of a batch were not alive; the others are despawned | name each entity once |
//! | `E006` | [`UuidTaken`], in [`SpawnError`], [`InsertError`], [`DynError`] and [`TransferError`], or a panic | another entity has the [`Uuid`] | [`World::new_uuid`] makes one that nobody has, [`World::by_uuid`] finds who has it |
//! | `E007` | [`ParseUuidError`] | a text is not a [`Uuid`] | write 32 hexadecimal digits, with or without hyphens |
//!
//! # Components and bundles
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `C001` | [`RegisterError`] | a run-time component type has an impossible layout, or its name is taken | give another name, or the same layout |
//! | `C002` | [`SpawnError`], [`InsertError`], [`TakeError`] | a bundle has a component twice | leave one out, or wrap one in a type of its own |
//! | `C003` | [`LookupError`], [`DynError`] | the entity does not have the component | insert it first, or use [`World::get`], which answers `None` |
//! | `C004` | [`TakeError`] | the entity does not have all that was to be taken | use [`World::remove`], which ignores what is not there |
//! | `C005` | [`DynError`] | a value is not of the component's type, or has another length | `DynValue::new` for a compiled type, `DynValue::bytes` for one made at run time |
//! | `C006` | [`DynError`] | no component of this world has that id | ids belong to one world: ask [`World::components`] |
//! | `C007` | [`SpawnError`] | columns of different lengths | give every column one value per entity |
//! | `C008` | [`CloneError`] | a component of the entity is not `Clone`, or says `no_clone` | `#[derive(Clone)]`, or [`World::clone_entity_partly`] |
//! | `C009` | a panic | [`World::sparse_mut`] of a component that requires others | use [`World::insert`], which brings them along |
//! | `C010` | [`DynError`] | a component is immutable and was to be changed in its place | insert another value: [`World::insert_dyn`] |
//! | `C011` | [`TransferError`] | an entity cannot move with a shared value that others have too and that cannot be cloned | `#[derive(Clone)]`, or remove the component first |
//! | `C015` | [`MissingDependency`], in [`InsertError`], [`SpawnError`] and [`DynError`] | a tag [depends](Component::depend) on what the entity does not have | insert that first or with it |
//! | `C016` | a panic | [`World::sparse_mut`] of a component that tags depend on | use [`World::insert`] and [`World::remove`], which takes them along |
//! | `C017` | a panic | a component that says it depends on others is more than a tag | give the tag a type of its own, without fields |
//! | `C018` | [`DynError`] | [`World::edit_shared_dyn`] of a component that is not shared | change the value of one entity: [`World::get_dyn_mut`], or [`World::insert_dyn`] if it is immutable |
//! | `C019` | [`Refused`], in [`SpawnError`], [`InsertError`], [`DynError`], [`CloneError`] and [`TransferError`], or a panic | a component that is [asked](Check) before it comes said no | the message says what it said |
//! | `C020` | [`DynError`] | a sparse component was chosen for [`WithDyn`], which walks whole tables | use a [`DynQuery`], or table storage |
//! | `C021` | [`DynError`] | [`World::switch_dyn`] of a component that cannot be switched off and on | `#[component(toggle)]`, or [`ComponentLayout::toggle`](crate::ComponentLayout::toggle) |
//!
//! # Queries
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `Q001` | [`ConflictingTerms`], or a panic | a query would hand out one component twice, once of them mutably | keep one of the terms: `&mut T` reads and writes |
//! | `Q002` | [`EntityMismatch`] | an entity is dead or does not match the query | ask [`Query::contains`](crate::Query::contains), or use `get`, which answers `None` |
//! | `Q003` | [`EntityMismatch`] | an entity was asked for twice, to change | name each entity once |
//! | `Q004` | [`NotSingle`] | not exactly one entity matches | narrow the query with a filter, or use `first` |
//! | `Q005` | [`CrossConflict`] | queries crossed in parallel, of which one writes what the other reads | use `cross`, or collect and then change |
//! | `Q006` | a panic | chunks of no rows | ask for at least one row, better for many |
//! | `Q007` | a panic | a [`DynQuery`] asks for an immutable component to change | ask for it by `read`, and insert another value |
//!
//! # Plans and claims
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `L001` | [`PartConflict`], in [`PlanError`] | two parts of a plan would hand out the same thing, once of them to be written | ask for it once, or keep two queries apart with `With<T>` and `Without<T>` |
//! | `L002` | [`ClaimConflict`], in [`ClaimError`] | a plan overlaps one that is claimed | drop the other claim first; [`Plan::overlaps`] tells in advance |
//! | `L003` | [`WrongTicket`] | a ticket was shown to a claim of another plan | show it to a claim of the plan whose builder handed it out |
//! | `L004` | [`OtherWorld`] | a plan was made for another world | make one with [`World::plan`] of each world |
//!
//! # Commands
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `K001` | [`CommandError`] | a queued command was about an entity that is not alive, or not yet | let go of handles when their entities end; apply the queue that spawns it first |
//! | `K002` | [`CommandError`] | no room for an entity that was to be spawned | despawn some, or raise [`WorldBuilder::limit`] |
//! | `K003` | [`CommandError`] | a bundle has a component twice | leave one out, or wrap one in a type of its own |
//! | `K004` | [`CommandError`] | a queued function answered an error | mend its cause |
//! | `K005` | [`CommandError`] | a queue has no id left, because very many queues are out at once | use queues again instead of making new ones |
//! | `K006` | [`CommandError`] | the iterator of a batch gave fewer bundles than it promised | collect them into a `Vec` first |
//! | `K007` | [`CommandError`] | a queue was made by another world | apply it to its own |
//! | `K008` | [`CommandErrors`] | several commands could not be done | see each of them |
//! | `K009` | [`CommandError`] | another entity has the [`Uuid`] | [`World::new_uuid`] makes one that nobody has, [`World::by_uuid`] finds who has it |
//! | `K010` | [`CommandError`] | a tag depends on what the entity does not have | insert that first or with it |
//! | `K011` | [`CommandError`] | the iterator of a batch has more bundles than it promised | collect them into a `Vec` first |
//! | `K012` | [`CommandError`] | a component that is [asked](Check) before it comes said no | the message says what it said |
//!
//! # Observers
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `O001` | [`HookTaken`] | the component has a hook for this act already | [`World::observe`], of which there can be many |
//! | `O002` | a panic | what observers defer makes observers defer, without end | let the observer look whether anything is left to do before it defers |
//! | `O003` | a panic | [`World::sparse_mut`] of a component that is observed | use [`World::insert`] and [`World::remove`], which call its observers |
//! | `O004` | a panic | commands that an observer [queued](Trigger::commands) could not be done | see each of them; [`Policy::Ignore`] if it does not matter |
//!
//! # Resources
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `R001` | [`NoResource`] | the world does not have the resource | [`World::insert_resource`] first, or use [`World::get_resource`], which answers `None` |
//!
//! # The world
//! | code | type | meaning | how to mend it |
//! |---|---|---|---|
//! | `W001` | [`BrokenInvariant`] | the world is not consistent | a bug in Phalanx, or in unsafe code beside it: please report it |
//! | `W002` | [`ValuesLeft`](crate::testing::ValuesLeft) | values that a test counts are not gone | drop what holds them; do not forget it |
//!
//! # Errors of the compiler
//! That a query takes a component twice and a bundle has one twice is mostly found in the build, and so is asking for slices of sparse components and
//! changing immutable ones.
//! Such errors come from constants that are evaluated when a generic function is used, so **`cargo build` and `cargo test` show them, `cargo
//! check` and most editors do not**. Only those in a `#[derive(Query)]` or `#[derive(Bundle)]` itself are shown everywhere.

#[allow(unused_imports, clippy::wildcard_imports, reason = "named by the documentation above")]
use crate::*;
