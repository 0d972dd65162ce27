//! [`Ties`]: who is related to whom, found from both ends.
//!
//! ```text
//! ends    a ─► out 0─1     b ─► back 0     c ─► back 1, out 2    a list of ties for each end
//! ties    0: a → b    1: a → c    2: c → …                       each knows its neighbours in both lists
//! ```
//!
//! A tie is in two lists, that of its source and that of its target, so cutting one takes four links. Who is at no end of any tie is not there. Lists are in the order in which
//! ties were made.

use super::kind::Relation;
use phalanx_ecs::{Described, Describer, Entity, Folder, Kind, Resource};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Who is related to whom by `R`: a resource, which the world makes with the first of them.
///
/// [`Relations`](super::Relations) asks the same of a world; this is for who has been lent parts of one, such as systems.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Ties};
///
/// #[derive(Relation, Clone, Copy)] struct Follows(Entity);
///
/// let mut world = World::new();
/// let ann = world.spawn(());
/// let ducks = world.spawn_batch([Follows(ann), Follows(ann)]);
/// let ties = world.get_resource::<Ties<Follows>>().unwrap();
/// assert!(ties.sources(ann).eq(ducks));
/// ```
///
/// A system takes it as an `Option`, because there is none before anybody is related to anybody:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Relation, Ties};
/// use phalanx_schedule::{Res, run_once};
///
/// #[derive(Relation, Clone, Copy)] struct Follows(Entity);
///
/// fn count(ties: Option<Res<Ties<Follows>>>, all: Query<Entity>) -> usize {
///     let Some(ties) = ties else { return 0 };
///     all.iter().map(|entity| ties.sources(entity).len()).sum()
/// }
///
/// let mut world = World::new();
/// let ann = world.spawn(());
/// assert_eq!(run_once(&mut world, count)?, 0, "nobody follows anybody");
/// world.spawn_batch([Follows(ann), Follows(ann)]);
/// assert_eq!(run_once(&mut world, count)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ties<R: Relation> {
    list: Vec<Tie>,
    /// Places of `list` that are free.
    free: Vec<u32>,
    ends: HashMap<Entity, [Row; 2], BuildHasherDefault<Mixer>>,
    /// Only if there may be many.
    pairs: HashMap<(Entity, Entity), u32, BuildHasherDefault<Mixer>>,
    relation: PhantomData<fn() -> R>,
}

/// The list of a source.
const OUT: usize = 0;
/// The list of a target.
const BACK: usize = 1;
/// In place of a tie.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Tie {
    /// Source and target.
    ends: [Entity; 2],
    /// In the list of the source, and in that of the target.
    previous: [u32; 2],
    next: [u32; 2],
}

#[derive(Clone, Copy)]
struct Row {
    first: u32,
    last: u32,
    count: u32,
}

impl Row {
    const EMPTY: Self = Self { first: NONE, last: NONE, count: 0 };
}

/// Entities are numbers that are well apart; the same on every run.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

impl<R: Relation> Default for Ties<R> {
    fn default() -> Self {
        let (ends, pairs) = (HashMap::default(), HashMap::default());
        Self { list: Vec::new(), free: Vec::new(), ends, pairs, relation: PhantomData }
    }
}

impl<R: Relation> fmt::Debug for Ties<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ties").field("count", &self.len()).finish_non_exhaustive()
    }
}

impl<R: Relation> Resource for Ties<R> {
    fn describe_resource(describer: &mut Describer) -> Kind {
        <Vec<(Entity, Vec<Entity>)>>::describe(describer)
    }

    /// All ends in order, each with its lists: how they came about does not count, but that there is a resource does.
    fn fold_resource(&self, folder: &mut Folder) {
        let mut ends: Vec<Entity> = self.ends.keys().copied().collect();
        ends.sort_unstable_by_key(|entity| entity.to_bits());
        for end in ends {
            end.fold_into(folder);
            for list in [self.targets(end), self.sources(end)] {
                (list.len() as u64).fold_into(folder);
                list.for_each(|other| other.fold_into(folder));
            }
        }
    }
}

impl<R: Relation> Ties<R> {
    /// Relates a source to a target, after all to which it is related; it is not related to it yet.
    pub(super) fn tie(&mut self, source: Entity, target: Entity) {
        let at = self.free.pop().unwrap_or_else(|| {
            let at = u32::try_from(self.list.len()).expect("fewer than 2³² ties");
            self.list.push(Tie { ends: [source, target], previous: [NONE; 2], next: [NONE; 2] });
            at
        });
        self.list[at as usize] = Tie { ends: [source, target], previous: [NONE; 2], next: [NONE; 2] };
        for (side, end) in [source, target].into_iter().enumerate() {
            let row = &mut self.ends.entry(end).or_insert([Row::EMPTY; 2])[side];
            let last = std::mem::replace(&mut row.last, at);
            row.count += 1;
            if last == NONE {
                row.first = at;
            } else {
                self.list[last as usize].next[side] = at;
                self.list[at as usize].previous[side] = last;
            }
        }
        if R::MANY {
            self.pairs.insert((source, target), at);
        }
    }

    /// The place of the tie between two.
    fn find(&self, source: Entity, target: Entity) -> Option<u32> {
        if R::MANY {
            return self.pairs.get(&(source, target)).copied();
        }
        let first = self.ends.get(&source)?[OUT].first;
        self.list.get(first as usize).filter(|tie| tie.ends[BACK] == target).map(|_| first)
    }

