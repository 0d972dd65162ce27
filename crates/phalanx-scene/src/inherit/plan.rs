//! The lists that values are worked out by, from the top down, where something has changed.
//!
//! ```text
//! order   [ a  b  c  d  e  f ]      who takes part: each before what is below it, and that before the next
//! end     [ 4  3  3  4  5  6 ]      what is below somebody ends here: a subtree is one range
//! above   [ –  0  1  0  –  – ]      the position of the nearest ancestor that takes part
//! dirty   [ 0  1  1  0  0  1 ]      what has changed; of two, one below the other, the upper one is enough
//! ```
//!
//! Each range is walked once, from the front: what is above has been worked out by then. The lists are made anew if parents, children or values have come or gone,
//! which takes as long as there are values.
//!
//! If few have changed they are looked up one by one. If many have, rows are found by where they were the last time; that none has moved since is seen by comparing the columns of
//! entity indices with those of then. If all have, and each row stands behind that of its parent, tables are walked straight through.

use super::inherited::{Arrivals, Inherited, takes_part};
#[cfg(feature = "parallel")]
use super::pieces::{Pieces, Tree};
use crate::hierarchy::{Hierarchy, Kinship};
use phalanx_ecs::{Changed, Entity, EntitySlice, Prepared, With, World};

pub(super) const NOBODY: u32 = u32::MAX;
/// If one of so many is to be worked out, it is quicker to walk over tables than to look for entities.
const FEW: usize = 8;

/// What a pass has done.
pub(crate) struct Passed {
    /// How many values were worked out.
    pub(crate) written: usize,
    /// Whether one was lost on the way ([`Inherited::under_minding`]).
    pub(crate) lost: bool,
}

pub(super) struct Plan<W: Inherited> {
    lost: bool,
    changed: Prepared<(Entity, &'static W::Own), Changed<W::Own>>,
    reading: Prepared<&'static W>,
    writing: Prepared<(&'static W::Own, &'static mut W)>,
    walking: Prepared<(Entity, &'static W::Own, &'static mut W)>,
    /// The version of the hierarchy that the lists were made of.
    made_of: Option<u64>,
    order: Vec<Entity>,
    end: Vec<u32>,
    above: Vec<u32>,
    /// Positions where something has changed, a bit for each.
    dirty: Vec<u64>,
    /// By entity index: the position in `order`.
    position: Vec<u32>,
    /// By entity index: who was above when the lists were last made.
    was_below: Vec<Option<Entity>>,
    /// By position: which row of which chunk it was the last time.
    rows: Vec<(u32, u32)>,
    /// By row, one chunk behind the other: the row of the one above, if each stands behind its own; else nothing.
    over_rows: Vec<(u32, u32)>,
    /// The entity indices of all chunks, one chunk behind the other, as they were then.
    seen: Vec<u32>,
    /// How many rows each chunk had then.
    lengths: Vec<usize>,
    /// For making the lists: who is above, with the position.
    open: Vec<(Entity, u32)>,
    /// Memory for the chunks of a walk.
    chunks: Vec<Chunk<'static, W>>,
    /// What has changed, with all that is below: from a position to another.
    ranges: Vec<(usize, usize)>,
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
            lost: false,
            changed: Prepared::new(),
            reading: Prepared::new(),
            writing: Prepared::new(),
            walking: Prepared::new(),
            made_of: None,
            order: Vec::new(),
            end: Vec::new(),
            above: Vec::new(),
            dirty: Vec::new(),
            position: Vec::new(),
            was_below: Vec::new(),
            rows: Vec::new(),
            over_rows: Vec::new(),
            seen: Vec::new(),
            lengths: Vec::new(),
            open: Vec::new(),
            chunks: Vec::new(),
            ranges: Vec::new(),
            list: Vec::new(),
            overs: Vec::new(),
            scratch: Vec::new(),
            #[cfg(feature = "parallel")]
            pieces: Pieces::default(),
        }
    }
}

/// Rows that are side by side.
pub(super) type Chunk<'w, W> = (EntitySlice<'w>, &'w [<W as Inherited>::Own], &'w mut [W]);

impl<W: Inherited> Plan<W> {
    pub(super) fn run(
        &mut self,
        world: &mut World,
        arrivals: &Arrivals,
        mut watch: impl FnMut(Entity, &W::Own),
    ) -> Passed {
        let version = world.hierarchy().version();
        let first = self.made_of.is_none();
        if arrivals.others || self.made_of != Some(version) {
            self.make_lists(world);
            self.made_of = Some(version);
        }
        if first || arrivals.too_many {
            (0..self.order.len()).for_each(|at| mark(&mut self.dirty, at));
        }
        let arrived = arrivals.entities.iter().filter_map(|entity| position_of(&self.position, *entity));
        arrived.for_each(|at| mark(&mut self.dirty, at));
        let (dirty, position) = (&mut self.dirty, &self.position);
        self.changed.on(world).for_each(|(entity, own)| {
            watch(entity, own);
            if let Some(at) = position_of(position, entity) {
                mark(dirty, at);
            }
        });
        self.find_ranges();
        self.lost = false;
        let written = self.ranges.iter().map(|(first, end)| end - first).sum();
        if written * FEW > self.order.len() {
            self.walk_tables(world, written == self.order.len());
        } else if written > 0 {
            self.look_up(world, written);
        }
        Passed { written, lost: self.lost }
    }

