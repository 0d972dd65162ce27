//! The lists that values are worked out by, from the top down.
//!
//! ```text
//!                                        ◄── laid later ───
//! order   [ a  b  ·  d  e │ f │ g  h │ x  y │ z  │ ·  ]    who takes part: each before what is below it, and that before the next
//! end     [ 4  3  3  4  5   6   8  8   10 10  11   12 ]    what is below somebody in the same tree ends here: it is one range
//! above   [ –  0  ∅  0  –   –   –  6   1  8   9    ∅  ]    the position of the nearest ancestor that takes part: always further to the front
//! dirty   [ 0  1  0  0  0   0   0  0   0  0   0    0  ]    what has changed; of two, one below the other, the upper one is enough
//! ```
//!
//! When the lists are made, each tree of the world is one range. Later, who comes is laid behind all others, and so is who gets another parent, with all that is below: as a tree of
//! its own. What it hangs from, if anything, is in [`Grafts`]: `x` hangs from `b`, `z` from `y`. The place where it was becomes a hole, `·`. So a change costs what it moves, however
//! many others there are; and still each stands behind what is above it, so that one walk from the front works out all.
//!
//! Holes in a row where a whole tree was are filled again by trees that fit. Where holes and grafts become many, the lists are made anew: after so many changes that each pays next
//! to nothing for it.

use super::bits::Marks;
use super::grafts::Grafts;
use super::inherited::Inherited;
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

/// What is above a position, and where what is below it in the same tree ends.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) above: u32,
    pub(super) end: u32,
}

#[derive(Default)]
pub(super) struct Lists {
    pub(super) order: Vec<Entity>,
    pub(super) end: Vec<u32>,
    pub(super) above: Vec<u32>,
    /// By entity index: the position in `order`.
    pub(super) position: Vec<u32>,
    /// Positions where something has changed.
    pub(super) dirty: Marks,
    /// Whether all are.
    all_dirty: bool,
    /// How many take part: all positions but the holes.
    pub(super) live: usize,
    pub(super) grafts: Grafts,
    /// Holes in a row that are part of no tree.
    pub(super) empty: Vec<(u32, u32)>,
    /// By entity index: flags, and in which round they were set.
    pub(super) marks: Vec<u32>,
    pub(super) round: u32,
    /// Who is to be laid anew.
    pub(super) moving: Vec<Entity>,
    /// Who has been touched, and is below the same one as before.
    pub(super) staying: Vec<Entity>,
    /// What those hand down who take no part themselves, as far as somebody has asked.
    pub(super) handed: HashMap<Entity, Option<Entity>>,
    /// The ancestors of the next one, each with its position or, if it takes no part, with that of the one above.
    open: Vec<(Entity, u32)>,
    pub(super) list: Vec<Entity>,
}

impl Lists {
    /// Whether an entity takes part, as far as the lists know.
    pub(super) fn contains(&self, entity: Entity) -> bool {
        self.position_of(entity).is_some()
    }

    pub(super) fn position_of(&self, entity: Entity) -> Option<u32> {
        self.position_at(entity.index()).filter(|at| self.order[*at as usize] == entity)
    }

    pub(super) fn position_at(&self, index: u32) -> Option<u32> {
        self.position.get(index as usize).copied().filter(|at| *at != NOBODY)
    }

    /// How many take part between two positions, the first of which is no hole.
    pub(super) fn live_in(&self, range: Range<usize>) -> usize {
        if range.len() == 1 {
            return 1;
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
            self.mark_at(*at);
        }
    }

    /// Notes that what is at a position has changed.
    #[inline]
    pub(super) fn mark_at(&mut self, at: u32) {
        self.dirty.set(at as usize);
    }

    pub(super) fn mark_all(&mut self) {
        if self.live == self.order.len() {
            self.all_dirty = true;
            self.dirty.set_all(self.order.len());
            return;
        }
        for at in 0..self.order.len() {
            if self.above[at] != HOLE {
                self.dirty.set(at);
            }
        }
    }

    /// Whether all have changed, and all positions are one range, since nothing hangs from elsewhere. Takes the marks off, if so.
    pub(super) fn take_all(&mut self) -> bool {
        let all = std::mem::take(&mut self.all_dirty) && self.live == self.order.len() && self.grafts.count() == 0;
        if all {
            self.dirty.clear();
        }
        all
    }

    /// What is above a position, and where what is below it in the same tree ends.
    #[inline]
    pub(super) fn span(&self, at: usize) -> Span {
        Span { above: self.above[at], end: self.end[at] }
    }

    /// Visits what has changed with all that is below in the same tree, from the front, and takes the marks off. What hangs from there comes as ranges of their own.
    /// `span` answers as [`Lists::span`]; it may know it from elsewhere.
    #[inline]
    pub(super) fn take_ranges(
        &mut self,
        span: impl Fn(&Self, usize) -> Span,
        mut visit: impl FnMut(&Self, Range<usize>, u32),
    ) {
        let (mut end, are_grafts) = (0, self.grafts.count() > 0);
        // What is marked below something that has changed is part of that range.
        while let Some(first) = self.dirty.take_from(end) {
            let Span { above, end: behind } = span(self, first);
            end = behind as usize;
            visit(self, first..end, above);
            if are_grafts {
                // All of it is further behind.
                let dirty = &mut self.dirty;
                self.grafts.below(first..end, |root| dirty.set(root as usize));
            }
        }
    }

    /// Whether there are so many holes and grafts that it is time to make the lists anew.
    pub(super) fn are_worn(&self) -> bool {
        self.order.len() - self.live + self.grafts.count() > self.live / 2 + FEW_WORN
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
        self.all_dirty = false;
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
        self.dirty.resize(self.order.len());
    }

    /// Adds who takes part in a tree behind all others, from its root on.
    pub(super) fn add_tree(&mut self, hierarchy: &Hierarchy, root: Entity, takes_part: impl Fn(&Self, Entity) -> bool) {
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

#[inline]
pub(super) fn position(at: usize) -> u32 {
    u32::try_from(at).ok().filter(|at| *at < WAITS).expect("fewer than 2³² entities")
}

#[cfg(test)]
impl Lists {
    /// Compares the lists with a world.
    pub(super) fn validate<W: Inherited>(&self, world: &World) {
        use super::inherited::takes_part;
        let mut live = 0;
        for (at, &entity) in self.order.iter().enumerate() {
            let above = self.above[at];
            if above == HOLE {
                assert!(!self.dirty.has(at), "a hole has changed");
                continue;
            }
            live += 1;
            let at = position(at);
            assert!(takes_part::<W>(world, entity), "{entity}");
            assert_eq!(self.position_of(entity), Some(at));
            let now = world.ancestors(entity).find(|above| takes_part::<W>(world, *above));
            assert_eq!(now, (above != NOBODY).then(|| self.order[above as usize]), "above {entity}");
            if above != NOBODY {
                assert!(above < at && self.above[above as usize] != HOLE, "{entity}");
                let mut hangs = false;
                self.grafts.below(above as usize..above as usize + 1, |root| hangs |= root == at);
                assert_eq!(hangs, self.is_graft(at), "{entity}");
                assert!(hangs || self.end[at as usize] <= self.end[above as usize], "{entity}");
            }
        }
        assert_eq!(live, self.live);
        let empty = self.empty.iter().flat_map(|(first, end)| *first..*end);
        assert!(empty.into_iter().all(|at| self.above[at as usize] == HOLE), "not empty");
    }
}
