//! [`ResMut`]: a resource to write, which notes that it was written.

use super::Resource;
use crate::tick::{Clock, Tick};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A resource to read and write. Writing marks it as changed; reading does not.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ResourceReader;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(1));
/// let mut reader = ResourceReader::<Score>::new();
/// assert!(reader.changed(&world));
///
/// let score = world.resource_mut::<Score>()?;
/// assert_eq!(score.0, 1);
/// assert!(!reader.changed(&world), "it was only read");
///
/// world.resource_mut::<Score>()?.0 += 1;
/// assert!(reader.changed(&world));
/// # Ok::<(), phalanx_ecs::NoResource>(())
/// ```
pub struct ResMut<'w, R: Resource> {
    value: &'w mut R,
    changed: &'w mut Tick,
    clock: &'w mut Clock,
}

impl<'w, R: Resource> ResMut<'w, R> {
    #[inline]
    pub(crate) fn new(value: &'w mut R, changed: &'w mut Tick, clock: &'w mut Clock) -> Self {
        Self { value, changed, clock }
    }

    /// Writes a value if it differs from the present one, and answers whether it did. An equal one marks nothing.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource, PartialEq)] struct Volume(u8);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Volume(3));
    /// let mut volume = world.resource_mut::<Volume>()?;
    /// assert!(!volume.set_if_neq(Volume(3)));
    /// assert!(volume.set_if_neq(Volume(4)));
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    pub fn set_if_neq(&mut self, value: R) -> bool
    where
        R: PartialEq,
    {
        let differs = *self.value != value;
        if differs {
            **self = value;
        }
        differs
    }

    /// The value, to write without a mark: readers will not learn of it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Cache(Vec<u32>);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Cache(Vec::new()));
    /// let before = world.now();
    /// world.resource_mut::<Cache>()?.bypass().0.push(7);
    /// assert_eq!(world.now(), before);
    /// # Ok::<(), phalanx_ecs::NoResource>(())
    /// ```
    pub fn bypass(&mut self) -> &mut R {
        self.value
    }
}

impl<R: Resource> Deref for ResMut<'_, R> {
    type Target = R;
    #[inline]
    fn deref(&self) -> &R {
        self.value
    }
}

impl<R: Resource> DerefMut for ResMut<'_, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut R {
        *self.changed = self.clock.advance();
        self.value
    }
}

impl<R: Resource + fmt::Debug> fmt::Debug for ResMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
