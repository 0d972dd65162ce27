//! The lists that values are worked out by, from the top down, and how they follow what changes.
//!
//! ```text
//!                                          │◄ laid later                 
//! order   [ a  b  ·  d  e  f  │ g  h │ x  y │ z │ ·  ]    who takes part: each before what is below it, and that before the next
//! end     [ 4  3  3  4  5  6    8  8   10 10  11  12 ]    what is below somebody in the same tree ends here: it is one range
//! above   [ –  0  ∅  0  –  –    –  6   1  8   9   ∅  ]    the position of the nearest ancestor that takes part: always further to the front
//! dirty   [ 0  1  0  0  0  0    0  0   0  0   0   0  ]    what has changed; of two, one below the other, the upper one is enough
//! ```
//!
//! When the lists are made, each tree of the world is one range. Later, who comes is laid behind all others, and so is who gets another parent, with all that is below: as a tree of
//! its own. What it hangs from, if anything, is in [`Grafts`]: `x` hangs from `b`, `z` from `y`. The place where it was becomes a hole, `·`. So a change costs what it moves, however
//! many others there are; and still each stands behind what is above it, so that one walk from the front works out all.
//!
//! Holes in a row where a whole tree was are filled again by trees that fit. Where holes and grafts become many, the lists are made anew: after so many changes that each pays next
//! to nothing for it.
//!
//! Who is touched need not have changed: who has got another place among its siblings, say, has the same one above it as before, and stays where it is.

use super::grafts::Grafts;
use super::inherited::{Inherited, takes_part};
use crate::hierarchy::{Hierarchy, Kinship};
use phalanx_ecs::{Entity, With, World};
use std::collections::HashMap;
use std::ops::Range;

/// No position.
pub(super) const NOBODY: u32 = u32::MAX;
/// In `above`: nobody is here.
pub(super) const HOLE: u32 = u32::MAX - 1;
/// In `position`, while lists are made: takes part and has none yet.
const WAITS: u32 = u32::MAX - 2;

/// Lists with fewer holes and grafts are never made anew.
const FEW_WORN: usize = 64;
/// So many of the latest empty places are looked at for one that fits.
const LOOKED_AT: usize = 8;

// What is known of an entity for as long as changes are followed.
const EXPANDED: u32 = 1;
const ASKED: u32 = 2;
const MOVES: u32 = 4;
const FLAGS: u32 = 3;

#[derive(Default)]
pub(super) struct Lists {
    pub(super) order: Vec<Entity>,
    pub(super) end: Vec<u32>,
    pub(super) above: Vec<u32>,
    /// By entity index: the position in `order`.
    pub(super) position: Vec<u32>,
    /// Positions where something has changed, a bit for each.
    dirty: Vec<u64>,
    /// How many take part: all positions but the holes.
    pub(super) live: usize,
    pub(super) grafts: Grafts,
    /// Holes in a row that are part of no tree.
    empty: Vec<(u32, u32)>,
    /// By entity index: flags, and in which round they were set.
    marks: Vec<u32>,
    round: u32,
    /// Who is to be laid anew.
    moving: Vec<Entity>,
    /// Who has been touched, and is below the same one as before.
    staying: Vec<Entity>,
    /// What those hand down who take no part themselves, as far as somebody has asked.
    handed: HashMap<Entity, Option<Entity>>,
    /// The ancestors of the next one, each with its position or, if it takes no part, with that of the one above.
    open: Vec<(Entity, u32)>,
    list: Vec<Entity>,
}

impl Lists {
    /// Whether an entity takes part, as far as the lists know.
    pub(super) fn contains(&self, entity: Entity) -> bool {
        self.position_of(entity).is_some()
    }

    fn position_of(&self, entity: Entity) -> Option<u32> {
        self.position_at(entity.index()).filter(|at| self.order[*at as usize] == entity)
    }

    fn position_at(&self, index: u32) -> Option<u32> {
        self.position.get(index as usize).copied().filter(|at| *at != NOBODY)
    }

    /// How many take part between two positions, the first of which is no hole.
    pub(super) fn live_in(&self, range: Range<usize>) -> usize {
        if self.live == self.order.len() || range.len() == 1 {
            return range.len();
        }
        self.above[range].iter().filter(|above| **above != HOLE).count()
    }

