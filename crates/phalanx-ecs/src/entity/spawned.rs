//! `Spawned`: the ids of a batch.
//!
//! A batch takes freed indices first, then fresh ones, then (only when none is left) freed ones again:
//!
//! ```text
//! position   0 ………… lead   lead ……………………… lead + fresh.len()   …… len
//! from       reused[..lead]     fresh, generation 0         reused[lead..]
//! ```
//!
//! Fresh ids follow each other, so a range stands for all of them: a million new entities come
//! back in a few words.

use super::handle::{Entity, FIRST_STAMP};
use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Index, Range};
use std::sync::OnceLock;

/// The entities a batch spawned, in the order of the batch.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Mass(u32);
///
/// let mut world = World::new();
/// let balls = world.spawn_batch((0..100).map(Mass));
/// assert_eq!(world.get::<Mass>(balls[7]).unwrap().0, 7);
/// assert_eq!(balls.iter().last(), Some(balls[99]));
/// world.despawn_batch(&balls)?;
/// # Ok::<(), phalanx_ecs::DespawnBatchError>(())
/// ```
#[derive(Clone)]
pub struct Spawned {
    pub(super) reused: Vec<Entity>,
    /// How many of `reused` come before the fresh ones.
    pub(super) lead: usize,
    pub(super) fresh: Range<u32>,
    /// The salt of the world, for the fresh handles.
    pub(super) salt: u32,
    /// The fresh handles one by one, once somebody has asked for a reference to one.
    listed: OnceLock<Box<[Entity]>>,
}

impl Spawned {
    pub(super) fn new(reused: Vec<Entity>, lead: usize, fresh: Range<u32>, salt: u32) -> Self {
        Self { reused, lead, fresh, salt, listed: OnceLock::new() }
    }

    /// How many entities there are.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert_eq!(world.spawn_batch([3, 2, 1].map(Health)).len(), 3);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.reused.len() + self.fresh.len()
    }

    /// Whether the batch was empty.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert!(world.spawn_batch(Vec::<Health>::new()).is_empty());
    /// assert!(!world.spawn_batch([Health(3)]).is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entity made from the item at `position` of the batch.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([3, 2, 1].map(Health));
    /// assert_eq!(world.get::<Health>(orcs.get(1).unwrap()).unwrap().0, 2);
    /// assert_eq!(orcs.get(3), None);
    /// ```
    #[inline]
    pub fn get(&self, position: usize) -> Option<Entity> {
        if position < self.lead {
            return Some(self.reused[position]);
        }
        let offset = position - self.lead;
        if offset < self.fresh.len() {
            #[expect(clippy::cast_possible_truncation, reason = "below the length of a u32 range")]
            let index = self.fresh.start + offset as u32;
            return Some(self.fresh_at(index));
        }
        self.reused.get(position - self.fresh.len()).copied()
    }

    #[inline]
    fn fresh_at(&self, index: u32) -> Entity {
        Entity::from_stamp(index, FIRST_STAMP, self.salt)
    }

    /// The entities, in the order of the batch.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([3, 2, 1].map(Health));
    /// let healths = orcs.iter().map(|orc| world.get::<Health>(orc).unwrap().0);
    /// assert!(healths.eq([3, 2, 1]));
    /// ```
    #[inline]
    pub fn iter(&self) -> SpawnedIter<'_> {
        SpawnedIter { spawned: self, positions: 0..self.len() }
    }

    /// The entities as a vector, in the order of the batch.
    ///
    /// A [`Spawned`] is mostly a range and small; a vector is for those who want to sort, filter or change the list.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut orcs = world.spawn_batch([3, 2, 1].map(Health)).to_vec();
    /// let last = orcs.pop().unwrap();
    /// assert_eq!(world.get::<Health>(last).unwrap().0, 1);
    /// ```
    pub fn to_vec(&self) -> Vec<Entity> {
        self.iter().collect()
    }

    /// The three runs of the batch, in order: reused, fresh (generation 0), reused again.
    #[inline]
    pub(crate) fn runs(&self) -> (&[Entity], Range<u32>, &[Entity]) {
        let (lead, trail) = self.reused.split_at(self.lead);
        (lead, self.fresh.clone(), trail)
    }
}

