//! Readers of what was removed: each must read every loss once, in order, from when it was made.

use super::components::*;
use super::driver::Driver;
use super::messages::{Place, Sent};
use super::naive::Naive;
use super::ops::LossAct;
use super::pair::Pair;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Gone, Removed, Retention};
use std::collections::BTreeMap;

/// A component that went: whose, whether the entity went as well, and the value if somebody asked for values.
pub type Loss = (Entity, bool, Option<u32>);

/// How many readers a component has at most.
const MOST_READERS: usize = 3;

/// What the naive world knows of the losses of one kind.
#[derive(Default)]
struct Log {
    sent: Sent<Loss>,
    /// How far the readers are, and whether they asked for values.
    readers: Vec<(Place, bool)>,
}

/// What the naive world knows of losses, by kind.
#[derive(Default)]
pub struct Losses(BTreeMap<usize, Log>);

impl Losses {
    /// Whether somebody reads the losses of a kind.
    pub fn are_read(&self, kind: usize) -> bool {
        self.0.get(&kind).is_some_and(|log| !log.readers.is_empty())
    }

    pub fn update(&mut self) {
        self.0.values_mut().for_each(|log| log.sent.update());
    }
}

impl Naive {
    /// A living entity is about to lose a component.
    pub fn lose(&mut self, kind: usize, entity: Entity, despawned: bool) {
        let value = self.row(entity).and_then(|row| row.value(kind));
        if let Some(log) = self.losses.0.get_mut(&kind)
            && !log.readers.is_empty()
        {
            let valued = log.readers.iter().any(|(_, values)| *values);
            log.sent.send((entity, despawned, value.filter(|_| valued)));
        }
    }
}

/// The readers of one kind in the real world.
pub trait Lost {
    fn kind(&self) -> usize;
    /// Makes a reader; answers whether it asks for values.
    fn open(&mut self, world: &mut World, values: bool) -> bool;
    fn close(&mut self, reader: usize);
    /// Skips some losses and reads others; answers them with how many were missed.
    fn read(&mut self, world: &World, reader: usize, skipped: usize, most: usize, queue: bool) -> (Vec<Loss>, u64);
    fn len(&self, world: &World, reader: usize) -> usize;
    fn keep(&self, world: &mut World, retention: Retention);
    fn clear(&self, world: &mut World);
    /// The number of the next loss, and how many values are kept.
    fn next_and_values(&self, world: &World) -> (u64, usize);
}

struct LostOf<T: Kind> {
    readers: Vec<Removed<T>>,
    /// For those that can be cloned.
    with_values: Option<fn(&mut World) -> Removed<T>>,
}

impl<T: Kind> Lost for LostOf<T> {
    fn kind(&self) -> usize {
        T::KIND
    }

    fn open(&mut self, world: &mut World, values: bool) -> bool {
        let with_values = self.with_values.filter(|_| values);
        self.readers.push(with_values.unwrap_or(Removed::new)(world));
        with_values.is_some()
    }

    fn close(&mut self, reader: usize) {
        self.readers.remove(reader);
    }

    fn read(&mut self, world: &World, reader: usize, skipped: usize, most: usize, queue: bool) -> (Vec<Loss>, u64) {
        let reader = &mut self.readers[reader];
        let unread = if queue { reader.read_from(world.events::<Gone<T>>()) } else { reader.read(world) };
        let shown = |gone: &Gone<T>| (gone.entity, gone.despawned, gone.value().map(Kind::value));
        (unread.skip(skipped).take(most).map(shown).collect(), reader.missed())
    }

    fn len(&self, world: &World, reader: usize) -> usize {
        let len = self.readers[reader].len(world);
        assert_eq!(self.readers[reader].is_empty(world), len == 0);
        len
    }

    fn keep(&self, world: &mut World, retention: Retention) {
        world.keep_events::<Gone<T>>(retention);
    }

    fn clear(&self, world: &mut World) {
        world.clear_events::<Gone<T>>();
    }

    fn next_and_values(&self, world: &World) -> (u64, usize) {
        let events = world.events::<Gone<T>>();
        (events.next_number(), events.iter().filter(|gone| gone.value().is_some()).count())
    }
}

/// The readers of a world; there are none at first.
pub fn lost() -> Vec<Box<dyn Lost>> {
    fn plain<T: Kind>() -> Box<dyn Lost> {
        Box::new(LostOf::<T> { readers: Vec::new(), with_values: None })
    }
    fn valued<T: Kind + Clone>() -> Box<dyn Lost> {
        Box::new(LostOf::<T> { readers: Vec::new(), with_values: Some(Removed::with_values) })
    }
    vec![
        valued::<Owned>(),
        valued::<Burn>(),
        valued::<Num>(),
        plain::<Curse>(),
        valued::<Tied>(),
        valued::<Skin>(),
        valued::<Spark>(),
        valued::<Name>(),
        valued::<Uuid>(),
    ]
}

