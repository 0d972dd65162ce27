//! Where each entity is, in pages of 1024 indices.
//!
//! Entities spawned together have neighbouring indices and neighbouring rows, so most pages need no
//! list at all:
//!
//! ```text
//! in formation   { table: 4, delta: 900, loose: None }     every live index i is in table 4, row i + 900
//! loose          { table: LOOSE,         loose: ──► [Location; 1024] }
//! empty          { table: EMPTY,         loose: None }     nobody has been placed here
//! ```
//!
//! A page leaves its formation when one entity of it goes elsewhere, and returns to it when a range
//! covers it whole, or in `tighten`. What a page says of a dead index means nothing, and is never
//! asked: the stamp is compared first.

#![expect(unsafe_code, reason = "the lookup behind every `get` skips the bound of the page")]

use super::location::{Location, Row, TableId};
use core::ops::Range;
use core::ptr::NonNull;

/// How many indices share a page.
pub(super) const PAGE: u32 = 1024;
/// In place of a table: no index of the page has been placed.
const EMPTY: TableId = TableId::RESERVED[0];
/// In place of a table: ask the page's list.
const LOOSE: TableId = TableId::RESERVED[1];

#[derive(Clone, Debug)]
struct Page {
    /// The table of the formation, or `EMPTY`, or `LOOSE`; `LOOSE` exactly if `loose` is some.
    table: TableId,
    /// Row minus index, wrapping; means something only in formation.
    delta: u32,
    loose: Option<Box<List>>,
}

/// The locations of a loose page.
type List = [Location; PAGE as usize];

const _: () = assert!(size_of::<Page>() == 16 || size_of::<usize>() < 8);

impl Page {
    const NEW: Self = Self { table: EMPTY, delta: 0, loose: None };

    fn formation(index: u32, location: Location) -> Self {
        Self { table: location.table, delta: location.row.0.wrapping_sub(index), loose: None }
    }

    /// What the formation says of `index`; means nothing in a loose page.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn expected(&self, index: u32) -> Location {
        Location { table: self.table, row: Row(index.wrapping_add(self.delta)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn get(&self, index: u32) -> Location {
        match &self.loose {
            None => self.expected(index),
            Some(list) => list[(index % PAGE) as usize],
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set(&mut self, index: u32, location: Location) {
        if let Some(list) = &mut self.loose {
            list[(index % PAGE) as usize] = location;
        } else if self.expected(index) != location {
            self.disagree(index, location);
        }
    }

    /// The list of this page, made from the formation if it has none. `first` is the page's lowest index.
    fn loosen(&mut self, first: u32) -> &mut List {
        let Self { table, delta, loose } = self;
        let was = Location { table: *table, row: Row(first.wrapping_add(*delta)) };
        *table = LOOSE;
        loose.get_or_insert_with(|| {
            // Through a `Vec`, so that unoptimised builds do not put 8 KiB on the stack.
            let list: Vec<_> = (0..PAGE).map(|i| was.down(i)).collect();
            list.into_boxed_slice().try_into().expect("a page is PAGE long")
        })
    }

    /// `set`, where the page is not loose and does not agree.
    #[cold]
    #[inline(never)]
    fn disagree(&mut self, index: u32, location: Location) {
        if self.table == EMPTY {
            *self = Self::formation(index, location);
        } else {
            let offset = index % PAGE;
            self.loosen(index - offset)[offset as usize] = location;
        }
    }
}

/// The location of each entity, borrowed.
#[derive(Clone, Copy)]
pub(super) struct BorrowedLocations<'a> {
    pages: &'a [Page],
}

impl<'a> BorrowedLocations<'a> {
    /// By page: the table of its formation and what to add (wrapping) to an index for its row; `None` where the rows are in no order.
    pub(super) fn formations(self) -> impl ExactSizeIterator<Item = Option<(TableId, u32)>> + use<'a> {
        self.pages.iter().map(|page| (page.table != LOOSE && page.table != EMPTY).then_some((page.table, page.delta)))
    }

    /// The indices around `index` that are in one formation with it, as far as `most` pages tell; none if its own page is in no order. And what to add
    /// (wrapping) to one of them for its row.
    pub(super) fn formation_around(&self, index: u32, most: usize) -> (Range<u32>, u32) {
        let at = (index / PAGE) as usize;
        let here = &self.pages[at];
        if here.table == LOOSE || here.table == EMPTY {
            return (0..0, 0);
        }
        let is_like = |page: &&Page| page.table == here.table && page.delta == here.delta;
        let before = self.pages[..at].iter().rev().take(most).take_while(is_like).count();
        let behind = self.pages[at..].iter().take(most.max(1)).take_while(is_like).count();
        // The last page may end at the last index there is.
        let index = |page: usize| u32::try_from(page).map_or(u32::MAX, |page| page.saturating_mul(PAGE));
        (index(at - before)..index(at + behind), here.delta)
    }

    /// Where `index` is; means nothing if it was not `set` since it became alive.
    ///
    /// # Safety
    /// 1. `index` is covered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn get_unchecked(&self, index: u32) -> Location {
        debug_assert!(((index / PAGE) as usize) < self.pages.len(), "{index} of {} pages", self.pages.len());
        // SAFETY: the page exists, by (1).
        let page = unsafe { self.pages.get_unchecked((index / PAGE) as usize) };
        page.get(index)
    }
}

/// The location of each entity, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    pages: Vec<Page>,
}

