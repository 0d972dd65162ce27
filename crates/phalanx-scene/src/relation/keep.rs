//! What relations do by themselves when they come and go, and when their targets do: they keep the ties.
//!
//! ```text
//! R to one     comes        tied to its target, which becomes `Targeted` if it is its first source
//!              replaced     cut
//! R            goes         all ties of the source are cut; a target without sources is not `Targeted` any more
//! R to many    comes        goes again, if it has no target
//! Targeted<R>  its entity ends    what `R::TARGET_ENDS` says
//!              goes otherwise     its sources are no longer related to it
//! ```
//!
//! While that happens nothing else can come or go: what has to is deferred, and done before the operation returns.

use super::kind::{Relation, RelationMany, RelationOne, TargetEnds};
use super::relations::Relations;
use super::ties::Ties;
use crate::hierarchy::{Endings, Way, end_all, why};
use phalanx_ecs::{
    Act, Component, Described, Describer, Entity, Folder, Hooks, Kind, NotAliveReason, OwnHooks, Schema, Trigger, Wish,
    World,
};
use std::any::{TypeId, type_name};
use std::error::Error;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// An entity to which others are related by `R`. It comes with the first and goes with the last of them; who removes it ends all these relations.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Relations, Targeted};
///
/// #[derive(Relation, Clone, Copy)] struct Follows(Entity);
///
/// let mut world = World::new();
/// let ann = world.spawn(());
/// let duck = world.spawn(Follows(ann));
/// assert!(world.has::<Targeted<Follows>>(ann));
/// world.remove::<Targeted<Follows>>(ann)?;
/// assert!(!world.has::<Follows>(duck));
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
///
/// It is a tag in tables: who becomes a target, or is none any more, moves to another table, which changes the [order](struct@phalanx_ecs::Query#order) in which queries walk.
pub struct Targeted<R: Relation>(PhantomData<fn() -> R>);

impl<R: Relation> Component for Targeted<R> {
    const LEFT_OUT_OF_CLONES: bool = true;
    const LEFT_OUT_OF_MOVES: bool = true;
    const HOOKS: Option<OwnHooks> =
        Some(const { &Hooks::new().on(Act::Despawn, target_ends::<R>).on(Act::Remove, let_sources_go::<R>) }.own());

    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(|_| Self(PhantomData))
    }

    fn schema() -> Schema {
        Schema::of::<Self>()
    }

    fn fold_fn() -> Option<fn(&Self, &mut Folder)> {
        Some(|_, _| ())
    }
}

/// There is nothing in it.
impl<R: Relation> Described for Targeted<R> {
    fn describe(describer: &mut Describer) -> Kind {
        <()>::describe(describer)
    }

    fn fold_into(&self, _: &mut Folder) {}
}

type Answer = Result<(), Box<dyn Error + Send + Sync>>;

/// A relation to one is asked whether its target is alive.
///
/// # Errors
/// Whose is not.
#[doc(hidden)]
pub fn check_one<R: RelationOne>(world: &World, wishes: &[Wish<R>]) -> Answer {
    for wish in wishes {
        let target = wish.value.target();
        if let Err(dead) = world.entity(target)
            && !(R::TARGET_ENDS == TargetEnds::Keep && was_alive(dead.reason))
        {
            return Err(format!("its target {target} is not alive: {}", why(dead.reason)).into());
        }
    }
    Ok(())
}

/// Whether it was alive once, in this world.
fn was_alive(reason: NotAliveReason) -> bool {
    use NotAliveReason::{Despawned, Retired, Uncollected};
    matches!(reason, Despawned { .. } | Uncollected { .. } | Retired)
}

/// A relation to many is asked whether it has a target.
///
/// # Errors
/// If it has none.
#[doc(hidden)]
pub fn check_many<R: RelationMany>(world: &World, wishes: &[Wish<R>]) -> Answer {
    let ties = world.get_resource::<Ties<R>>();
    let is_tied = |wish: &Wish<R>| ties.zip(wish.entity).is_some_and(|(ties, source)| ties.targets(source).len() > 0);
    if wishes.iter().all(is_tied) {
        return Ok(());
    }
    Err("it has no target: say `world.relate::<…>(source, target)`, which brings the component".into())
}

/// Takes relations to many away again that came without a target: one that was removed and inserted in one go had targets when it was asked.
#[doc(hidden)]
pub fn settle<R: RelationMany>(trigger: &mut Trigger<'_>) {
    let ties = trigger.world().get_resource::<Ties<R>>();
    let is_idle = |source: &Entity| ties.is_none_or(|ties| ties.targets(*source).len() == 0);
    let idle: Vec<Entity> = trigger.entities().iter().copied().filter(is_idle).collect();
    if !idle.is_empty() {
        trigger.defer(move |world| release::<R>(world, idle));
    }
}

