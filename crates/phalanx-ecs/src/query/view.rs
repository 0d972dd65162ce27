//! Looking up many entities: what a lookup needs of each table is worked out once.

#![expect(unsafe_code, reason = "hands out items of looked-up rows")]

use super::filter::Filter;
use super::part::{Part, ReadPart};
use super::prepared::Prepared;
use super::term::Terms;
use crate::entity::{Entity, Finder};
use crate::storage::Store;

/// A query made ready for many lookups by entity; see [`Query::view`](super::Query::view).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch([3, 2, 1].map(Health));
/// let mut healths = world.query::<&mut Health>();
/// let mut healths = healths.view();
/// for orc in [orcs[2], orcs[0], orcs[2]] {
///     healths.get_mut(orc).unwrap().0 += 1;
/// }
/// assert!(world.query::<&Health>().iter().map(|health| health.0).eq([4, 2, 3]));
/// ```
pub struct View<'w, Q: Terms, F: Filter = ()> {
    entities: Finder<'w>,
    store: &'w Store,
    prepared: &'w Prepared<Q, F>,
    /// By page of entity indices: where its values are, if all its entities are in one matching table, in order.
    pages: Box<[Formation<<Q::Parts as Part>::Pointers>]>,
    /// By table: where its values are, for tables that can match. As long as the list of tables.
    tables: Box<[Option<<Q::Parts as Part>::Pointers>]>,
}

#[derive(Clone, Copy)]
struct Formation<P> {
    pointers: Option<P>,
    /// Row minus index, wrapping.
    delta: u32,
}

// SAFETY: stands for the right to the items, which are references to `Send` and `Sync` components.
unsafe impl<Q: Terms, F: Filter> Send for View<'_, Q, F> {}
// SAFETY: as above; through a shared view only shared items can be had.
unsafe impl<Q: Terms, F: Filter> Sync for View<'_, Q, F> {}

impl<'w, Q: Terms, F: Filter> View<'w, Q, F> {
    /// # Safety
    /// As `QueryIter::new`.
    pub(super) unsafe fn new(store: &'w Store, prepared: &'w Prepared<Q, F>) -> Self {
        let mut tables = vec![None; store.tables.len()].into_boxed_slice();
        for at in &prepared.matches.list {
            let table = &store.tables[at.table.index()];
            // SAFETY: the query is up to date, so state, columns and table are of the same store and archetype.
            let pointers = unsafe { Q::Parts::pointers(prepared.state, at.columns, store, table) };
            tables[at.table.index()] = Some(pointers);
        }
        let entities = store.entities.finder();
        let pages = entities.formations().map(|formation| match formation {
            Some((table, delta)) => Formation { pointers: tables[table.index()], delta },
            None => Formation { pointers: None, delta: 0 },
        });
        Self { entities, store, prepared, pages: pages.collect(), tables }
    }

    /// The item of an entity, if it is alive and matches, for terms that only read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// let mut healths = world.query::<&Health>();
    /// let healths = healths.view();
    /// assert_eq!(healths.get(orc).unwrap().0, 3);
    /// assert!(healths.get(stone).is_none());
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, entity: Entity) -> Option<Q::Item<'w>>
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: shared access may be handed out many times.
        unsafe { self.find(entity) }
    }

    /// The item of an entity, if it is alive and matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let mut healths = world.query::<&mut Health>();
    /// let mut healths = healths.view();
    /// healths.get_mut(orc).unwrap().0 -= 1;
    /// assert_eq!(healths.get_mut(orc).unwrap().0, 2);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get_mut(&mut self, entity: Entity) -> Option<Q::Item<'_>> {
        // SAFETY: `self` is borrowed as long as the item lives.
        unsafe { self.find(entity) }
    }

    /// Whether an entity is alive and matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// let mut healths = world.query::<&mut Health>();
    /// let healths = healths.view();
    /// assert!(healths.contains(orc) && !healths.contains(stone));
    /// ```
    pub fn contains(&self, entity: Entity) -> bool {
        // SAFETY: the query is up to date, by the contract of `new`.
        self.entities.is_alive(entity) && unsafe { self.prepared.matches_index(self.store, entity.index()) }
    }

    /// # Safety
    /// 1. As (3) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn find<'a>(&self, entity: Entity) -> Option<Q::Item<'a>>
    where
        'w: 'a,
    {
        if !self.entities.is_alive(entity) {
            return None;
        }
        let index = entity.index();
        // SAFETY: an index that is alive has a page; a location names a table of the store, and there is an entry for each. The row is the entity's; the
        // right to it by (1) and `new`.
        unsafe {
            let page = self.pages.get_unchecked((index / Finder::PAGE) as usize);
            let (pointers, row) = if let Some(pointers) = &page.pointers {
                (pointers, index.wrapping_add(page.delta) as usize)
            } else {
                let at = self.entities.location_unchecked(index);
                (self.tables.get_unchecked(at.table.index()).as_ref()?, at.row.index())
            };
            if Prepared::<Q, F>::ROWS || Prepared::<Q, F>::MASKED {
                let at = self.entities.location_unchecked(index);
                let table = self.store.tables.get_unchecked(at.table.index());
                return self.prepared.pick(self.store, table, pointers, row, index);
            }
            Some(Q::assemble(Q::Parts::item(pointers, row, index)))
        }
    }
}
