//! From [`Transform`]s to [`WorldTransform`]s, where something has changed.
//!
//! ```text
//! order   [ a  b  c  d  e  f ]      who has a place: each before what is below it, and that before the next
//! end     [ 4  3  3  4  5  6 ]      what is below somebody ends here: a subtree is one range
//! above   [ –  0  1  0  –  – ]      the position of the nearest ancestor that has one
//! dirty   [ 0  1  1  0  0  1 ]      what has changed; of two, one below the other, the upper one is enough
//! ```
//!
//! Each range is walked once, from the front: what is above has been worked out by then. The lists are made anew if parents, children or places have come or gone,
//! which takes as long as there are places.
//!
//! If few have changed they are looked up one by one. If many have, rows are found by where they were the last time; that none has moved since is seen by comparing the columns of
//! entity indices with those of then.

#[cfg(feature = "parallel")]
use super::pieces::{Pieces, Tree};
use super::place::{Arrivals, Transform, WorldTransform, has_place};
use crate::hierarchy::{Hierarchy, Kinship};
use glam::Affine3A;
use phalanx_ecs::{Changed, Entity, EntitySlice, Prepared, Resource, With, World};

/// Brings all [`WorldTransform`]s up to date: of what has changed since it last ran, and of what is below that. A system of its own, in the group that needs it.
///
/// Changed is a [`Transform`] that was written, has come, or has another parent than before. It makes no difference how often it runs in between: what comes out is the same, bit for bit.
///
/// ```
/// use glam::Vec3;
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Transform, WorldTransform, propagate};
///
/// let mut world = World::new();
/// let arm = world.spawn(Transform::at(Vec3::Y));
/// let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
/// assert_eq!(propagate(&mut world), 2);
/// assert_eq!(propagate(&mut world), 0, "nothing has changed");
/// world.get_mut::<Transform>(arm).unwrap().translation.y = 5.0;
/// assert_eq!(propagate(&mut world), 2);
/// assert_eq!(world.get::<WorldTransform>(hand).unwrap().translation(), Vec3::new(1.0, 5.0, 0.0));
/// ```
pub fn propagate(world: &mut World) -> usize {
    // Taken out while it is used; only the box moves.
    let mut plan = world.init_resource::<Propagation>().plan.take().unwrap_or_default();
    let written = plan.run(world);
    world.init_resource::<Propagation>().plan = Some(plan);
    written
}

/// What [`propagate`] keeps.
#[derive(Resource, Default)]
#[resource(no_checksum)]
struct Propagation {
    plan: Option<Box<Plan>>,
}

pub(super) const NOBODY: u32 = u32::MAX;
/// If one of so many is to be worked out, it is quicker to walk over tables than to look for entities.
const FEW: usize = 8;

struct Plan {
    changed: Prepared<Entity, Changed<Transform>>,
    reading: Prepared<&'static WorldTransform>,
    writing: Prepared<(&'static Transform, &'static mut WorldTransform)>,
    walking: Prepared<(Entity, &'static Transform, &'static mut WorldTransform)>,
    /// The versions of the hierarchy and of the places that the lists were made of.
    made_of: Option<(u64, u64)>,
    order: Vec<Entity>,
    end: Vec<u32>,
    above: Vec<u32>,
    /// Positions where something has changed, a bit for each.
    dirty: Vec<u64>,
    /// By entity index: the position in `order`.
    position: Vec<u32>,
    /// By entity index: whose place was above when the lists were last made.
    was_below: Vec<Option<Entity>>,
    /// By position: which row of which chunk it was the last time.
    rows: Vec<(u32, u32)>,
    /// The entity indices of all chunks, one chunk behind the other, as they were then.
    seen: Vec<u32>,
    /// How many rows each chunk had then.
    lengths: Vec<usize>,
    /// For making the lists: who is above, with the position.
    open: Vec<(Entity, u32)>,
    /// What has changed, with all that is below: from a position to another.
    ranges: Vec<(usize, usize)>,
    /// For looking up: whom; what is above the ranges; what was worked out.
    list: Vec<Entity>,
    overs: Vec<Affine3A>,
    scratch: Vec<Affine3A>,
    #[cfg(feature = "parallel")]
    pieces: Pieces,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
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
            seen: Vec::new(),
            lengths: Vec::new(),
            open: Vec::new(),
            ranges: Vec::new(),
            list: Vec::new(),
            overs: Vec::new(),
            scratch: Vec::new(),
            #[cfg(feature = "parallel")]
            pieces: Pieces::default(),
        }
    }
}

