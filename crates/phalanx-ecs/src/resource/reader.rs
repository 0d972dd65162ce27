//! [`ResourceReader`]: what has happened to a resource since somebody last looked.

use super::Resource;
use super::store::{Resources, Ticks};
use crate::tick::Tick;
use std::fmt;
use std::marker::PhantomData;

/// Tells what has happened to a resource since it was last asked. Every reader has a position of its own for each of its questions,
/// and takes nothing away from others.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ResourceReader;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let mut reader = ResourceReader::<Score>::new();
/// assert!(!reader.changed(&world), "there is none");
///
/// world.insert_resource(Score(0));
/// assert!(reader.added(&world) && reader.changed(&world));
/// assert!(!reader.added(&world) && !reader.changed(&world), "nothing new");
///
/// world.remove_resource::<Score>();
/// assert!(reader.removed(&world));
/// ```
///
/// In another world than the one it was last asked about everything is new to it.
pub struct ResourceReader<R: Resource> {
    /// When it was last asked for each of these, in the world it was asked of last.
    seen: Ticks,
    /// The birth of that world.
    world: u64,
    _resource: PhantomData<fn() -> R>,
}

impl<R: Resource> ResourceReader<R> {
    /// A reader to which everything is new.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ResourceReader;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(0));
    /// assert!(ResourceReader::<Score>::new().changed(&world));
    /// ```
    pub fn new() -> Self {
        Self { seen: Ticks::default(), world: 0, _resource: PhantomData }
    }

    /// Looks at a world: the ticks of two have nothing to do with each other.
    pub(crate) fn at(&mut self, world: u64) -> &mut Self {
        if self.world != world {
            (self.seen, self.world) = (Ticks::default(), world);
        }
        self
    }

    pub(crate) fn looks_for_change(&mut self, resources: &Resources, now: Tick) -> bool {
        let happened = resources.ticks::<R>().filter(Ticks::is_there).map(|ticks| ticks.changed);
        is_new(happened, &mut self.seen.changed, now)
    }

    pub(crate) fn looks_for_arrival(&mut self, resources: &Resources, now: Tick) -> bool {
        let happened = resources.ticks::<R>().filter(Ticks::is_there).map(|ticks| ticks.added);
        is_new(happened, &mut self.seen.added, now)
    }

    pub(crate) fn looks_for_removal(&mut self, resources: &Resources, now: Tick) -> bool {
        is_new(resources.ticks::<R>().map(|ticks| ticks.removed), &mut self.seen.removed, now)
    }
}

/// Whether something happened after `seen`, which moves on to `now`.
fn is_new(happened: Option<Tick>, seen: &mut Tick, now: Tick) -> bool {
    let new = happened.is_some_and(|tick| tick > *seen);
    *seen = now;
    new
}

impl<R: Resource> Default for ResourceReader<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// The clone has seen what this one has seen.
impl<R: Resource> Clone for ResourceReader<R> {
    fn clone(&self) -> Self {
        Self { seen: self.seen, world: self.world, _resource: PhantomData }
    }
}

impl<R: Resource> fmt::Debug for ResourceReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ticks { added, changed, removed } = self.seen;
        write!(f, "ResourceReader(added {added:?}, changed {changed:?}, removed {removed:?})")
    }
}
