//! Resources: values of which a world has at most one each.

use super::World;
use super::edit::list;
use crate::component::short_name;
use crate::entity::debug_as_display;
use crate::resource::{ResMut, Resource, ResourceInfo, ResourceReader, name_of};
use crate::tick::Tick;
use std::fmt;
use std::panic::Location;

/// A resource was expected and is not there.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)] struct Score(u32);
/// #[derive(Resource)] struct Gravity(f32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let error = world.resource::<Gravity>().err().unwrap();
/// assert!(error.to_string().starts_with("error[R001]: the world has no resource `Gravity`\n  found: it was never inserted\n  present: `Score`"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoResource {
    /// The resource's name.
    pub resource: String,
    /// The name of its type, without paths.
    pub type_name: String,
    /// Whether it was there once, and was removed.
    pub removed: bool,
    /// The resources that are there.
    pub present: Vec<String>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for NoResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, type_name, removed, present, caller } = self;
        let found = if *removed { "it was removed" } else { "it was never inserted" };
        write!(
            f,
            "error[R001]: the world has no resource `{resource}`\n  found: {found}\n  present: {}\n  asked by: {}:{}\n  help: call `world.insert_resource(…)` with a `{type_name}` first, or use `world.get_resource::<{type_name}>()`, which answers `None`",
            list(present),
            caller.file(),
            caller.line()
        )
    }
}

debug_as_display!(NoResource);

impl std::error::Error for NoResource {}

/// # Resources
impl World {
    #[cold]
    #[inline(never)]
    pub(crate) fn no_resource<R: Resource>(&self, caller: &'static Location<'static>) -> NoResource {
        NoResource {
            resource: name_of::<R>(),
            type_name: short_name(std::any::type_name::<R>()),
            removed: self.resources.ticks::<R>().is_some_and(|ticks| ticks.was_removed()),
            present: self.resources.names().map(Into::into).collect(),
            caller,
        }
    }

    /// The latest [tick](Tick) of this world. It begins at 0, and goes on by one with each resource that is inserted, removed or written to, and with each
    /// [claim](crate::Claim), whose writes all have the tick that it got (one of an empty plan may get none). Nothing else moves it: not what happens to entities and components, nor events or time.
    ///
    /// So it tells what was written before what ([`ResourceInfo`], [`Death::tick`](crate::Death)), and no more. Changes of components are found by
    /// [`Changed`](crate::Changed).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(0));
    /// let before = world.now();
    /// world.resource_mut::<Score>()?.0 += 1;
    /// assert!(world.now() > before);
    ///
    /// let before = world.now();
    /// world.spawn(());
    /// assert_eq!(world.now(), before, "no resource was written");
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    #[inline]
    pub fn now(&self) -> Tick {
        self.clock.now()
    }

    /// Inserts a resource, and answers the one it replaced.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource, PartialEq, Debug)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.insert_resource(Score(1)), None);
    /// assert_eq!(world.insert_resource(Score(2)), Some(Score(1)));
    /// ```
    pub fn insert_resource<R: Resource>(&mut self, resource: R) -> Option<R> {
        self.resources.insert(resource, &mut self.clock)
    }

    /// Removes a resource, and answers it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource, PartialEq, Debug)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(1));
    /// assert_eq!(world.remove_resource(), Some(Score(1)));
    /// assert_eq!(world.remove_resource::<Score>(), None);
    /// ```
    pub fn remove_resource<R: Resource>(&mut self) -> Option<R> {
        self.resources.remove(&mut self.clock)
    }

    /// Whether a resource is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert!(!world.has_resource::<Score>());
    /// world.insert_resource(Score(1));
    /// assert!(world.has_resource::<Score>());
    /// ```
    pub fn has_resource<R: Resource>(&self) -> bool {
        self.resources.find::<R>().is_some()
    }

    /// A resource that must be there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Gravity(f32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Gravity(9.81));
    /// assert_eq!(world.resource::<Gravity>()?.0, 9.81);
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    ///
    /// # Errors
    /// [`NoResource`] if it is not.
    #[inline]
    #[track_caller]
    pub fn resource<R: Resource>(&self) -> Result<&R, NoResource> {
        match self.resources.get() {
            Some(resource) => Ok(resource),
            None => Err(self.no_resource::<R>(Location::caller())),
        }
    }