    /// Whether a position is the root of a tree that hangs from another.
    pub(super) fn is_graft(&self, at: u32) -> bool {
        let above = self.above[at as usize];
        above < HOLE && self.end[above as usize] <= at
    }

    /// Notes that an entity has changed, if it takes part and is alive.
    #[inline]
    pub(super) fn mark(&mut self, entity: Entity) {
        if let Some(at) = self.position.get(entity.index() as usize).filter(|at| **at != NOBODY) {
            self.dirty[*at as usize / 64] |= 1 << (*at % 64);
        }
    }

    pub(super) fn mark_all(&mut self) {
        for at in 0..self.order.len() {
            if self.above[at] != HOLE {
                self.dirty[at / 64] |= 1 << (at % 64);
            }
        }
    }

    /// Visits what has changed with all that is below in the same tree, from the front, and takes the marks off. What hangs from there comes as ranges of their own.
    pub(super) fn take_ranges(&mut self, mut visit: impl FnMut(&Self, Range<usize>)) {
        let mut from = 0;
        for word in 0..self.dirty.len() {
            while self.dirty[word] != 0 {
                let first = word * 64 + self.dirty[word].trailing_zeros() as usize;
                self.dirty[word] &= self.dirty[word] - 1;
                // What is below something that has changed is part of that range.
                if first >= from {
                    from = self.end[first] as usize;
                    visit(self, first..from);
                    // All of it is further behind.
                    let dirty = &mut self.dirty;
                    self.grafts.below(first..from, |root| dirty[root as usize / 64] |= 1 << (root % 64));
                }
            }
        }
    }

    /// Whether there are so many holes and grafts that it is time to make the lists anew.
    pub(super) fn are_worn(&self) -> bool {
        self.order.len() - self.live + self.grafts.count() > self.live / 2 + FEW_WORN
    }
}

/// # Following what changes
impl Lists {
    /// Brings the lists up to date with what has happened to some entities, and marks what has changed. They are all who have begun or ceased to take part since, and all who have got
    /// or lost a parent; it does no harm if there are others, or one twice. Answers whether somebody has got another position.
    ///
    /// If `stale`, values have been written in between, for links that may have been undone since: then all who are touched have changed.
    pub(super) fn follow<W: Inherited>(
        &mut self,
        world: &World,
        touched: impl Iterator<Item = Entity> + Clone,
        stale: bool,
    ) -> bool {
        self.begin_round();
        let (hierarchy, before) = (world.hierarchy(), self.live);
        // Who takes no part any more goes first: after that, who has a position takes part.
        for entity in touched.clone() {
            if let Some(at) = self.position_at(entity.index())
                && !takes_part::<W>(world, self.order[at as usize])
            {
                self.take_out(at);
            }
        }
        for entity in touched {
            if self.takes_part::<W>(world, entity) {
                self.ask::<W>(world, hierarchy, entity);
            } else if world.is_alive(entity) && self.flag(entity, EXPANDED) {
                self.ask_below::<W>(world, hierarchy, entity);
            }
        }
        let moving = std::mem::take(&mut self.moving);
        for &top in &moving {
            let mut next = Some(top);
            while let Some(entity) = next {
                let is_new = self.flag(entity, MOVES);
                if is_new && let Some(at) = self.position_of(entity) {
                    self.take_out(at);
                }
                next = after(hierarchy, top, entity, is_new);
            }
        }
        for &top in &moving {
            // Whose parent moves is laid with the topmost of those above.
            if hierarchy.parent(top).is_none_or(|parent| !self.has_flag(parent, MOVES)) {
                self.lay::<W>(world, hierarchy, top);
            }
        }
        let mut staying = std::mem::take(&mut self.staying);
        for entity in staying.drain(..).filter(|_| stale) {
            self.mark(entity);
        }
        self.staying = staying;
        let moved = !moving.is_empty() || self.live != before;
        self.moving = moving;
        self.moving.clear();
        self.handed.clear();
        moved
    }

    /// Whether an entity takes part now.
    fn takes_part<W: Inherited>(&self, world: &World, entity: Entity) -> bool {
        self.contains(entity) || takes_part::<W>(world, entity)
    }