impl Pair {
    /// How many values that own memory are kept for readers, and how many of each kind that is counted. What all have read may be kept or not.
    pub fn values_lost(&self) -> (usize, [i64; KINDS]) {
        let (mut owned, mut counted) = (0, [0; KINDS]);
        for lost in &self.lost {
            let (kind, (_, values)) = (lost.kind(), lost.next_and_values(&self.world));
            owned += if owns_memory(kind) { values } else { 0 };
            counted[kind] += if is_counted(kind) { i64::try_from(values).expect("few") } else { 0 };
        }
        (owned, counted)
    }

    pub fn compare_losses(&self) {
        for lost in &self.lost {
            let Some(log) = self.naive.losses.0.get(&lost.kind()) else { continue };
            for (at, (place, _)) in log.readers.iter().enumerate() {
                let kind = NAMES[lost.kind()];
                assert_eq!(lost.len(&self.world, at), log.sent.unread(place), "unread losses of {kind}");
            }
        }
    }

    /// After a panic it is not known what was written down: the readers begin anew.
    pub fn skip_losses(&mut self) {
        for lost in &mut self.lost {
            let Some(log) = self.naive.losses.0.get_mut(&lost.kind()) else { continue };
            let (next, _) = lost.next_and_values(&self.world);
            log.sent.empty_at(next);
            for (at, (place, _)) in log.readers.iter_mut().enumerate() {
                lost.read(&self.world, at, 0, usize::MAX, false);
                *place = Place::at(next);
            }
        }
    }
}

impl Driver {
    pub fn loss(&mut self, kind: u8, act: LossAct, reader: u8, count: u8) {
        if !self.config.mourned {
            return;
        }
        let (left, right) = self.pairs.split_at_mut(1);
        let (pair, other) = if self.current == 0 { (&mut left[0], &right[0]) } else { (&mut right[0], &left[0]) };
        let Pair { world, naive, lost, .. } = pair;
        let mut at = usize::from(kind) % lost.len();
        if !matches!(act, LossAct::Open | LossAct::OpenWithValues) {
            // Of the kinds from this one on, the first that somebody reads.
            let read = (0..lost.len()).map(|n| (at + n) % lost.len());
            let Some(found) = read.into_iter().find(|at| naive.losses.are_read(lost[*at].kind())) else { return };
            at = found;
        }
        let lost = &mut lost[at];
        let log = naive.losses.0.entry(lost.kind()).or_default();
        if matches!(act, LossAct::Open | LossAct::OpenWithValues) {
            if log.readers.len() < MOST_READERS {
                let values = lost.open(world, act == LossAct::OpenWithValues);
                log.readers.push((Place::at(log.sent.end()), values));
            }
            return;
        }
        let at = usize::from(reader) % log.readers.len();
        let place = &mut log.readers[at].0;
        let few = usize::from(count);
        let (skipped, most) = match act {
            LossAct::Open | LossAct::OpenWithValues => unreachable!("done"),
            LossAct::Read | LossAct::ReadQueue => (0, usize::MAX),
            LossAct::ReadSome => (0, few),
            LossAct::Skip => (few, 1),
            LossAct::Foreign => {
                assert_eq!(lost.len(&other.world, at), 0, "a reader of another world");
                assert_eq!(lost.read(&other.world, at, 0, usize::MAX, false), (Vec::new(), 0), "another world");
                return;
            }
            LossAct::Close => {
                lost.close(at);
                log.readers.remove(at);
                return;
            }
            LossAct::KeepLast | LossAct::KeepUpdates => {
                let retention = if act == LossAct::KeepLast {
                    Retention::Last(few)
                } else {
                    Retention::Updates(u32::from(count) % 4)
                };
                lost.keep(world, retention);
                log.sent.keep(retention);
                return;
            }
            LossAct::Clear => {
                lost.clear(world);
                log.sent.clear();
                return;
            }
        };
        let must: Vec<Loss> = log.sent.read(place, skipped, most).into_iter().map(|(_, loss)| loss).collect();
        let missed = std::mem::take(&mut place.missed);
        let found = lost.read(world, at, skipped, most, act == LossAct::ReadQueue);
        assert_eq!(found, (must, missed), "losses of {}, and how many were missed", NAMES[lost.kind()]);
    }
}
