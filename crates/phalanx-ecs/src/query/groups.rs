//! Walking group by group: each value of a shared component once, with all entities that have it.

#![expect(unsafe_code, reason = "walks some of the tables of a query, and shows shared values")]

use super::borrowed::Query;
use super::filter::Filter;
use super::iter::QueryIter;
use super::matches::Match;
use super::term::Terms;
use crate::component::{ComponentId, Shared, is_shared};
use crate::order::sort_by;
use crate::storage::Store;

/// The matches whose archetypes have a shared component, by the number of its value, and in order.
fn in_groups<C>(store: &Store, component: ComponentId, matches: &[Match<C>]) -> Vec<(u32, usize)> {
    let mut order = Vec::new();
    for (position, at) in matches.iter().enumerate() {
        let table = &store.tables[at.table.index()];
        if let Some(number) = store.archetypes[at.archetype.index()].value_of(component)
            && table.len() > table.dead().ones()
        {
            order.push((number, position));
        }
    }
    sort_by(&mut order, |a, b| a < b);
    order
}

impl<Q: Terms, F: Filter> Query<'_, Q, F> {
    /// Calls `f` with each value of a [shared](Shared) component and the items of all entities that have it, in the order of
    /// [`shared_values`](crate::World::shared_values). Entities without the component are left out.
    ///
    /// A walk by [`for_each`](Query::for_each) or [`chunks`](Query::chunks) meets entities of one value side by side as well, but a value again where its
    /// entities differ in what else they have.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, PartialEq, Eq, Hash)]
    /// #[component(shared)]
    /// struct Mesh(&'static str);
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Burning;
    ///
    /// let mut world = World::new();
    /// world.spawn((Mesh("tree"), Position(1.0)));
    /// world.spawn((Mesh("rock"), Position(2.0)));
    /// world.spawn((Mesh("tree"), Position(3.0), Burning));
    ///
    /// let mut drawn = Vec::new();
    /// world.query::<&Position>().for_each_group::<Mesh>(|mesh, positions| {
    ///     drawn.push((mesh.0, positions.map(|p| p.0).collect::<Vec<_>>()));
    /// });
    /// assert_eq!(drawn, [("tree", vec![1.0, 3.0]), ("rock", vec![2.0])]);
    /// ```
    #[doc(alias("group_by", "instances"))]
    pub fn for_each_group<T: Shared>(&mut self, mut f: impl FnMut(&T, QueryIter<'_, Q, F>)) {
        const { assert!(is_shared::<T>(), "a shared component says so by `#[component(shared)]`, and not by hand") };
        let Some(component) = self.store.registry.id_of::<T>() else { return };
        let list = &self.prepared.matches.list;
        let order = in_groups(self.store, component, list);
        let matches: Vec<_> = order.iter().map(|(_, position)| list[*position]).collect();
        let mut start = 0;
        while start < order.len() {
            let number = order[start].0;
            let end = start + order[start..].iter().take_while(|(other, _)| *other == number).count();
            // SAFETY: an archetype with rows means this slot of the pool of `T`, so it has a value, which nobody changes while the world is borrowed.
            let value = unsafe { self.store.pool(component).cell(number).cast().as_ref() };
            // SAFETY: as in `iter_mut`; these are matches of the query, and each is in one group.
            f(value, unsafe { QueryIter::over(self.store, self.prepared, &matches[start..end]) });
            start = end;
        }
    }
}