    /// Looks whether one that takes part is below the same one as before.
    fn ask<W: Inherited>(&mut self, world: &World, hierarchy: &Hierarchy, entity: Entity) {
        if !self.flag(entity, ASKED) {
            return;
        }
        let now = self.above_now::<W>(world, hierarchy, entity);
        let then = self.position_of(entity).map(|at| match self.above[at as usize] {
            NOBODY => None,
            above => Some(self.order[above as usize]),
        });
        let list = if then == Some(now) { &mut self.staying } else { &mut self.moving };
        list.push(entity);
    }

    /// The same for the topmost of those below one that takes no part.
    fn ask_below<W: Inherited>(&mut self, world: &World, hierarchy: &Hierarchy, top: Entity) {
        let mut next = hierarchy.first_child(top);
        while let Some(entity) = next {
            let goes_on = if self.takes_part::<W>(world, entity) {
                self.ask::<W>(world, hierarchy, entity);
                false
            } else {
                self.flag(entity, EXPANDED)
            };
            next = after(hierarchy, top, entity, goes_on);
        }
    }

    /// The nearest ancestor that takes part.
    fn above_now<W: Inherited>(&mut self, world: &World, hierarchy: &Hierarchy, entity: Entity) -> Option<Entity> {
        let parent = hierarchy.parent(entity)?;
        if self.takes_part::<W>(world, parent) {
            return Some(parent);
        }
        // Who takes no part is asked once, however many there are below.
        let mut passed = std::mem::take(&mut self.list);
        passed.push(parent);
        let mut found = self.handed.get(&parent).copied();
        let mut above = hierarchy.ancestors(parent);
        while found.is_none() {
            found = match above.next() {
                None => Some(None),
                Some(above) if self.takes_part::<W>(world, above) => Some(Some(above)),
                Some(above) => {
                    passed.push(above);
                    self.handed.get(&above).copied()
                }
            };
        }
        let found = found.flatten();
        self.handed.extend(passed.drain(..).map(|entity| (entity, found)));
        self.list = passed;
        found
    }

    /// Takes one out; who is below it stays.
    fn take_out(&mut self, at: u32) {
        let above = self.above[at as usize];
        let is_graft = self.is_graft(at);
        if is_graft {
            self.grafts.take_off(at, above);
        }
        if is_graft || above == NOBODY {
            // The whole tree goes with its root, or is laid anew.
            self.empty.push((at, self.end[at as usize]));
        }
        self.above[at as usize] = HOLE;
        self.position[self.order[at as usize].index() as usize] = NOBODY;
        self.live -= 1;
    }

    /// Lays one that takes part with all that is below, and marks it as changed.
    fn lay<W: Inherited>(&mut self, world: &World, hierarchy: &Hierarchy, top: Entity) {
        let above = self.above_now::<W>(world, hierarchy, top);
        let above = above.map_or(NOBODY, |above| self.position_of(above).expect("it does not move"));
        let first = position(self.order.len());
        self.add_tree(hierarchy, top, |_, entity| takes_part::<W>(world, entity));
        let first = self.fill_holes(first, above);
        self.above[first as usize] = above;
        if above != NOBODY {
            self.grafts.hang(first, above);
        }
        self.dirty.resize(self.order.len().div_ceil(64), 0);
        self.mark(top);
    }

    /// Moves a tree that has just been laid into holes behind what is above it, if there are as many; answers where it is then.
    fn fill_holes(&mut self, first: u32, above: u32) -> u32 {
        let count = position(self.order.len()) - first;
        let latest = self.empty.len().saturating_sub(LOOKED_AT)..self.empty.len();
        let fits = |(start, end): (u32, u32)| end - start >= count && (above == NOBODY || above < start);
        let Some(hole) = latest.rev().find(|hole| fits(self.empty[*hole])) else { return first };
        let (start, end) = self.empty[hole];
        if start + count == end {
            self.empty.remove(hole);
        } else {
            self.empty[hole].0 += count;
        }
        for at in 0..count {
            let (from, to) = ((first + at) as usize, (start + at) as usize);
            self.order[to] = self.order[from];
            self.end[to] = self.end[from] - first + start;
            self.above[to] = if at == 0 { NOBODY } else { self.above[from] - first + start };
            self.position[self.order[to].index() as usize] = start + at;
        }
        self.order.truncate(first as usize);
        self.end.truncate(first as usize);
        self.above.truncate(first as usize);
        start
    }

    fn begin_round(&mut self) {
        self.round += 1;
        if self.round >> (32 - FLAGS) != 0 {
            self.marks.clear();
            self.round = 1;
        }
    }