/// Ties a source whose relation has come.
#[doc(hidden)]
pub fn tie<R: RelationOne>(trigger: &mut Trigger<'_>) {
    if R::TARGET_ENDS == TargetEnds::Despawn && !trigger.world().has_resource::<Ties<R>>() {
        trigger.init_resource::<Endings>().add(way::<R>());
    }
    let mut targets = Vec::new();
    for &source in trigger.entities() {
        let Some(target) = trigger.world().get::<R>(source).map(R::target) else { continue };
        let mut ties = trigger.init_resource::<Ties<R>>();
        ties.tie(source, target);
        if ties.sources(target).len() == 1 {
            targets.push(target);
        }
    }
    mark_later::<R>(trigger, targets);
}

/// Cuts a source whose relation goes.
#[doc(hidden)]
pub fn cut<R: Relation>(trigger: &mut Trigger<'_>) {
    let mut targets = Vec::new();
    for &source in trigger.entities() {
        let Some(mut ties) = trigger.get_resource_mut::<Ties<R>>() else { return };
        ties.take_targets(source, &mut targets);
    }
    targets.retain(|target| {
        let ties = trigger.world().get_resource::<Ties<R>>();
        ties.is_some_and(|ties| ties.sources(*target).len() == 0) && trigger.world().has::<Targeted<R>>(*target)
    });
    mark_later::<R>(trigger, targets);
}

fn mark_later<R: Relation>(trigger: &mut Trigger<'_>, targets: Vec<Entity>) {
    if !targets.is_empty() {
        trigger.defer(move |world| mark_all::<R>(world, targets));
    }
}

/// Makes entities [`Targeted`] if somebody is related to them, and not if nobody is. A panic of who observes one does not keep the others from it.
fn mark_all<R: Relation>(world: &mut World, targets: Vec<Entity>) {
    let mut panic = None;
    for target in targets {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| mark::<R>(world, target))) {
            panic.get_or_insert(payload);
        }
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
}

/// Makes an entity [`Targeted`] if somebody is related to it, and not if nobody is. If it has ended before anybody could, what follows from that follows now.
pub(super) fn mark<R: Relation>(world: &mut World, target: Entity) {
    let is_target = world.get_resource::<Ties<R>>().is_some_and(|ties| ties.sources(target).len() > 0);
    if !world.is_alive(target) {
        let mut sources = Vec::new();
        if is_target && R::TARGET_ENDS != TargetEnds::Keep {
            world.init_resource::<Ties<R>>().take_sources(target, &mut sources);
            part::<R>(world, sources);
        }
        return;
    }
    if world.has::<Targeted<R>>(target) != is_target {
        let marked = if is_target {
            world.insert(target, Targeted::<R>(PhantomData))
        } else {
            world.remove::<Targeted<R>>(target).map(drop)
        };
        assert!(marked.is_ok(), "a tag can come to who is alive, and go");
    }
}

fn target_ends<R: Relation>(trigger: &mut Trigger<'_>) {
    if R::TARGET_ENDS == TargetEnds::Keep {
        return;
    }
    let mut sources = Vec::new();
    for &target in trigger.entities() {
        let Some(mut ties) = trigger.get_resource_mut::<Ties<R>>() else { return };
        ties.take_sources(target, &mut sources);
    }
    if !sources.is_empty() {
        trigger.defer(move |world| part::<R>(world, sources));
    }
}

/// Does to sources whose target has ended what is to be done to them; their ties to it are cut.
fn part<R: Relation>(world: &mut World, mut sources: Vec<Entity>) {
    if R::TARGET_ENDS != TargetEnds::Despawn {
        return release::<R>(world, sources);
    }
    note_ending::<R>(world);
    // Who has found another target meanwhile is spared, if one is enough.
    let is_spared = |source: &Entity| !R::MANY && world.target::<R>(*source).is_some();
    sources.retain(|source| world.is_alive(*source) && !is_spared(source));
    // With them end their descendants, their own sources, and so on: all at once, however long the row is.
    end_all(world, sources);
}

/// Makes known that sources end with their targets, if they do.
pub(super) fn note_ending<R: Relation>(world: &mut World) {
    if R::TARGET_ENDS == TargetEnds::Despawn {
        world.init_resource::<Endings>().add(way::<R>());
    }
}

fn way<R: Relation>() -> Way {
    Way { kind: TypeId::of::<R>(), name: type_name::<R>(), take: take_sources::<R>, spare: spare::<R> }
}