    /// Whether an entity took part when the lists were made.
    pub(super) fn lists(&self, entity: Entity) -> bool {
        position_of(&self.position, entity).is_some_and(|at| self.order[at] == entity)
    }

    /// Finds what has changed with all that is below, and takes the marks off.
    fn find_ranges(&mut self) {
        self.ranges.clear();
        let mut from = 0;
        for word in 0..self.dirty.len() {
            let mut bits = std::mem::take(&mut self.dirty[word]);
            while bits != 0 {
                let first = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // What is below something that has changed is part of that range.
                if first >= from {
                    from = self.end[first] as usize;
                    self.ranges.push((first, from));
                }
            }
        }
    }

    /// Works out what has changed, and looks for each entity by its handle.
    fn look_up(&mut self, world: &mut World, count: usize) {
        let Self { order, above, ranges, list, overs, scratch, lost, .. } = self;
        // What is above a range has not changed, or it would be part of one.
        list.clear();
        list.extend(ranges.iter().filter(|range| above[range.0] != NOBODY).map(|range| order[above[range.0] as usize]));
        overs.clear();
        self.reading.on(world).for_each_of(list, |value| overs.push(value.clone()));
        list.clear();
        for (first, end) in &*ranges {
            list.extend_from_slice(&order[*first..*end]);
        }
        scratch.clear();
        let (mut coming, mut overs) = (ranges.iter(), overs.iter());
        // The range at hand, and where in the scratch it begins.
        let (mut first, mut end, mut start, mut at) = (0, 0, 0, 0);
        let visited = self.writing.on(world).for_each_of(list, |(own, value)| {
            let over = if at == end {
                (first, end) = *coming.next().expect("as many ranges as there are entities for");
                (at, start) = (first, scratch.len());
                if above[first] == NOBODY { None } else { overs.next() }
            } else {
                scratch.get(start + above[at] as usize - first)
            };
            *value = W::under_minding(over, own, lost);
            scratch.push(value.clone());
            at += 1;
        });
        debug_assert_eq!(visited, count, "all in the list take part");
    }

    /// Works out what has changed, with the columns of all tables at hand.
    fn walk_tables(&mut self, world: &mut World, all: bool) {
        let mut walking = std::mem::take(&mut self.walking);
        let mut query = walking.on(world);
        let mut chunks = recycle(std::mem::take(&mut self.chunks));
        chunks.extend(query.chunks());
        self.find_rows(&chunks);
        self.work_out(&mut chunks, all);
        self.chunks = recycle(chunks);
        self.walking = walking;
    }