/// The columns of some rows of a table.
pub(super) type Chunk<'w> = (EntitySlice<'w>, &'w [Transform], &'w mut [WorldTransform]);

impl Plan {
    fn run(&mut self, world: &mut World) -> usize {
        let arrivals = world.get_resource::<Arrivals>().map_or(0, |arrivals| arrivals.version);
        let versions = (world.hierarchy().version(), arrivals);
        if self.made_of != Some(versions) {
            self.make_lists(world);
            self.made_of = Some(versions);
            self.mark_arrivals(world);
        }
        let (dirty, position) = (&mut self.dirty, &self.position);
        self.changed.on(world).for_each(|entity| {
            if let Some(&at) = position.get(entity.index() as usize)
                && at != NOBODY
            {
                mark(dirty, at);
            }
        });
        self.find_ranges();
        let written = self.ranges.iter().map(|(first, end)| end - first).sum();
        if written * FEW > self.order.len() {
            self.walk_tables(world);
        } else if written > 0 {
            self.look_up(world, written);
        }
        written
    }

    /// What has come has not been worked out, though everything around it may be as before.
    fn mark_arrivals(&mut self, world: &mut World) {
        let Some(mut arrivals) = world.get_resource_mut::<Arrivals>() else { return };
        if std::mem::take(&mut arrivals.too_many) {
            for at in 0..self.order.len() {
                mark(&mut self.dirty, u32::try_from(at).expect("fewer than 2³² entities"));
            }
        }
        for entity in arrivals.entities.drain(..) {
            if let Some(&at) = self.position.get(entity.index() as usize)
                && at != NOBODY
            {
                mark(&mut self.dirty, at);
            }
        }
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
        let Self { order, above, ranges, list, overs, scratch, .. } = self;
        // What is above a range has not changed, or it would be part of one.
        list.clear();
        list.extend(ranges.iter().filter(|range| above[range.0] != NOBODY).map(|range| order[above[range.0] as usize]));
        overs.clear();
        self.reading.on(world).for_each_of(list, |place| overs.push(place.affine));
        list.clear();
        for (first, end) in &*ranges {
            list.extend_from_slice(&order[*first..*end]);
        }
        scratch.clear();
        let (mut coming, mut overs) = (ranges.iter(), overs.iter());
        // The range at hand, and where in the scratch it begins.
        let (mut first, mut end, mut start, mut at) = (0, 0, 0, 0);
        let visited = self.writing.on(world).for_each_of(list, |(transform, place)| {
            let over = if at == end {
                (first, end) = *coming.next().expect("as many ranges as there are entities for");
                (at, start) = (first, scratch.len());
                if above[first] == NOBODY { None } else { overs.next() }
            } else {
                scratch.get(start + above[at] as usize - first)
            };
            *place = WorldTransform::under(over, transform);
            scratch.push(place.affine);
            at += 1;
        });
        debug_assert_eq!(visited, count, "all in the list have a place");
    }