/// Adds to a list those who end with any of it, from a place on.
fn take_sources<R: Relation>(world: &mut World, list: &mut Vec<Entity>, from: usize) {
    let Some(mut ties) = world.get_resource_mut::<Ties<R>>() else { return };
    let mut at = from;
    while at < list.len() && !ties.is_empty() {
        let target = list[at];
        if ties.sources(target).len() > 0 {
            ties.take_sources(target, list);
        }
        at += 1;
    }
}

/// Ends relations of entities to whomever.
fn spare<R: Relation>(world: &mut World, sources: &[Entity]) {
    let sources: Vec<Entity> = sources.iter().copied().filter(|source| world.has::<R>(*source)).collect();
    let removed = world.remove_batch::<R>(sources);
    assert!(removed.is_ok(), "all are alive");
}

/// Takes the component off those who are related to nobody any more.
fn release<R: Relation>(world: &mut World, mut sources: Vec<Entity>) {
    sources.retain(|source| {
        let ties = world.get_resource::<Ties<R>>();
        world.has::<R>(*source) && ties.is_none_or(|ties| ties.targets(*source).len() == 0)
    });
    let released = world.remove_batch::<R>(sources);
    assert!(released.is_ok(), "all are alive");
}

fn let_sources_go<R: Relation>(trigger: &mut Trigger<'_>) {
    let Some(ties) = trigger.world().get_resource::<Ties<R>>() else { return };
    let pairs: Vec<(Entity, Entity)> =
        trigger.entities().iter().flat_map(|target| ties.sources(*target).map(|source| (source, *target))).collect();
    if !pairs.is_empty() {
        trigger.defer(move |world| end_ties::<R>(world, pairs));
    }
}

/// Ends relations of sources to targets, as far as there are any and the target is alive: what follows from its end has been seen to.
fn end_ties<R: Relation>(world: &mut World, pairs: Vec<(Entity, Entity)>) {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for (source, target) in pairs {
        if world.is_alive(target) && world.init_resource::<Ties<R>>().cut(source, target) {
            sources.push(source);
        }
        targets.push(target);
    }
    // Observers of one tag may panic: the others are put in order all the same.
    let marked = catch_unwind(AssertUnwindSafe(|| mark_all::<R>(world, targets)));
    release::<R>(world, sources);
    if let Err(panic) = marked {
        resume_unwind(panic);
    }
}

/// Compares ties to one with the values that name them.
///
/// # Errors
/// What is wrong.
#[doc(hidden)]
pub fn validate_one<R: RelationOne>(world: &World) -> Result<(), String> {
    validate::<R>(world)?;
    // If there are none that is in order: nobody has the component.
    let Some(ties) = world.get_resource::<Ties<R>>() else { return Ok(()) };
    for source in world.entities() {
        let target = world.get::<R>(source).map(R::target);
        if !ties.targets(source).eq(target) {
            return Err(format!("{source} names {target:?}, and is tied to {:?}", ties.targets(source)));
        }
    }
    Ok(())
}

/// Compares ties with components.
///
/// # Errors
/// What is wrong.
#[doc(hidden)]
pub fn validate<R: Relation>(world: &World) -> Result<(), String> {
    let Some(ties) = world.get_resource::<Ties<R>>() else {
        let is_lost = |entity: &Entity| world.has::<R>(*entity) || world.has::<Targeted<R>>(*entity);
        return match world.entities().find(is_lost) {
            Some(lost) => Err(format!("{lost} is related to somebody, but the resource `Ties` was taken out")),
            None => Ok(()),
        };
    };
    if let Some(source) = ties.all_sources().find(|source| !world.has::<R>(*source)) {
        return Err(format!("{source} is tied to others, but lacks the component"));
    }
    let is_marked = |target: &Entity| world.has::<Targeted<R>>(*target) || !world.is_alive(*target);
    if let Some(target) = ties.all_targets().find(|target| !is_marked(target)) {
        return Err(format!("others are tied to {target}, which is not `Targeted`"));
    }
    let is_idle = |entity: &Entity| world.has::<Targeted<R>>(*entity) && ties.sources(*entity).len() == 0;
    if let Some(target) = world.entities().find(is_idle) {
        return Err(format!("{target} is `Targeted`, and nobody is tied to it"));
    }
    let sources = world.entities().filter(|entity| world.has::<R>(*entity)).count();
    let tied = ties.all_sources().count();
    if sources == tied { Ok(()) } else { Err(format!("{sources} have the component, but {tied} are tied to others")) }
}
