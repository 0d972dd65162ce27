//! What each command does, for a run of equal ones.
//!
//! A run is applied as one bulk operation where the result is the same, and else one by one. Whatever panics, commands that were not reached stay in the
//! queue, and each command takes as many ids off its queue's lane as it was given when it was queued.

use super::fold::Link;
use crate::bundle::{Bundle, BundleParts};
use crate::component::{Component, Panics, Watch, called, short_name};
use crate::entity::{Entity, FullKind, Ids, NoSuchEntity};
use crate::outcome::{CommandError, CommandFault};
use crate::queue::{Deferred, Drain, Origin};
use crate::world::{InsertError, MissingDependency, World};
use std::any::type_name;
use std::cell::Cell;
use std::error::Error;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a queued function may answer: nothing, or a `Result`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// let mut commands = world.commands();
/// commands.run(|world: &mut World| { world.spawn(()); });
/// commands.run(|world: &mut World| world.try_spawn(()));
/// commands.run(|_: &mut World| Err::<(), _>("out of orcs"));
/// let error = world.apply(&mut commands).unwrap_err();
/// assert!(error.to_string().contains("out of orcs"));
/// assert_eq!(world.alive(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "a queued function answers nothing or a `Result`, not `{Self}`",
    label = "end it with `;`, or answer a `Result` whose error can be shown"
)]
pub trait CommandResult {
    /// The error, if it is one.
    #[doc(hidden)]
    fn error(self) -> Option<Box<dyn Error + Send + Sync>>;
}

impl CommandResult for () {
    fn error(self) -> Option<Box<dyn Error + Send + Sync>> {
        None
    }
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> CommandResult for Result<T, E> {
    fn error(self) -> Option<Box<dyn Error + Send + Sync>> {
        self.err().map(Into::into)
    }
}

/// Something could not be done.
#[cold]
fn refuse(world: &mut World, act: String, entity: Option<Entity>, fault: CommandFault, origin: Origin) {
    let queue = world.application.queue.clone();
    world.application.refuse(CommandError { act, entity, fault, queue, caller: origin.caller });
}

#[cold]
fn dead(world: &World, found: NoSuchEntity) -> CommandFault {
    let death = if found.is_past() { world.deaths.of(found.entity) } else { None };
    CommandFault::Dead { found, death }
}

#[cold]
fn insert_fault(world: &World, error: InsertError) -> CommandFault {
    match error {
        InsertError::Dead(found) => dead(world, found),
        InsertError::Duplicate { component, .. } => CommandFault::Duplicate(component),
        InsertError::Uuid(taken) => CommandFault::Uuid(taken),
        InsertError::Refused(refused) => CommandFault::Refused { component: refused.component, why: refused.why },
        InsertError::Lacks(MissingDependency { tag, missing, .. }) => CommandFault::Lacks { tag, missing },
    }
}

/// What a tag of a bundle would lack on a new entity.
fn lack_of_new<P: BundleParts>(world: &mut World, origin: Origin) -> Option<CommandFault> {
    let lack = world.store.lack_of_new::<P>()?;
    Some(insert_fault(world, InsertError::Lacks(world.missing_dependency(&lack, None, origin.caller))))
}

/// An entity as errors show it.
fn whom(world: &World, entity: Entity) -> String {
    called(entity, world.store.name_of(entity).as_ref())
}

fn name<T>() -> String {
    short_name(type_name::<T>())
}

/// Takes ids for `count` new entities off the lane.
fn claim(world: &mut World, count: usize) -> (Vec<Ids>, usize) {
    let mut ids = std::mem::take(&mut world.application.ids);
    ids.clear();
    world.application.lane.claim(count, &mut ids);
    let claimed = ids.iter().map(Ids::len).sum();
    (ids, claimed)
}

/// Registers the components of a bundle, which runs what types say of themselves. If that panics the command is lost, and not tried again and again.
fn make_known<P: BundleParts>(world: &mut World) -> Panics {
    let mut panics = Panics::default();
    panics.catch(|| world.store.make_known::<P>());
    panics
}

/// Drops the first of a run, which cannot be done because something panicked.
#[cold]
fn lose_first<T>(run: &mut Drain<'_, T>, mut panics: Panics) {
    panics.catch(|| drop(run.next()));
    panics.resume();
}

/// A new entity. It has the parts of its bundle, so that no code of anybody's runs when they are moved into a row.
pub(super) struct SpawnOne<B: Bundle>(pub(super) B::Parts);

impl<B: Bundle> SpawnOne<B> {
    /// Spawns the first of a run, whose id was claimed.
    #[inline(never)]
    fn spawn_first(run: &mut Drain<'_, Self>, world: &mut World, origin: Origin, ids: Vec<Ids>) {
        let entity = world.application.lane.handles(&ids).next().expect("one id");
        let SpawnOne(parts) = run.next().expect("a run is not empty");
        world.application.ids = ids;
        if let Err(fault) = world.spawn_given_one(entity, parts, origin.caller) {
            let act = format!("spawn `{}` as entity {entity}", name::<B>());
            refuse(world, act, Some(entity), fault, origin);
        }
    }