impl Locations {
    /// How many indices have a page: below this, `get_unchecked` and `set` may be called.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn covered(&self) -> usize {
        self.pages.len() * PAGE as usize
    }

    /// Where `index` is, or `None` if its page does not exist or is empty.
    #[cfg(test)]
    fn get(&self, index: u32) -> Option<Location> {
        let location = self.pages.get((index / PAGE) as usize)?.get(index);
        (location.table != EMPTY).then_some(location)
    }

    /// Where `index` is; means nothing if it was not `set` since it became alive.
    ///
    /// # Safety
    /// 1. `index < self.covered()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn get_unchecked(&self, index: u32) -> Location {
        // SAFETY: passed on.
        unsafe { self.borrowed().get_unchecked(index) }
    }

    /// The pages, borrowed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn borrowed(&self) -> BorrowedLocations<'_> {
        BorrowedLocations { pages: &self.pages }
    }

    /// Says where `index` is. It must be covered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn set(&mut self, index: u32, location: Location) {
        self.pages[(index / PAGE) as usize].set(index, location);
    }

    /// Says where `index` is.
    ///
    /// # Safety
    /// 1. `index < self.covered()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn set_unchecked(&mut self, index: u32, location: Location) {
        debug_assert!((index as usize) < self.covered(), "{index} of {}", self.covered());
        // SAFETY: the page exists, by (1).
        let page = unsafe { self.pages.get_unchecked_mut((index / PAGE) as usize) };
        page.set(index, location);
    }

    /// Where the location of `index` is kept, if its page is loose.
    ///
    /// # Safety
    /// 1. `index < self.covered()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn loose_unchecked(&mut self, index: u32) -> Option<NonNull<Location>> {
        debug_assert!((index as usize) < self.covered(), "{index} of {}", self.covered());
        // SAFETY: the page exists, by (1).
        let page = unsafe { self.pages.get_unchecked_mut((index / PAGE) as usize) };
        page.loose.as_mut().map(|list| NonNull::from(&mut list[(index % PAGE) as usize]))
    }

    /// Says that the `count` indices from `first` are in the rows from `start` down. They must be covered.
    pub(super) fn set_range(&mut self, first: u32, count: u32, start: Location) {
        let mut done = 0;
        while done < count {
            let (index, location) = (first + done, start.down(done));
            let offset = index % PAGE;
            let len = (PAGE - offset).min(count - done);
            let page = &mut self.pages[(index / PAGE) as usize];
            if page.table == EMPTY || len == PAGE {
                *page = Page::formation(index, location);
            } else if page.expected(index) != location {
                let list = &mut page.loosen(index - offset)[offset as usize..];
                for (i, cell) in (0..len).zip(list) {
                    *cell = location.down(i);
                }
            }
            done += len;
        }
    }

    /// Covers at least `len` indices.
    pub(super) fn grow_to(&mut self, len: usize) {
        let pages = len.div_ceil(PAGE as usize);
        if pages > self.pages.len() {
            self.pages.resize(pages, Page::NEW);
        }
    }

    /// Empties every page; the same indices stay covered.
    pub(super) fn clear(&mut self) {
        self.pages.fill(Page::NEW);
    }

    /// Makes room for `len` indices in all, without covering them.
    pub(super) fn reserve_to(&mut self, len: usize) {
        self.pages.reserve(len.div_ceil(PAGE as usize).saturating_sub(self.pages.len()));
    }

    /// Gives memory back: pages without a live index become empty, loose pages whose live indices
    /// agree become formations.
    pub(super) fn tighten(&mut self, is_alive: impl Fn(u32) -> bool) {
        for (number, page) in (0..).zip(&mut self.pages) {
            let indices = number * PAGE..=number * PAGE + (PAGE - 1);
            let mut live = indices.filter(|&index| is_alive(index));
            let Some(leader) = live.next() else {
                *page = Page::NEW;
                continue;
            };
            if page.table != LOOSE {
                continue;
            }
            let formation = Page::formation(leader, page.get(leader));
            if live.all(|index| page.get(index) == formation.expected(index)) {
                *page = formation;
            }
        }
        self.pages.shrink_to_fit();
    }

    /// Memory reserved, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.pages.iter().filter(|page| page.loose.is_some()).count();
        self.pages.capacity() * size_of::<Page>() + lists * size_of::<List>()
    }

    /// Whether every page keeps its invariant.
    pub(super) fn validate(&self) -> Result<(), String> {
        match self.pages.iter().position(|page| (page.table == LOOSE) != page.loose.is_some()) {
            Some(number) => Err(format!("page {number} is loose and has no list, or has one")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(locations: &Locations) -> usize {
        locations.pages.iter().filter(|page| page.loose.is_some()).count()
    }

    fn at(table: u32, row: u32) -> Location {
        Location { table: TableId::new(table), row: Row::new(row) }
    }

    fn covering(len: usize) -> Locations {
        let mut locations = Locations::default();
        locations.grow_to(len);
        locations
    }

    #[test]
    fn neighbours_in_one_table_need_no_list() {
        let mut locations = covering(3000);
        assert_eq!(locations.get(0), None);
        for i in 0..3000 {
            locations.set(i, at(1, i + 7));
        }
        assert_eq!(loose(&locations), 0);
        assert_eq!(locations.get(2999), Some(at(1, 3006)));
        assert_eq!(locations.get(3072), None);

        locations.set(1500, at(2, 0));
        assert_eq!(loose(&locations), 1);
        assert!(locations.bytes() >= 3 * 16 + 8192);
        assert_eq!(
            [1499, 1500, 1501].map(|i| locations.get(i)),
            [Some(at(1, 1506)), Some(at(2, 0)), Some(at(1, 1508)),]
        );

        locations.set_range(1024, 1024, at(3, 0));
        assert_eq!(loose(&locations), 0, "a range over the whole page restores the formation");
        assert_eq!(locations.get(1500), Some(at(3, 476)));
    }

    #[test]
    fn rows_below_the_index_wrap() {
        let mut locations = covering(1);
        locations.set(1000, at(0, 2));
        assert_eq!(locations.get(1000), Some(at(0, 2)));
        locations.set(1001, at(0, 3));
        assert_eq!(loose(&locations), 0);
        locations.set(1, at(5, u32::MAX));
        assert_eq!((locations.get(1), locations.get(1000)), (Some(at(5, u32::MAX)), Some(at(0, 2))));
    }

    #[test]
    fn tighten_looks_at_live_indices_only() {
        let mut locations = covering(2048);
        locations.set_range(0, 2048, at(0, 0));
        locations.set(3, at(1, 0));
        locations.tighten(|i| i < 1024);
        assert_eq!(locations.bytes(), 2 * 16 + 8192, "index 3 still disagrees");
        assert_eq!(locations.get(1024), None, "nobody is left in the second page");
        locations.tighten(|i| i < 1024 && i != 3);
        assert_eq!(locations.bytes(), 2 * 16);
        assert_eq!(locations.get(4), Some(at(0, 4)));
        locations.clear();
        assert_eq!((locations.get(4), locations.covered()), (None, 2048));
    }

    #[test]
    fn random_moves_agree_with_a_plain_vector() {
        const LEN: u32 = 5000;
        let mut seed = 0x9E37_79B9_u32;
        let mut random = |below: u32| {
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            seed % below
        };
        let mut locations = covering(LEN as usize);
        let mut model = vec![None; LEN as usize];
        for step in 0..if cfg!(miri) { 150 } else { 5_000 } {
            let index = random(LEN);
            match random(8) {
                0..4 => {
                    let location = at(random(3), random(LEN));
                    locations.set(index, location);
                    model[index as usize] = Some(location);
                }
                4..7 => {
                    let count = random((LEN - index).min(3000) + 1);
                    let start = at(random(3), random(LEN));
                    locations.set_range(index, count, start);
                    for i in 0..count {
                        model[(index + i) as usize] = Some(start.down(i));
                    }
                }
                _ => {
                    let count = random(1500);
                    let end = (index + count).min(LEN) as usize;
                    model[index as usize..end].fill(None);
                    locations.tighten(|i| model.get(i as usize).is_some_and(Option::is_some));
                }
            }
            locations.validate().expect("valid");
            if step % 50 == 0 {
                for (i, location) in (0..).zip(&model).filter(|(_, location)| location.is_some()) {
                    assert_eq!(locations.get(i), *location, "index {i} at step {step}");
                    // SAFETY: (1) the model is as long as what is covered.
                    assert_eq!(Some(unsafe { locations.get_unchecked(i) }), *location);
                }
            }
        }
    }
}