    fn work_out(&mut self, chunks: &mut [Chunk<'_, W>], all: bool) {
        #[cfg(feature = "parallel")]
        if Pieces::<W>::pay(&self.ranges) {
            let tree = Tree { end: &self.end, above: &self.above, rows: &self.rows, position: &self.position };
            self.lost = self.pieces.run(&self.ranges, &tree, chunks);
            return;
        }
        if all && !self.over_rows.is_empty() {
            self.lost = walk_straight(chunks, &self.over_rows);
            return;
        }
        for &(first, end) in &self.ranges {
            let (above, rows) = (&self.above[first..end], &self.rows[first..end]);
            for (&above, &(chunk, row)) in above.iter().zip(rows) {
                let over = (above != NOBODY).then(|| {
                    let (chunk, row) = self.rows[above as usize];
                    &chunks[chunk as usize].2[row as usize]
                });
                let value = W::under_minding(over, &chunks[chunk as usize].1[row as usize], &mut self.lost);
                chunks[chunk as usize].2[row as usize] = value;
            }
        }
    }

    /// Sees whether rows are where they were, and finds them again if not.
    fn find_rows(&mut self, chunks: &[Chunk<'_, W>]) {
        let mut seen = &self.seen[..];
        let unmoved = self.rows.len() == self.order.len()
            && self.lengths.iter().copied().eq(chunks.iter().map(|(entities, ..)| entities.len()))
            && chunks.iter().all(|(entities, ..)| {
                let (then, rest) = seen.split_at(entities.len());
                seen = rest;
                then == entities.indices()
            });
        if unmoved {
            return;
        }
        self.lengths.clear();
        self.lengths.extend(chunks.iter().map(|(entities, ..)| entities.len()));
        self.seen.clear();
        self.rows.clear();
        self.rows.resize(self.order.len(), (0, 0));
        for (chunk, (entities, ..)) in (0..).zip(chunks) {
            self.seen.extend(entities.indices());
            for (row, index) in (0..).zip(entities.indices()) {
                self.rows[self.position[*index as usize] as usize] = (chunk, row);
            }
        }
        self.find_over_rows();
    }

    /// Finds the row above each row, as long as that comes first.
    fn find_over_rows(&mut self) {
        self.over_rows.clear();
        let mut seen = self.seen.iter();
        for (chunk, length) in (0..).zip(&self.lengths) {
            for (row, index) in (0..).zip(seen.by_ref().take(*length)) {
                let above = self.above[self.position[*index as usize] as usize];
                let over = if above == NOBODY { (NOBODY, NOBODY) } else { self.rows[above as usize] };
                if above != NOBODY && over >= (chunk, row) {
                    self.over_rows.clear();
                    return;
                }
                self.over_rows.push(over);
            }
        }
    }

    /// Makes the lists anew, and notes who is below another than before.
    fn make_lists(&mut self, world: &mut World) {
        self.order.clear();
        self.end.clear();
        self.above.clear();
        self.position.fill(NOBODY);
        // Rows are found anew: the same indices may stand for other positions.
        self.rows.clear();
        let all: Vec<Entity> = world.query_filtered::<Entity, (With<W::Own>, With<W>)>().iter().collect();
        let hierarchy = world.hierarchy();
        for entity in &all {
            if hierarchy.parent(*entity).is_none() {
                self.add_tree(world, hierarchy, *entity);
            }
        }
        // Below those who do not take part themselves.
        for root in hierarchy.all_parents() {
            if hierarchy.parent(root).is_none() && !takes_part::<W>(world, root) {
                self.add_tree(world, hierarchy, root);
            }
        }
        self.dirty.clear();
        self.dirty.resize(self.order.len().div_ceil(64), 0);
        for at in 0..self.order.len() {
            let index = self.order[at].index() as usize;
            let below = (self.above[at] != NOBODY).then(|| self.order[self.above[at] as usize]);
            if self.was_below.len() <= index {
                self.was_below.resize(index + 1, None);
            }
            if self.was_below[index] != below {
                self.was_below[index] = below;
                mark(&mut self.dirty, at);
            }
        }
    }

    /// Adds who takes part in a tree, from its root on.
    fn add_tree(&mut self, world: &World, hierarchy: &Hierarchy, root: Entity) {
        self.open.clear();
        self.add(world, root);
        for entity in hierarchy.descendants(root) {
            // Those whose descendants end here.
            let parent = hierarchy.parent(entity);
            while let Some((open, position)) = self.open.last().copied()
                && Some(open) != parent
            {
                self.close(position);
                self.open.pop();
            }
            self.add(world, entity);
        }
        while let Some((_, position)) = self.open.pop() {
            self.close(position);
        }
    }

    fn add(&mut self, world: &World, entity: Entity) {
        // Who does not take part passes on what is above.
        let above = self.open.last().map_or(NOBODY, |(_, position)| *position);
        if !takes_part::<W>(world, entity) {
            self.open.push((entity, above));
            return;
        }
        let at = u32::try_from(self.order.len()).expect("fewer than 2³² entities");
        let index = entity.index() as usize;
        if self.position.len() <= index {
            self.position.resize(index + 1, NOBODY);
        }
        self.position[index] = at;
        self.order.push(entity);
        self.above.push(above);
        self.end.push(at + 1);
        self.open.push((entity, at));
    }

    /// What is below a position ends before what comes next.
    fn close(&mut self, position: u32) {
        if position != NOBODY {
            self.end[position as usize] = u32::try_from(self.order.len()).expect("fewer than 2³² entities");
        }
    }
}

/// Works out all values, row by row: each stands behind the one above it.
fn walk_straight<W: Inherited>(chunks: &mut [Chunk<'_, W>], over_rows: &[(u32, u32)]) -> bool {
    let mut lost = false;
    let mut over_rows = over_rows;
    for at in 0..chunks.len() {
        let (before, rest) = chunks.split_at_mut(at);
        let (_, owns, values) = &mut rest[0];
        let (overs, behind) = over_rows.split_at(values.len());
        over_rows = behind;
        for (row, (own, &(chunk, over))) in owns.iter().zip(overs).enumerate() {
            let over = if chunk as usize == at {
                Some(&values[over as usize])
            } else if chunk == NOBODY {
                None
            } else {
                Some(&before[chunk as usize].2[over as usize])
            };
            values[row] = W::under_minding(over, own, &mut lost);
        }
    }
    lost
}

/// An empty list in the memory of another: what was in it was borrowed for another time.
pub(super) fn recycle<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| unreachable!("it is empty")).collect()
}

fn position_of(position: &[u32], entity: Entity) -> Option<usize> {
    position.get(entity.index() as usize).filter(|at| **at != NOBODY).map(|at| *at as usize)
}

fn mark(dirty: &mut [u64], at: usize) {
    dirty[at / 64] |= 1 << (at % 64);
}
