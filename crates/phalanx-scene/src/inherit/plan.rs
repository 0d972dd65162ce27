//! What has changed, and how it is worked out.
//!
//! ```text
//! who has come, gone, got another parent  ──► lists follow ──┐
//! own parts that have changed             ──► marks ─────────┴──► ranges ──┬─ few: each is looked up
//!                                                                          ├─ many: by the columns of the tables, from the front
//!                                                                          ├─ very many: the same on all threads
//!                                                                          └─ nearly all, and rows in order: tables straight through
//! ```
//!
//! Each range is walked once: what is above has been worked out by then. Nothing is allocated as long as there are not more of anything than ever before,
//! but by the pool now and then, where it is entered from outside.

use super::inherited::{Arrivals, Inherited};
use super::leaves::Leaves;
use super::lists::{HOLE, Lists, NOBODY, position};
#[cfg(feature = "parallel")]
use super::pieces::Pieces;
use super::rows::Rows;
use crate::hierarchy::Kinship;
use phalanx_ecs::{Changed, Entity, EntitySlice, Prepared, Slot, Slots, With, World};

/// If one of so many is to be worked out, it is quicker to walk over tables than to look for entities.
const FEW: usize = 8;

/// If all but one of so many are, and rows are in order, it is quickest to walk straight through and pass over the others.
const MOST: usize = 4;
/// Fewer values are worked out sooner than threads are woken.
#[cfg(feature = "parallel")]
const WORTH: usize = 20_000;
/// Fewer threads gain nothing by pieces, whose results are written twice; and beside one that can walk straight through, twice as many.
#[cfg(feature = "parallel")]
const MANY_THREADS: usize = 4;

/// What a pass has done.
#[derive(Clone, Copy)]
pub(crate) struct Passed {
    /// How many values were worked out.
    pub(crate) written: usize,
    /// What was odd ([`Inherited::under_noting`]).
    pub(crate) odd: u8,
}

pub(super) struct Plan<W: Inherited> {
    changed: Prepared<(Entity, Slot), Changed<W::Own>>,
    owning: Prepared<Entity, With<W::Own>>,
    reading: Prepared<&'static W>,
    writing: Prepared<(&'static W::Own, &'static mut W)>,
    walking: Prepared<((Slot, Entity), &'static W::Own, &'static mut W)>,
    /// The version of the hierarchy that the lists have followed.
    followed: Option<u64>,
    lists: Lists,
    rows: Rows,
    leaves: Leaves,
    ranges: Vec<Reach>,
    /// Memory for the chunks of a walk.
    chunks: Vec<Chunk<'static, W>>,
    /// For looking up: whom; what is above the ranges; what was worked out.
    list: Vec<Entity>,
    overs: Vec<W>,
    scratch: Vec<W>,
    #[cfg(feature = "parallel")]
    pieces: Pieces<W>,
}

impl<W: Inherited> Default for Plan<W> {
    fn default() -> Self {
        Self {
            changed: Prepared::new(),
            owning: Prepared::new(),
            reading: Prepared::new(),
            writing: Prepared::new(),
            walking: Prepared::new(),
            followed: None,
            lists: Lists::default(),
            rows: Rows::default(),
            leaves: Leaves::default(),
            ranges: Vec::new(),
            chunks: Vec::new(),
            list: Vec::new(),
            overs: Vec::new(),
            scratch: Vec::new(),
            #[cfg(feature = "parallel")]
            pieces: Pieces::default(),
        }
    }
}

/// Rows that are side by side.
pub(super) type Chunk<'w, W> = ((Slots, EntitySlice<'w>), &'w [<W as Inherited>::Own], &'w mut [W]);

/// A range of positions that is worked out: something that has changed, with what is below it; or some neighbours, if they are below the same one.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) first: u32,
    pub(super) end: u32,
    /// Which of the ranges before holds what is above, if one does; else that has not changed.
    pub(super) hangs_from: u32,
    /// How many ranges it hangs from, one from the other.
    pub(super) depth: u32,
    /// How many positions are in the ranges before.
    start: u32,
}