    /// Gives up the id of the first of a run, and says why.
    #[cold]
    fn refuse_first(run: &mut Drain<'_, Self>, world: &mut World, origin: Origin, fault: CommandFault) {
        let (ids, _) = claim(world, 1);
        world.store.entities.give_up_all(&ids);
        let entity = world.application.lane.handles(&ids).next();
        let whom = entity.map_or_else(String::new, |entity| format!(" as entity {entity}"));
        refuse(world, format!("spawn `{}`{whom}", name::<B>()), entity, fault, origin);
        drop(run.next());
    }
}

impl<B: Bundle> Deferred<World> for SpawnOne<B> {
    const LINK: Option<&'static Link> = if B::Parts::SIMPLE { Some(&Link::spawn::<B>()) } else { None };

    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        if run.len() == 1
            && world.store.entities.room_for_reserved() > 0
            && world.store.spawns_fast::<B::Parts>()
            && let Some(entity) = world.application.lane.claim_one()
            && let Some(SpawnOne(parts)) = run.next()
        {
            let spawned = world.store.spawn_given_fast(entity, parts);
            assert!(spawned.is_ok(), "asked for before");
            return;
        }
        let panics = make_known::<B::Parts>(world);
        if panics.any() {
            let (ids, _) = claim(world, 1);
            world.store.entities.give_up_all(&ids);
            world.application.ids = ids;
            return lose_first(&mut run, panics);
        }
        if let Some(lacks) = lack_of_new::<B::Parts>(world, origin) {
            return Self::refuse_first(&mut run, world, origin, lacks);
        }
        let plain = match world.store.spawns_plainly::<B::Parts>() {
            Ok(plain) => plain && !world.is_attended::<B::Parts>(Watch::INSERT),
            Err(duplicate) => {
                let component = world.store.registry.name_of(duplicate.0).to_owned();
                return Self::refuse_first(&mut run, world, origin, CommandFault::Duplicate(component));
            }
        };
        let room = world.store.entities.room_for_reserved();
        if room == 0 {
            let full = world.store.entities.full(1, FullKind::Limit);
            return Self::refuse_first(&mut run, world, origin, CommandFault::Full(full.asked_by(origin.caller)));
        }
        let (ids, count) = claim(world, if plain { run.len().min(room) } else { 1 });
        if count == 0 {
            // Somebody has put another world into the place of this one.
            return Self::refuse_first(&mut run, world, origin, CommandFault::NoIds);
        }
        if plain {
            let following = run.following();
            let bundles = run.by_ref().map(|SpawnOne(parts)| parts);
            let spawned = world.store.spawn_given(&ids, count, following, bundles);
            assert!(spawned == Ok(count), "as many bundles as ids");
        } else {
            return Self::spawn_first(&mut run, world, origin, ids);
        }
        world.application.ids = ids;
    }
}

/// A new entity for which there was no id.
pub(super) struct SpawnNowhere<B>(pub(super) B);

impl<B: Bundle + Send> Deferred<World> for SpawnNowhere<B> {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        refuse(world, format!("spawn `{}`", name::<B>()), None, CommandFault::NoIds, origin);
        drop(run.next());
    }
}

/// New entities from an iterator.
pub(super) struct SpawnMany<I> {
    pub(super) bundles: I,
    pub(super) promised: usize,
    /// How many ids there are for them.
    pub(super) reserved: usize,
}