    /// A resource that must be there, to write. Only writing marks it as changed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(1));
    /// world.resource_mut::<Score>()?.0 += 1;
    /// assert_eq!(world.resource::<Score>()?.0, 2);
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    ///
    /// # Errors
    /// [`NoResource`] if it is not.
    #[inline]
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Result<ResMut<'_, R>, NoResource> {
        match self.resources.find::<R>() {
            Some(found) => Ok(self.resources.at_mut(&found, &mut self.clock)),
            None => Err(self.no_resource::<R>(Location::caller())),
        }
    }

    /// A resource, if it is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.get_resource::<Score>().is_none());
    /// world.insert_resource(Score(1));
    /// assert_eq!(world.get_resource::<Score>().map(|score| score.0), Some(1));
    /// ```
    #[inline]
    pub fn get_resource<R: Resource>(&self) -> Option<&R> {
        self.resources.get()
    }

    /// A resource, if it is there, to write. Only writing marks it as changed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.get_resource_mut::<Score>().is_none());
    /// world.insert_resource(Score(1));
    /// if let Some(mut score) = world.get_resource_mut::<Score>() {
    ///     score.0 += 1;
    /// }
    /// assert_eq!(world.get_resource::<Score>().map(|score| score.0), Some(2));
    /// ```
    #[inline]
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<ResMut<'_, R>> {
        let found = self.resources.find::<R>()?;
        Some(self.resources.at_mut(&found, &mut self.clock))
    }

    /// A resource, which is made and inserted if it is not there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// for _ in 0..3 {
    ///     world.resource_or_insert_with(|| Score(10)).0 += 1;
    /// }
    /// assert_eq!(world.resource::<Score>()?.0, 13);
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    pub fn resource_or_insert_with<R: Resource>(&mut self, make: impl FnOnce() -> R) -> ResMut<'_, R> {
        if !self.has_resource::<R>() {
            self.insert_resource(make());
        }
        let found = self.resources.find().expect("it is there");
        self.resources.at_mut(&found, &mut self.clock)
    }

    /// A resource, of which the default is inserted if it is not there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource, Default)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Score>();
    /// assert_eq!(world.resource::<Score>()?.0, 0);
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    pub fn init_resource<R: Resource + Default>(&mut self) -> ResMut<'_, R> {
        self.resource_or_insert_with(R::default)
    }

    /// The resources that are there: their names and when they changed, in the order in which the types were first inserted.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    /// #[derive(Resource)] struct Gravity(f32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(1));
    /// world.insert_resource(Gravity(9.81));
    /// assert!(world.resources().map(|info| info.name).eq(["Score", "Gravity"]));
    /// ```
    pub fn resources(&self) -> impl Iterator<Item = ResourceInfo<'_>> {
        self.resources.iter()
    }
}

impl<R: Resource> ResourceReader<R> {
    /// Whether the resource is there and was inserted or written since this was last asked; the first time, whether it is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ResourceReader;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(0));
    /// let mut reader = ResourceReader::<Score>::new();
    /// assert!(reader.changed(&world));
    /// assert!(!reader.changed(&world));
    /// world.resource_mut::<Score>()?.0 += 1;
    /// assert!(reader.changed(&world));
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    pub fn changed(&mut self, world: &World) -> bool {
        self.at(world.store.birth().get()).looks_for_change(&world.resources, world.now())
    }

    /// Whether the resource is there and was not when this was last asked, or was removed and inserted again since.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ResourceReader;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = ResourceReader::<Score>::new();
    /// world.insert_resource(Score(0));
    /// assert!(reader.added(&world));
    /// world.insert_resource(Score(1));
    /// assert!(!reader.added(&world), "it was there already");
    /// ```
    pub fn added(&mut self, world: &World) -> bool {
        self.at(world.store.birth().get()).looks_for_arrival(&world.resources, world.now())
    }

    /// Whether the resource was removed since this was last asked; it may be there again.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ResourceReader;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = ResourceReader::<Score>::new();
    /// world.insert_resource(Score(0));
    /// assert!(!reader.removed(&world));
    /// world.remove_resource::<Score>();
    /// assert!(reader.removed(&world));
    /// assert!(!reader.removed(&world));
    /// ```
    pub fn removed(&mut self, world: &World) -> bool {
        self.at(world.store.birth().get()).looks_for_removal(&world.resources, world.now())
    }
}
