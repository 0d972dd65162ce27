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
use core::ops::Range;

/// The entities a batch spawned, in the order of the batch.
///
/// ```
/// use phalanx_ecs::Spawned;
///
/// fn first_and_last(spawned: &Spawned) -> Option<String> {
///     let (first, last) = (spawned.get(0)?, spawned.iter().next_back()?);
///     Some(format!("{first} to {last}"))
/// }
/// ```
#[derive(Clone)]
pub struct Spawned {
    pub(super) reused: Vec<Entity>,
    /// How many of `reused` come before the fresh ones.
    pub(super) lead: usize,
    pub(super) fresh: Range<u32>,
    /// The salt of the world, for the fresh handles.
    pub(super) salt: u32,
}

impl Spawned {
    /// How many entities there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.reused.len() + self.fresh.len()
    }

    /// Whether the batch was empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entity made from the item at `position` of the batch.
    #[inline]
    pub fn get(&self, position: usize) -> Option<Entity> {
        if position < self.lead {
            return Some(self.reused[position]);
        }
        let offset = position - self.lead;
        if offset < self.fresh.len() {
            #[expect(clippy::cast_possible_truncation, reason = "below the length of a u32 range")]
            let index = self.fresh.start + offset as u32;
            return Some(Entity::from_stamp(index, FIRST_STAMP, self.salt));
        }
        self.reused.get(position - self.fresh.len()).copied()
    }

    /// The entities, in the order of the batch.
    #[inline]
    pub fn iter(&self) -> SpawnedIter<'_> {
        SpawnedIter { spawned: self, positions: 0..self.len() }
    }

    /// The entities as a vector, in the order of the batch.
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
#[derive(Clone, Debug)]
pub struct SpawnedIter<'a> {
    spawned: &'a Spawned,
    positions: Range<usize>,
}

/// The entities of an owned [`Spawned`].
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
        Spawned { reused: vec![entity(3, 1), entity(1, 2)], lead: 1, fresh: 7..9, salt: 0 }
    }

    #[test]
    fn reused_then_fresh_then_reused() {
        let all = [entity(3, 1), entity(7, 0), entity(8, 0), entity(1, 2)];
        assert_eq!(batch().to_vec(), all);
        assert_eq!(batch().into_iter().rev().collect::<Vec<_>>(), [all[3], all[2], all[1], all[0]]);
        assert_eq!((batch().len(), batch().iter().len(), batch().get(4)), (4, 4, None));
        assert_eq!(batch().iter().nth(2), Some(all[2]));
        assert_eq!(format!("{:?}", batch()), "[3v1, 7v0, 8v0, 1v2]");
        assert_eq!(batch().runs(), (&all[..1], 7..9, &all[3..]));
    }

    #[test]
    fn equal_means_the_same_entities_in_the_same_order() {
        let listed = Spawned { reused: batch().to_vec(), lead: 4, fresh: 0..0, ..batch() };
        assert_eq!(listed, batch());
        assert_ne!(Spawned { lead: 0, ..batch() }, batch());
        assert!(!batch().is_empty());
    }
}
