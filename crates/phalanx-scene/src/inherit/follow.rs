//! How the lists follow what has happened: who is touched, who of them has another one above, and where those are laid.
//!
//! Who is touched need not have changed: who has got another place among its siblings, say, has the same one above it as before, and stays where it is. Each entity is asked once, and
//! each one that moves is laid once, however often it is named and however many of those above it are: so it takes as long as there is in the trees that move.

use super::inherited::{Inherited, takes_part};
use super::lists::{HOLE, Lists, NOBODY, position};
use crate::hierarchy::{Hierarchy, Kinship};
use phalanx_ecs::{Entity, World};

/// So many of the latest empty places are looked at for one that fits.
const LOOKED_AT: usize = 8;

// What is known of an entity for as long as changes are followed.
const EXPANDED: u32 = 1;
const ASKED: u32 = 2;
const MOVES: u32 = 4;
const FLAGS: u32 = 3;

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
        self.dirty.resize(self.order.len());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChildOf, Transform, WorldTransform};

    fn follow(lists: &mut Lists, world: &World, touched: &[Entity]) -> Vec<Entity> {
        lists.follow::<WorldTransform>(world, touched.iter().copied(), false);
        let mut changed = Vec::new();
        lists.take_ranges(Lists::span, |lists, range, _| changed.extend_from_slice(&lists.order[range]));
        lists.validate::<WorldTransform>(world);
        changed
    }

    #[test]
    fn a_tree_that_moves_is_laid_behind_what_it_hangs_from() {
        let mut world = World::new();
        let [a, b, c, lone] = [(); 4].map(|()| world.spawn(Transform::IDENTITY));
        let below: Vec<Entity> = world.spawn_batch([(Transform::IDENTITY, ChildOf(b)); 2]).into_iter().collect();
        let mut lists = Lists::default();
        lists.make::<WorldTransform>(&mut world);
        assert_eq!((lists.order.len(), lists.live), (6, 6));
        world.attach(b, a).unwrap();
        assert_eq!(follow(&mut lists, &world, &[b, b]), [b, below[0], below[1]]);
        assert_eq!((lists.order.len(), lists.grafts.count()), (6, 1), "where it was, which is behind `a`");
        // In front of `b` is a hole now, which is no place for who is below it.
        world.attach(c, b).unwrap();
        assert_eq!(follow(&mut lists, &world, &[c]), [c]);
        assert_eq!((lists.order.len(), lists.grafts.count()), (7, 2));
        let new = world.spawn(Transform::IDENTITY);
        assert_eq!(follow(&mut lists, &world, &[new]), [new]);
        assert_eq!(lists.order.len(), 7, "who is alone may stand anywhere");
        // What has changed brings along what hangs from it.
        lists.mark(a);
        let mut changed = Vec::new();
        lists.take_ranges(Lists::span, |lists, range, _| changed.extend_from_slice(&lists.order[range]));
        assert_eq!(changed, [a, b, below[0], below[1], c]);
        world.despawn(a).unwrap();
        assert!(follow(&mut lists, &world, &[a, b, below[0], below[1], c]).is_empty());
        assert_eq!((lists.live, lists.grafts.count()), (2, 0));
        assert!(lists.contains(lone) && lists.contains(new));
    }

    #[test]
    fn who_comes_and_goes_all_the_time_needs_no_more_room() {
        let mut world = World::new();
        let trees: Vec<Entity> = (0..50).map(|_| world.spawn(Transform::IDENTITY)).collect();
        let leaf = world.spawn((Transform::IDENTITY, ChildOf(trees[0])));
        let mut lists = Lists::default();
        lists.make::<WorldTransform>(&mut world);
        let mut lone = world.spawn(Transform::IDENTITY);
        follow(&mut lists, &world, &[lone]);
        for number in 0..500 {
            world.attach(leaf, trees[number % 50]).unwrap();
            world.despawn(lone).unwrap();
            let gone = std::mem::replace(&mut lone, world.spawn(Transform::IDENTITY));
            follow(&mut lists, &world, &[leaf, gone, lone]);
            assert!(lists.order.len() <= 56, "{number}: {}", lists.order.len());
        }
        assert!(!lists.are_worn());
    }

    #[test]
    fn the_order_among_siblings_moves_nobody() {
        let mut world = World::new();
        let parent = world.spawn(Transform::IDENTITY);
        let all: Vec<Entity> = world.spawn_batch([(Transform::IDENTITY, ChildOf(parent)); 3]).into_iter().collect();
        let mut lists = Lists::default();
        lists.make::<WorldTransform>(&mut world);
        world.attach_at(all[2], parent, crate::Place::First).unwrap();
        assert!(follow(&mut lists, &world, &[all[2]]).is_empty());
        assert_eq!(lists.position_of(all[2]), Some(3));
    }
}