impl<W: Inherited> Plan<W> {
    pub(super) fn run(&mut self, world: &mut World, arrivals: &Arrivals) -> Passed {
        self.follow(world, arrivals);
        let lists = &mut self.lists;
        arrivals.values().for_each(|entity| lists.mark(entity));
        let (owners, first) = {
            let owning = self.owning.on(world);
            (owning.count(), owning.iter().next())
        };
        // Then nobody need be asked where it is.
        let nobody_moved =
            !W::TRACK && self.rows.hold_by_slot(self.walking.on(world).chunks().map(|((slots, _), ..)| slots));
        let mut changed = self.changed.on(world);
        // Where everybody has changed nobody need be marked one by one. Nobody is counted if already the first has not.
        let first_changed = changed.iter().next().map(|(entity, _)| entity);
        let marks = first_changed != first || changed.count() < owners;
        if !marks {
            lists.mark_all();
        }
        let leaves = &mut self.leaves;
        leaves.begin(lists.live / FEW);
        if nobody_moved && self.rows.are_new_for_leaves() {
            leaves.find(&self.rows);
        }
        let rows = &self.rows;
        if marks && nobody_moved {
            changed.for_each(|(_, slot)| leaves.note(slot, rows, lists));
            leaves.sort_out(rows, lists);
        } else if marks {
            changed.for_each(|(entity, _)| lists.mark(entity));
        }
        let passed = self.work_out(world, nobody_moved);
        if self.lists.are_worn() {
            self.lists.make::<W>(world);
            self.rows.forget();
        }
        passed
    }

    /// Whether an entity takes part, as far as the lists know.
    pub(super) fn lists(&self, entity: Entity) -> bool {
        self.lists.contains(entity)
    }

    /// How many take part.
    pub(super) fn live(&self) -> usize {
        self.lists.live
    }

    /// Brings the lists up to date.
    fn follow(&mut self, world: &mut World, arrivals: &Arrivals) {
        let hierarchy = world.hierarchy();
        let version = hierarchy.version();
        let links = self.followed.and_then(|version| hierarchy.changed_since(version)).filter(|_| !arrivals.too_many());
        match links {
            // The first time; or so much has happened that nobody has kept it.
            None => {
                self.lists.make::<W>(world);
                self.lists.mark_all();
                self.rows.forget();
            }
            Some(links) => {
                let touched = links.iter().copied().chain(arrivals.all());
                if touched.clone().next().is_some() && self.lists.follow::<W>(world, touched, arrivals.at_once()) {
                    self.rows.forget();
                }
            }
        }
        self.followed = Some(version);
    }

    /// Finds what has changed with all that is below; answers for how many.
    fn find_ranges(&mut self) -> usize {
        let ranges = &mut self.ranges;
        ranges.clear();
        if self.lists.take_all() {
            let end = position(self.lists.order.len());
            if end > 0 {
                ranges.push(Reach { first: 0, end, hangs_from: NOBODY, depth: 0, start: 0 });
            }
            return self.lists.live;
        }
        let (mut written, mut positions, mut last_above) = (0, 0, HOLE);
        let are_holes = self.lists.live < self.lists.order.len();
        let rows = &self.rows;
        let span = |lists: &Lists, at| rows.span(at).unwrap_or_else(|| lists.span(at));
        self.lists.take_ranges(span, |lists, range, above| {
            written += if are_holes { lists.live_in(range.clone()) } else { range.len() };
            let [first, end] = [range.start, range.end].map(position);
            let (mut hangs_from, mut depth) = (NOBODY, 0);
            if lists.grafts.count() > 0 && lists.is_graft(first) {
                let next = ranges.partition_point(|range: &Reach| range.first <= above);
                if next > 0 && above < ranges[next - 1].end {
                    hangs_from = position(next - 1);
                    depth = ranges[next - 1].depth + 1;
                }
            }
            positions += end - first;
            match ranges.last_mut() {
                // Neighbours below the same one are as good as one.
                Some(last) if last.end == first && last_above == above => {
                    last.end = end;
                }
                _ => ranges.push(Reach { first, end, hangs_from, depth, start: positions - (end - first) }),
            }
            last_above = above;
        });
        written
    }

    /// Works out what is marked, and the leaves that were noted.
    fn work_out(&mut self, world: &mut World, nobody_moved: bool) -> Passed {
        let mut written = self.find_ranges();
        if (written + self.leaves.count()) * FEW <= self.lists.live {
            if written + self.leaves.count() == 0 {
                return Passed { written, odd: 0 };
            }
            if let Some(passed) = self.walk_few(world, nobody_moved) {
                return passed;
            }
        }
        if self.leaves.count() > 0 {
            // They are not a matter of rows any more.
            self.leaves.mark(&self.rows, &mut self.lists);
            self.mark_ranges();
            written = self.find_ranges();
        }
        let is_much = written * FEW > self.lists.live;
        let odd = if is_much || (!W::TRACK && self.rows.note_looked_up(written, self.lists.live)) {
            self.walk_tables(world, written)
        } else {
            self.look_up(world, written)
        };
        Passed { written, odd }
    }

    /// Marks again what ranges were found for.
    fn mark_ranges(&mut self) {
        for range in &self.ranges {
            let mut at = range.first;
            // Some are several: neighbours below the same one.
            while at < range.end {
                self.lists.mark(self.lists.order[at as usize]);
                at = self.lists.end[at as usize];
            }
        }
    }