impl<I: ExactSizeIterator<Item: Bundle> + Send + 'static> Deferred<World> for SpawnMany<I> {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let Self { bundles, promised, reserved } = run.next().expect("a run is not empty");
        let (ids, claimed) = claim(world, reserved);
        let mut panics = make_known::<<I::Item as Bundle>::Parts>(world);
        if panics.any() {
            world.store.entities.give_up_all(&ids);
            world.application.ids = ids;
            panics.catch(|| drop(bundles));
            return panics.resume();
        }
        let room = world.store.entities.room_for_reserved();
        let fault = if claimed < promised {
            CommandFault::NoIds
        } else if room < promised {
            let full = world.store.entities.full(promised, FullKind::Limit);
            CommandFault::Full(full.asked_by(origin.caller))
        } else if let Some(lacks) = lack_of_new::<<I::Item as Bundle>::Parts>(world, origin) {
            lacks
        } else {
            let more = Cell::new(false);
            match world.spawn_given(&ids, claimed, Asked { bundles, more: &more }, origin.caller) {
                Ok(given) if given == promised && more.get() => CommandFault::Long { promised },
                Ok(given) if given == promised => {
                    world.application.ids = ids;
                    return;
                }
                Ok(given) => CommandFault::Short { promised, given },
                Err(fault) => fault,
            }
        };
        if matches!(fault, CommandFault::NoIds | CommandFault::Full(_) | CommandFault::Lacks { .. }) {
            world.store.entities.give_up_all(&ids);
        }
        let act = format!("spawn a batch of {promised} × `{}`", name::<I::Item>());
        refuse(world, act, None, fault, origin);
    }
}

/// The bundles of a batch, which are asked at the end whether there are more of them.
struct Asked<'a, I: Iterator> {
    bundles: I,
    more: &'a Cell<bool>,
}

impl<I: Iterator> Iterator for Asked<'_, I> {
    type Item = I::Item;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<I::Item> {
        self.bundles.next()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.bundles.size_hint()
    }
}

impl<I: Iterator> Drop for Asked<'_, I> {
    fn drop(&mut self) {
        // What was spawned is spawned: a panic from here on would seem to come from one of those.
        if !std::thread::panicking() {
            let more = catch_unwind(AssertUnwindSafe(|| self.bundles.next().is_some()));
            self.more.set(more.unwrap_or(true));
        }
    }
}

/// A bundle for an entity.
pub(super) struct Insert<B: Bundle> {
    pub(super) entity: Entity,
    pub(super) parts: B::Parts,
}

impl<B: Bundle> Deferred<World> for Insert<B> {
    const LINK: Option<&'static Link> = if B::Parts::SIMPLE { Some(&Link::insert::<B>()) } else { None };

    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let panics = make_known::<B::Parts>(world);
        if panics.any() {
            return lose_first(&mut run, panics);
        }
        if run.len() > 1
            && !world.attends_insert::<B::Parts>()
            && !world.store.depends::<B::Parts>()
            && let Some(archetype) = world.archetype_of_all(run.as_slice().iter().map(|insert| insert.entity))
        {
            let mut panics = Panics::default();
            let mut next = |_| run.next().expect("as many as entities").parts;
            // A bundle that has something twice is refused one by one, below.
            let inserted = world.store.insert_into_all::<B::Parts>(archetype, false, &mut next, &mut panics);
            panics.resume();
            if inserted.is_ok() {
                return;
            }
        }
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self { entity, parts }) = run.next()
        {
            if let Err(error) = world.insert_unpacked(entity, parts, origin.caller) {
                let fault = insert_fault(world, error);
                refuse(
                    world,
                    format!("insert `{}` into entity {}", name::<B>(), whom(world, entity)),
                    Some(entity),
                    fault,
                    origin,
                );
            }
        }
    }
}

/// A component for an entity that lacks it.
pub(super) struct InsertIfNew<T> {
    pub(super) entity: Entity,
    pub(super) value: T,
}

impl<T: Component> Deferred<World> for InsertIfNew<T> {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self { entity, value }) = run.next()
        {
            if let Err(error) = world.insert_if_new(entity, value) {
                let fault = insert_fault(world, error);
                refuse(
                    world,
                    format!("insert `{}` into entity {}", name::<T>(), whom(world, entity)),
                    Some(entity),
                    fault,
                    origin,
                );
            }
        }
    }
}