    /// Works out what has changed, with the columns of all tables at hand.
    fn walk_tables(&mut self, world: &mut World) {
        let mut walking = std::mem::take(&mut self.walking);
        let mut query = walking.on(world);
        let mut chunks: Vec<Chunk<'_>> = query.chunks().collect();
        self.find_rows(&chunks);
        #[cfg(feature = "parallel")]
        if Pieces::pay(&self.ranges) {
            let tree = Tree { end: &self.end, above: &self.above, rows: &self.rows, position: &self.position };
            self.pieces.run(&self.ranges, &tree, &mut chunks);
            drop(chunks);
            self.walking = walking;
            return;
        }
        for &(first, end) in &self.ranges {
            let (above, rows) = (&self.above[first..end], &self.rows[first..end]);
            for (&above, &(chunk, row)) in above.iter().zip(rows) {
                let over = if above == NOBODY {
                    None
                } else {
                    let (chunk, row) = self.rows[above as usize];
                    Some(chunks[chunk as usize].2[row as usize].affine)
                };
                let (_, transforms, places) = &mut chunks[chunk as usize];
                places[row as usize] = WorldTransform::under(over.as_ref(), &transforms[row as usize]);
            }
        }
        drop(chunks);
        self.walking = walking;
    }

    /// Sees whether rows are where they were, and finds them again if not.
    fn find_rows(&mut self, chunks: &[Chunk<'_>]) {
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
    }

    /// Makes the lists anew, and notes whose places are below others than before.
    fn make_lists(&mut self, world: &mut World) {
        self.order.clear();
        self.end.clear();
        self.above.clear();
        self.position.fill(NOBODY);
        // Rows are found anew: the same indices may stand for other positions.
        self.rows.clear();
        let all: Vec<Entity> =
            world.query_filtered::<Entity, (With<Transform>, With<WorldTransform>)>().iter().collect();
        let hierarchy = world.hierarchy();
        for entity in &all {
            if hierarchy.parent(*entity).is_none() {
                self.add_tree(world, hierarchy, *entity);
            }
        }
        // Below those who have no place themselves.
        for root in hierarchy.all_parents() {
            if hierarchy.parent(root).is_none() && !has_place(world, root) {
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
                mark(&mut self.dirty, u32::try_from(at).expect("fewer than 2³² entities"));
            }
        }
    }

    /// Adds who has a place in a tree, from its root on.
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
        // Who has no transform passes on that of the nearest above who has one.
        let above = self.open.last().map_or(NOBODY, |(_, position)| *position);
        if !has_place(world, entity) {
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

fn mark(dirty: &mut [u64], at: u32) {
    dirty[at as usize / 64] |= 1 << (at % 64);
}

/// Where an entity that has a transform is in the world, from the transforms above it.
pub(super) fn place_of(world: &World, entity: Entity) -> WorldTransform {
    let own = world.get::<Transform>(entity).copied().unwrap_or_default();
    let mut above: Vec<Transform> = vec![own];
    let placed = world.ancestors(entity).filter(|ancestor| has_place(world, *ancestor));
    above.extend(placed.filter_map(|ancestor| world.get::<Transform>(ancestor).copied()));
    let mut place: Option<WorldTransform> = None;
    for transform in above.iter().rev() {
        place = Some(WorldTransform::under(place.as_ref().map(|place| &place.affine), transform));
    }
    place.unwrap_or_default()
}

/// Works out where an entity and all its descendants are, now.
pub(super) fn place_now(world: &mut World, entity: Entity) {
    let place = place_of(world, entity);
    write(world, entity, place);
    let below: Vec<Entity> = world.descendants(entity).filter(|below| has_place(world, *below)).collect();
    for entity in below {
        // From the front: who is above has been written.
        let above = world.ancestors(entity).find(|ancestor| has_place(world, *ancestor));
        let above = above.and_then(|above| world.get::<WorldTransform>(above)).map(|above| above.affine);
        let place = world.get::<Transform>(entity).map(|transform| WorldTransform::under(above.as_ref(), transform));
        write(world, entity, place.unwrap_or_default());
    }
}

fn write(world: &mut World, entity: Entity, place: WorldTransform) {
    if let Some(written) = world.get_mut::<WorldTransform>(entity) {
        *written = place;
    }
}