    fn cut_at(&mut self, at: u32) {
        let Tie { ends, previous, next } = self.list[at as usize];
        for side in [OUT, BACK] {
            let (before, behind) = (previous[side], next[side]);
            if before != NONE {
                self.list[before as usize].next[side] = behind;
            }
            if behind != NONE {
                self.list[behind as usize].previous[side] = before;
            }
            let rows = self.ends.get_mut(&ends[side]).expect("both ends of a tie are there");
            let row = &mut rows[side];
            row.count -= 1;
            if before == NONE {
                row.first = behind;
            }
            if behind == NONE {
                row.last = before;
            }
            if rows[OUT].count + rows[BACK].count == 0 {
                self.ends.remove(&ends[side]);
            }
        }
        if R::MANY {
            self.pairs.remove(&(ends[OUT], ends[BACK]));
        }
        self.free.push(at);
    }

    /// Ends the relation of a source to a target; answers whether there was one.
    pub(super) fn cut(&mut self, source: Entity, target: Entity) -> bool {
        let Some(at) = self.find(source, target) else { return false };
        self.cut_at(at);
        true
    }

    /// Cuts all ties of a source, and adds its targets to a list.
    pub(super) fn take_targets(&mut self, source: Entity, list: &mut Vec<Entity>) {
        self.take_all(source, OUT, list);
    }

    /// Cuts all ties to a target, and adds its sources to a list.
    pub(super) fn take_sources(&mut self, target: Entity, list: &mut Vec<Entity>) {
        self.take_all(target, BACK, list);
    }

    fn take_all(&mut self, end: Entity, side: usize, list: &mut Vec<Entity>) {
        while let Some(first) = self.ends.get(&end).map(|rows| rows[side].first).filter(|first| *first != NONE) {
            list.push(self.list[first as usize].ends[1 - side]);
            self.cut_at(first);
        }
    }

    fn related(&self, end: Entity, side: usize) -> Related<'_> {
        let row = self.ends.get(&end).map_or(Row::EMPTY, |rows| rows[side]);
        Related { ties: &self.list, next: row.first, left: row.count as usize, side }
    }

    /// All who are related to somebody, in no order.
    pub(super) fn all_sources(&self) -> impl Iterator<Item = Entity> + '_ {
        self.ends.iter().filter(|(_, rows)| rows[OUT].count > 0).map(|(end, _)| *end)
    }

    /// All to whom somebody is related, in no order.
    pub(super) fn all_targets(&self) -> impl Iterator<Item = Entity> + '_ {
        self.ends.iter().filter(|(_, rows)| rows[BACK].count > 0).map(|(end, _)| *end)
    }
}

/// # Asking
impl<R: Relation> Ties<R> {
    /// How many there are.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Ties};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// # let ann = world.spawn(());
    /// world.spawn_batch([Follows(ann), Follows(ann)]);
    /// let ties = world.get_resource::<Ties<Follows>>().unwrap();
    /// assert!(ties.len() == 2 && !ties.is_empty());
    /// ```
    pub fn len(&self) -> usize {
        self.list.len() - self.free.len()
    }

    /// Whether nobody is related to anybody.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Ties};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// assert!(Ties::<Follows>::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those to whom an entity is related, in the order in which it was.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Relations, Ties};
    /// # #[derive(Relation, Clone, Copy)] #[relation(many)] struct Likes;
    /// # let mut world = World::new();
    /// # let [ann, bob, cat] = [(); 3].map(|()| world.spawn(()));
    /// world.relate::<Likes>(ann, cat)?;
    /// world.relate::<Likes>(ann, bob)?;
    /// let ties = world.get_resource::<Ties<Likes>>().unwrap();
    /// assert!(ties.targets(ann).eq([cat, bob]));
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    pub fn targets(&self, source: Entity) -> Related<'_> {
        self.related(source, OUT)
    }

    /// Those who are related to an entity, in the order in which they were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Ties};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// # let ann = world.spawn(());
    /// let ducks = world.spawn_batch([Follows(ann), Follows(ann)]);
    /// assert!(world.get_resource::<Ties<Follows>>().unwrap().sources(ann).eq(ducks));
    /// ```
    pub fn sources(&self, target: Entity) -> Related<'_> {
        self.related(target, BACK)
    }

    /// Whether one is related to the other.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Relation, Ties};
    /// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
    /// # let mut world = World::new();
    /// # let ann = world.spawn(());
    /// let duck = world.spawn(Follows(ann));
    /// let ties = world.get_resource::<Ties<Follows>>().unwrap();
    /// assert!(ties.is_related(duck, ann) && !ties.is_related(ann, duck));
    /// ```
    pub fn is_related(&self, source: Entity, target: Entity) -> bool {
        self.find(source, target).is_some()
    }
}

/// Entities at the other ends of relations; see [`Relations::sources`](super::Relations::sources) and [`Relations::targets`](super::Relations::targets).
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{Relation, Relations};
/// # #[derive(Relation, Clone, Copy)] struct Follows(Entity);
/// # let mut world = World::new();
/// # let ann = world.spawn(());
/// world.spawn_batch([Follows(ann), Follows(ann)]);
/// assert_eq!(world.sources::<Follows>(ann).len(), 2);
/// ```
#[derive(Clone)]
pub struct Related<'a> {
    ties: &'a [Tie],
    next: u32,
    left: usize,
    side: usize,
}

impl Related<'_> {
    /// Nobody.
    pub(super) const NOBODY: Self = Self { ties: &[], next: NONE, left: 0, side: OUT };
}

impl fmt::Debug for Related<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl Iterator for Related<'_> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        let tie = self.ties.get(self.next as usize)?;
        (self.next, self.left) = (tie.next[self.side], self.left - 1);
        Some(tie.ends[1 - self.side])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Related<'_> {}
impl FusedIterator for Related<'_> {}