/// A bundle taken off an entity.
pub(super) struct Remove<B> {
    pub(super) entity: Entity,
    bundle: PhantomData<fn() -> B>,
}

impl<B> Remove<B> {
    pub(super) fn of(entity: Entity) -> Self {
        Self { entity, bundle: PhantomData }
    }
}

impl<B: Bundle> Deferred<World> for Remove<B> {
    const LINK: Option<&'static Link> = if B::Parts::SIMPLE { Some(&Link::remove::<B>()) } else { None };

    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let panics = make_known::<B::Parts>(world);
        if panics.any() {
            return lose_first(&mut run, panics);
        }
        // With several components, or tags that go with them, values would be dropped in another order.
        if run.len() > 1
            && B::Parts::COUNT == 1
            && !world.takes_tags_along::<B::Parts>()
            && !world.is_attended::<B::Parts>(Watch::REMOVE)
            && let Some(archetype) = world.archetype_of_all(run.as_slice().iter().map(|remove| remove.entity))
        {
            run.by_ref().for_each(drop);
            let removed = world.store.remove_from_all::<B::Parts>(archetype);
            assert!(removed.is_ok(), "one component is not there twice");
            return;
        }
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self { entity, .. }) = run.next()
        {
            if let Err(error) = world.remove::<B>(entity) {
                let fault = insert_fault(world, error);
                refuse(
                    world,
                    format!("remove `{}` from entity {}", name::<B>(), whom(world, entity)),
                    Some(entity),
                    fault,
                    origin,
                );
            }
        }
    }
}

/// Everything but a bundle taken off an entity.
pub(super) struct Retain<B> {
    entity: Entity,
    bundle: PhantomData<fn() -> B>,
}

impl<B> Retain<B> {
    pub(super) fn of(entity: Entity) -> Self {
        Self { entity, bundle: PhantomData }
    }
}

impl<B: Bundle> Deferred<World> for Retain<B> {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self { entity, .. }) = run.next()
        {
            if let Err(found) = world.retain::<B>(entity) {
                let fault = dead(world, found);
                let act = format!("remove all but `{}` from entity {entity}", name::<B>());
                refuse(world, act, Some(entity), fault, origin);
            }
        }
    }
}

/// The end of an entity.
pub(super) struct Despawn(pub(super) Entity);

fn despawn(world: &mut World, entity: Entity, origin: Origin) {
    let queue = world.application.queue.clone();
    if let Err(found) = world.despawn_for(entity, origin.caller, queue.as_ref()) {
        let fault = dead(world, found);
        refuse(world, format!("despawn entity {entity}"), Some(entity), fault, origin);
    }
}

impl Deferred<World> for Despawn {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self(entity)) = run.next()
        {
            despawn(world, entity, origin);
        }
    }
}

/// The end of many entities.
pub(super) struct DespawnMany(pub(super) Vec<Entity>);

impl Deferred<World> for DespawnMany {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let Self(entities) = run.next().expect("a run is not empty");
        // As `World::despawn_batch`: a drop that panics does not keep the others from going.
        let mut panics = Panics::default();
        for entity in entities {
            panics.catch(|| despawn(world, entity, origin));
        }
        panics.resume();
    }
}

/// Anything else.
/// Something to run, and what errors call it; nothing if it is a function of the user's.
pub(super) struct Run<F>(pub(super) F, pub(super) Option<Called>);

/// What to call an act on an entity.
pub(super) type Called = (fn(Entity) -> String, Entity);

impl<R: CommandResult, F: FnOnce(&mut World) -> R + Send + 'static> Deferred<World> for Run<F> {
    fn apply(mut run: Drain<'_, Self>, world: &mut World, origin: Origin) {
        let application = world.application.id;
        while world.application.goes_on(application)
            && let Some(Self(act, name)) = run.next()
        {
            let what = || name.map_or_else(|| "run a queued function".to_owned(), |(name, entity)| name(entity));
            let entity = name.map(|(_, entity)| entity);
            if let Some(entity) = entity.filter(|entity| !world.is_alive(*entity)) {
                let found = world.deaths.explain(&world.store.why(entity), origin.caller);
                let fault = dead(world, found);
                refuse(world, what(), Some(entity), fault, origin);
            } else if let Some(error) = act(world).error() {
                refuse(world, what(), entity, CommandFault::Failed(Arc::from(error)), origin);
            }
        }
    }
}
