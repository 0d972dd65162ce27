//! Visiting entities by their handles.

#![expect(unsafe_code, reason = "hands out items of looked-up rows")]

use super::borrowed::Query;
use super::filter::Filter;
use super::part::Part;
use super::prepared::Prepared;
use super::term::Terms;
use crate::entity::Entity;

impl<Q: Terms, F: Filter> Query<'_, Q, F> {
    /// Visits entities by their handles, in this order and as often as they are named. Those that are dead or do not match are passed over; answers how many
    /// were visited.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [orc, elf, stone] = [world.spawn(Health(3)), world.spawn(Health(5)), world.spawn(())];
    /// let healed = world.query::<&mut Health>().for_each_of(&[orc, stone, orc], |health| health.0 += 1);
    /// assert_eq!(healed, 2);
    /// assert_eq!([orc, elf].map(|who| world.get::<Health>(who).unwrap().0), [5, 5]);
    /// ```
    ///
    /// The fastest way to many entities, above all if those that follow each other are of one table. [`view`](Query::view) answers single questions,
    /// [`get_many_mut`](Query::get_many_mut) hands out several items at once.
    pub fn for_each_of(&mut self, entities: &[Entity], mut visit: impl FnMut(Q::Item<'_>)) -> usize {
        let (store, prepared) = (self.store, self.prepared);
        let finder = store.entities.finder();
        // How far to look around is worth it: as long as the last stay in a table.
        let (mut visited, mut at, mut worth) = (0, 0, entities.len());
        'tables: while let Some(first) = entities.get(at) {
            let Some(location) = finder.locate(*first) else {
                at += 1;
                continue;
            };
            let Some(slot) = prepared.matches.slot(store, location.table) else {
                at += 1;
                continue;
            };
            let (here, table) = (location.table, &store.tables[location.table.index()]);
            let columns = prepared.matches.list[slot].columns;
            // SAFETY: the query is up to date, so state, columns and table are of the same store and archetype. It began to note changes when it was
            // borrowed, and begins no more as long as it is: what is held stays right. Only the living are looked up. Their location names a row of its
            // table, which is theirs; so does a formation, for each live index in it: it is of `here`, where the first of them is. The query is borrowed
            // for good, and an item only as long as it is visited, one at a time.
            unsafe {
                let pointers = Q::Parts::pointers(prepared.state, columns, store, table);
                let held =
                    if Prepared::<Q, F>::ROWS || Prepared::<Q, F>::MASKED { None } else { Q::Parts::hold(&pointers) };
                // Where they are in order nobody has to ask where each is.
                let (near, delta) = finder.formation_around(first.index(), worth);
                let (near, count) = (near.start, near.end - near.start);
                let arrival = at;
                while let Some(entity) = entities.get(at) {
                    let index = entity.index();
                    if finder.is_alive(*entity) {
                        let row = if index.wrapping_sub(near) < count {
                            index.wrapping_add(delta) as usize
                        } else {
                            let location = finder.location_unchecked(index);
                            if location.table != here {
                                worth = at - arrival;
                                continue 'tables;
                            }
                            location.row.index()
                        };
                        if let Some(held) = &held {
                            visit(Q::assemble(Q::Parts::held_item(held, row, index)));
                            visited += 1;
                        } else if let Some(item) = prepared.pick(store, table, &pointers, row, index) {
                            visit(item);
                            visited += 1;
                        }
                    }
                    at += 1;
                }
            }
        }
        visited
    }
}
