//! Walking in an order of the user's choice.

use super::borrowed::Query;
use super::filter::Filter;
use super::term::Terms;
use crate::entity::Entity;
use std::cmp::Ordering;

impl<Q: Terms, F: Filter> Query<'_, Q, F> {
    /// The items sorted by a key; equal keys in order of their entities' indices, so the result does not depend on how entities came to be where they are.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Depth(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Depth(3), Depth(1), Depth(2)]);
    /// let depths: Vec<u32> = world.query::<&Depth>().sorted_by_key(|d| d.0).map(|d| d.0).collect();
    /// assert_eq!(depths, [1, 2, 3]);
    /// ```
    pub fn sorted_by_key<K: Ord>(&mut self, mut key: impl FnMut(&Q::Item<'_>) -> K) -> std::vec::IntoIter<Q::Item<'_>> {
        let mut items = self.with_entities();
        let mut keyed: Vec<(K, Entity, Q::Item<'_>)> =
            items.drain(..).map(|(entity, item)| (key(&item), entity, item)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed.into_iter().map(|(_, _, item)| item).collect::<Vec<_>>().into_iter()
    }

    /// The items sorted by a comparison; equal ones in order of their entities' indices.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3.0, 1.0, 2.0].map(Position));
    /// let mut query = world.query::<&Position>();
    /// let sorted = query.sorted_by(|a, b| a.0.total_cmp(&b.0));
    /// assert!(sorted.map(|position| position.0).eq([1.0, 2.0, 3.0]));
    /// ```
    pub fn sorted_by(
        &mut self,
        mut compare: impl FnMut(&Q::Item<'_>, &Q::Item<'_>) -> Ordering,
    ) -> std::vec::IntoIter<Q::Item<'_>> {
        let mut items = self.with_entities();
        items.sort_by(|a, b| compare(&a.1, &b.1).then(a.0.cmp(&b.0)));
        items.into_iter().map(|(_, item)| item).collect::<Vec<_>>().into_iter()
    }
}