    /// Works out what has changed, if rows are where they were found the last time.
    fn walk_few(&mut self, world: &mut World, nobody_moved: bool) -> Option<Passed> {
        // A slice of what is tracked counts as changed, all of it.
        if W::TRACK {
            return None;
        }
        let Self { walking, lists, rows, leaves, ranges, .. } = self;
        let mut query = walking.on(world);
        let mut chunks = recycle(std::mem::take(&mut self.chunks));
        chunks.extend(query.chunks());
        let passed = rows.walk_unmoved(nobody_moved, lists, ranges, leaves, &mut chunks);
        self.chunks = recycle(chunks);
        passed
    }

    /// Works out what has changed, and looks for each entity by its handle; answers what was odd.
    fn look_up(&mut self, world: &mut World, count: usize) -> u8 {
        let Self { lists: Lists { order, above, .. }, ranges, list, overs, scratch, .. } = self;
        // What is above a range has not changed, or it is part of one before.
        list.clear();
        let stand_alone = ranges.iter().filter(|range| range.hangs_from == NOBODY);
        let aboves = stand_alone.map(|range| above[range.first as usize]).filter(|above| *above != NOBODY);
        list.extend(aboves.map(|above| order[above as usize]));
        overs.clear();
        self.reading.on(world).for_each_of(list, |value| overs.push(value.clone()));
        list.clear();
        for range in &*ranges {
            let range = range.first as usize..range.end as usize;
            if order.len() == self.lists.live {
                list.extend_from_slice(&order[range]);
            } else {
                let here = order[range.clone()].iter().zip(&above[range]);
                list.extend(here.filter(|(_, above)| **above != HOLE).map(|(entity, _)| *entity));
            }
        }
        scratch.clear();
        let (mut coming, mut coming_overs, mut odd) = (ranges.iter(), overs.iter(), 0);
        let mut range = Reach { first: 0, end: 0, hangs_from: NOBODY, depth: 0, start: 0 };
        // What is above the range: a value that was read, or where in the scratch it is.
        let (mut read, mut worked_out, mut at) = (None, None, 0);
        let visited = self.writing.on(world).for_each_of(list, |(own, value)| {
            while at == range.end || above[at as usize] == HOLE {
                if at != range.end {
                    // What was worked out stands as in the list.
                    scratch.push(W::default());
                    at += 1;
                    continue;
                }
                range = *coming.next().expect("as many ranges as there are entities for");
                at = range.first;
                (read, worked_out) = (None, None);
                let over = above[at as usize];
                if range.hangs_from != NOBODY {
                    let above = ranges[range.hangs_from as usize];
                    worked_out = Some((above.start + over - above.first) as usize);
                } else if over != NOBODY {
                    read = coming_overs.next();
                }
            }
            let over = match above[at as usize] {
                NOBODY => None,
                over if over >= range.first => scratch.get((range.start + over - range.first) as usize),
                _ => read.or_else(|| scratch.get(worked_out?)),
            };
            *value = W::under_noting(over, own, &mut odd);
            scratch.push(value.clone());
            at += 1;
        });
        debug_assert_eq!(visited, count, "all in the list take part");
        odd
    }

    /// Works out what has changed, with the columns of all tables at hand; answers what was odd.
    fn walk_tables(&mut self, world: &mut World, written: usize) -> u8 {
        let Self { walking, lists, rows, ranges, .. } = self;
        let mut query = walking.on(world);
        let mut chunks = recycle(std::mem::take(&mut self.chunks));
        chunks.extend(query.chunks());
        rows.find(lists, &mut chunks);
        let straight = written * MOST >= lists.live * (MOST - 1) && rows.are_in_order();
        #[cfg(feature = "parallel")]
        let done = if straight && threads_pay(written) && rows.shares_pay() {
            Some(rows.walk_shared(lists, ranges, written, &mut chunks))
        } else if pieces_pay(written, straight) {
            self.pieces.run(ranges, lists, rows, &mut chunks)
        } else {
            None
        };
        #[cfg(not(feature = "parallel"))]
        let done = None;
        let odd = match done {
            Some(odd) => odd,
            None if straight => rows.walk_straight(lists, ranges, written, &mut chunks),
            None => rows.walk(ranges, &mut chunks),
        };
        self.chunks = recycle(chunks);
        odd
    }
}

/// Whether there is enough to do to wake threads, and there are any.
#[cfg(feature = "parallel")]
fn threads_pay(written: usize) -> bool {
    written >= WORTH && rayon::current_num_threads() > 1
}

/// Whether there are so many threads that they are quicker in pieces than one is alone.
#[cfg(feature = "parallel")]
fn pieces_pay(written: usize, straight: bool) -> bool {
    written >= WORTH && rayon::current_num_threads() >= MANY_THREADS * if straight { 2 } else { 1 }
}

/// An empty list in the memory of another: what was in it was borrowed for another time.
pub(super) fn recycle<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| unreachable!("it is empty")).collect()
}