    /// Sets a flag; answers whether it was not set in this round.
    fn flag(&mut self, entity: Entity, flag: u32) -> bool {
        let index = entity.index() as usize;
        if self.marks.len() <= index {
            self.marks.resize(index + 1, 0);
        }
        let mark = &mut self.marks[index];
        if *mark >> FLAGS != self.round {
            *mark = self.round << FLAGS;
        }
        let is_new = *mark & flag == 0;
        *mark |= flag;
        is_new
    }

    fn has_flag(&self, entity: Entity, flag: u32) -> bool {
        let mark = self.marks.get(entity.index() as usize).copied().unwrap_or_default();
        mark >> FLAGS == self.round && mark & flag != 0
    }
}

/// # Making them
impl Lists {
    /// Makes the lists anew. Marks are lost.
    pub(super) fn make<W: Inherited>(&mut self, world: &mut World) {
        self.order.clear();
        self.end.clear();
        self.above.clear();
        self.position.fill(NOBODY);
        self.grafts.clear();
        self.empty.clear();
        let mut list = std::mem::take(&mut self.list);
        world.query_filtered::<Entity, (With<W::Own>, With<W>)>().for_each(|entity| {
            let index = entity.index() as usize;
            if self.position.len() <= index {
                self.position.resize(index + 1, NOBODY);
            }
            self.position[index] = WAITS;
            list.push(entity);
        });
        let hierarchy = world.hierarchy();
        let waits = |lists: &Self, entity: Entity| lists.position_at(entity.index()) == Some(WAITS);
        for entity in &list {
            if hierarchy.parent(*entity).is_none() {
                self.add_tree(hierarchy, *entity, waits);
            }
        }
        // Below those who do not take part themselves.
        for root in hierarchy.all_parents() {
            if hierarchy.parent(root).is_none() && self.position_at(root.index()).is_none() {
                self.add_tree(hierarchy, root, waits);
            }
        }
        self.live = list.len();
        debug_assert_eq!(self.live, self.order.len());
        list.clear();
        self.list = list;
        self.dirty.clear();
        self.dirty.resize(self.order.len().div_ceil(64), 0);
    }

    /// Adds who takes part in a tree behind all others, from its root on.
    fn add_tree(&mut self, hierarchy: &Hierarchy, root: Entity, takes_part: impl Fn(&Self, Entity) -> bool) {
        self.open.clear();
        self.add(root, &takes_part);
        for entity in hierarchy.descendants(root) {
            // Those whose descendants end here.
            let parent = hierarchy.parent(entity);
            while let Some((open, position)) = self.open.last().copied()
                && Some(open) != parent
            {
                self.close(position);
                self.open.pop();
            }
            self.add(entity, &takes_part);
        }
        while let Some((_, position)) = self.open.pop() {
            self.close(position);
        }
    }

    fn add(&mut self, entity: Entity, takes_part: &impl Fn(&Self, Entity) -> bool) {
        // Who does not take part passes on what is above.
        let above = self.open.last().map_or(NOBODY, |(_, position)| *position);
        if !takes_part(self, entity) {
            self.open.push((entity, above));
            return;
        }
        let at = position(self.order.len());
        let index = entity.index() as usize;
        if self.position.len() <= index {
            self.position.resize(index + 1, NOBODY);
        }
        self.position[index] = at;
        self.order.push(entity);
        self.above.push(above);
        self.end.push(at + 1);
        self.open.push((entity, at));
        self.live += 1;
    }

    /// What is below a position ends before what comes next.
    fn close(&mut self, at: u32) {
        if at != NOBODY {
            self.end[at as usize] = position(self.order.len());
        }
    }
}

fn position(at: usize) -> u32 {
    u32::try_from(at).ok().filter(|at| *at < WAITS).expect("fewer than 2³² entities")
}

/// Who comes after one in a walk through a tree, depth first; with or without what is below it.
fn after(hierarchy: &Hierarchy, top: Entity, entity: Entity, with_below: bool) -> Option<Entity> {
    if with_below && let Some(child) = hierarchy.first_child(entity) {
        return Some(child);
    }
    let mut at = entity;
    while at != top {
        if let Some(sibling) = hierarchy.next_sibling(at) {
            return Some(sibling);
        }
        at = hierarchy.parent(at)?;
    }
    None
}