/// `spawned[7]` is the entity made from item 7 of the batch. [`Spawned::get`] works it out; `[]` must point to it, so its first use writes the new
/// entities of the batch down, 8 bytes each.
///
/// # Panics
/// If there are no more than so many.
impl Index<usize> for Spawned {
    type Output = Entity;

    #[track_caller]
    fn index(&self, position: usize) -> &Entity {
        assert!(position < self.len(), "the batch has {} entities: there is no [{position}]", self.len());
        if position < self.lead {
            return &self.reused[position];
        }
        let listed = self.listed.get_or_init(|| self.fresh.clone().map(|index| self.fresh_at(index)).collect());
        listed.get(position - self.lead).unwrap_or_else(|| &self.reused[position - listed.len()])
    }
}

impl fmt::Debug for Spawned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl PartialEq for Spawned {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl Eq for Spawned {}

impl<'a> IntoIterator for &'a Spawned {
    type Item = Entity;
    type IntoIter = SpawnedIter<'a>;

    #[inline]
    fn into_iter(self) -> SpawnedIter<'a> {
        self.iter()
    }
}

impl IntoIterator for Spawned {
    type Item = Entity;
    type IntoIter = SpawnedIntoIter;

    #[inline]
    fn into_iter(self) -> SpawnedIntoIter {
        SpawnedIntoIter { positions: 0..self.len(), spawned: self }
    }
}

/// The entities of a borrowed [`Spawned`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch([(), (), ()]);
/// let mut iter = orcs.iter();
/// assert_eq!((iter.next(), iter.next_back()), (orcs.get(0), orcs.get(2)));
/// assert_eq!(iter.len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct SpawnedIter<'a> {
    spawned: &'a Spawned,
    positions: Range<usize>,
}

/// The entities of an owned [`Spawned`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// for orc in world.spawn_batch([(), (), ()]) {
///     assert!(world.is_alive(orc));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SpawnedIntoIter {
    spawned: Spawned,
    positions: Range<usize>,
}

macro_rules! iterate_by_position {
    ($($iterator:ty),*) => {$(
        impl Iterator for $iterator {
            type Item = Entity;

            #[inline]
            fn next(&mut self) -> Option<Entity> {
                self.spawned.get(self.positions.next()?)
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Entity> {
                self.spawned.get(self.positions.nth(n)?)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.positions.size_hint()
            }
        }

        impl DoubleEndedIterator for $iterator {
            #[inline]
            fn next_back(&mut self) -> Option<Entity> {
                self.spawned.get(self.positions.next_back()?)
            }
        }

        impl ExactSizeIterator for $iterator {}
        impl FusedIterator for $iterator {}
    )*};
}

iterate_by_position!(SpawnedIter<'_>, SpawnedIntoIter);

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(index: u32, generation: u32) -> Entity {
        Entity::from_parts(index, generation).expect("in range")
    }

    fn batch() -> Spawned {
        Spawned::new(vec![entity(3, 1), entity(1, 2)], 1, 7..9, 0)
    }

    #[test]
    fn reused_then_fresh_then_reused() {
        let all = [entity(3, 1), entity(7, 0), entity(8, 0), entity(1, 2)];
        assert_eq!(batch().to_vec(), all);
        assert_eq!(batch().into_iter().rev().collect::<Vec<_>>(), [all[3], all[2], all[1], all[0]]);
        assert_eq!((batch().len(), batch().iter().len(), batch().get(4)), (4, 4, None));
        assert_eq!(batch().iter().nth(2), Some(all[2]));
        let spawned = batch();
        assert_eq!([0, 1, 2, 3].map(|at| spawned[at]), all);
        assert_eq!([3, 2, 1, 0].map(|at| spawned.clone()[at]), [all[3], all[2], all[1], all[0]]);
        assert_eq!(format!("{:?}", batch()), "[3v1, 7v0, 8v0, 1v2]");
        assert_eq!(batch().runs(), (&all[..1], 7..9, &all[3..]));
    }

    #[test]
    #[should_panic(expected = "the batch has 4 entities: there is no [4]")]
    fn a_position_behind_the_last_is_refused() {
        let _ = batch()[4];
    }

    #[test]
    fn equal_means_the_same_entities_in_the_same_order() {
        let listed = Spawned { reused: batch().to_vec(), lead: 4, fresh: 0..0, ..batch() };
        assert_eq!(listed, batch());
        assert_ne!(Spawned { lead: 0, ..batch() }, batch());
        assert!(!batch().is_empty());
    }
}
