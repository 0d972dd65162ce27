//! Resources and events, with those who read them.

use super::driver::Driver;
use super::ledger::Tracked;
use super::ops::{EventAct, ResourceAct};
use super::pair::Pair;
use super::row::now;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{EventReader, ResourceReader, Retention};
use std::collections::VecDeque;

/// The resource of the model.
#[derive(Resource)]
pub struct Score(pub Tracked);

/// The event of the model.
#[derive(Event)]
pub struct Ping(pub Tracked);

/// How many readers there are of each.
const READERS: usize = 3;

/// A reader of events: the number of the next one it reads, and how many it missed.
#[derive(Clone, Copy, Default)]
pub struct Place {
    next: u64,
    pub missed: u64,
}

impl Place {
    pub fn at(next: u64) -> Self {
        Self { next, missed: 0 }
    }
}

/// When a reader of the resource last asked whether it was added, changed, removed.
#[derive(Clone, Copy, Default)]
struct Asked {
    added: u64,
    changed: u64,
    removed: u64,
}

/// What the naive world knows of resources and events.
#[derive(Default)]
pub struct Messages {
    score: Option<u32>,
    added: u64,
    changed: u64,
    removed: u64,
    asked: [Asked; READERS],
    pub events: Sent<u32>,
    places: [Place; READERS],
}

/// The readers of the real world.
#[derive(Default)]
pub struct Readers {
    resources: [ResourceReader<Score>; READERS],
    events: [EventReader<Ping>; READERS],
}

impl Messages {
    pub fn set_score(&mut self, value: u32) {
        if self.score.is_none() {
            self.added = now();
        }
        (self.score, self.changed) = (Some(value), now());
    }

    pub fn remove_score(&mut self) {
        if self.score.take().is_some() {
            self.removed = now();
        }
    }
}

/// Events that are kept, of whatever they tell.
pub struct Sent<T> {
    /// The events, and how many updates they have seen.
    kept: VecDeque<(T, u32)>,
    /// The number of the first that is kept.
    first: u64,
    retention: Retention,
}

impl<T> Default for Sent<T> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), first: 0, retention: Retention::Updates(2) }
    }
}

impl<T: Copy> Sent<T> {
    pub fn send(&mut self, value: T) {
        self.kept.push_back((value, 0));
        self.keep_to_last();
    }

    fn keep_to_last(&mut self) {
        if let Retention::Last(most) = self.retention {
            while self.kept.len() > most {
                self.drop_first();
            }
        }
    }

    fn drop_first(&mut self) {
        self.kept.pop_front();
        self.first += 1;
    }

    pub fn clear(&mut self) {
        self.empty_at(self.end());
    }

    /// Nothing is kept, and the next event has this number.
    pub fn empty_at(&mut self, next: u64) {
        self.kept.clear();
        self.first = next;
    }

    pub fn update(&mut self) {
        if let Retention::Updates(most) = self.retention {
            for (_, seen) in &mut self.kept {
                *seen += 1;
            }
            while self.kept.front().is_some_and(|(_, seen)| *seen >= most.max(1)) {
                self.drop_first();
            }
        }
    }

    pub fn keep(&mut self, retention: Retention) {
        self.retention = retention;
        if !matches!(retention, Retention::Updates(_)) {
            self.kept.iter_mut().for_each(|(_, seen)| *seen = 0);
        }
        self.keep_to_last();
    }

    pub fn end(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// How many events a reader would see.
    pub fn unread(&self, place: &Place) -> usize {
        usize::try_from(self.end() - place.next.max(self.first)).expect("few")
    }

    /// The next events for a reader, with their numbers. None are skipped if none are read.
    pub fn read(&self, place: &mut Place, skipped: usize, most: usize) -> Vec<(u64, T)> {
        place.missed += self.first.saturating_sub(place.next);
        place.next = place.next.max(self.first);
        if most == 0 {
            return Vec::new();
        }
        let from = usize::try_from(place.next - self.first).expect("few");
        let numbered = self.kept.iter().zip(self.first..).map(|((value, _), number)| (number, *value));
        let read: Vec<(u64, T)> = numbered.skip(from).skip(skipped).take(most).collect();
        place.next = read.last().map_or(self.end(), |(number, _)| number + 1);
        read
    }
}

impl Pair {
    pub fn messages_alive(&self) -> usize {
        let messages = &self.naive.messages;
        usize::from(messages.score.is_some()) + messages.events.kept.len()
    }

    pub fn compare_messages(&self) {
        let messages = &self.naive.messages;
        assert_eq!(self.world.get_resource::<Score>().map(|score| score.0.get()), messages.score, "the resource");
        let events = self.world.events::<Ping>();
        assert_eq!(
            (events.first_number(), events.next_number()),
            (messages.events.first, messages.events.end()),
            "numbers of events"
        );
        assert!(
            events.iter().map(|ping| ping.0.get()).eq(messages.events.kept.iter().map(|(value, _)| *value)),
            "events"
        );
        assert_eq!(events.retention(), messages.events.retention, "retention");
    }
}

impl Driver {
    pub fn resource(&mut self, act: ResourceAct, reader: u8) {
        let (seed, reader) = (self.next_seed(), usize::from(reader) % READERS);
        let Pair { world, naive, readers, .. } = self.pair();
        let (messages, reader_of) = (&mut naive.messages, &mut readers.resources[reader]);
        let asked = &mut messages.asked[reader];
        match act {
            ResourceAct::Insert => {
                let old = world.insert_resource(Score(Tracked::new(seed)));
                assert_eq!(old.map(|score| score.0.get()), messages.score, "insert_resource");
                messages.set_score(seed);
            }
            ResourceAct::Remove => {
                let old = world.remove_resource::<Score>();
                assert_eq!(old.map(|score| score.0.get()), messages.score, "remove_resource");
                messages.remove_score();
            }
            ResourceAct::Write | ResourceAct::LookOnly | ResourceAct::Bypass => {
                let found = world.resource_mut::<Score>();
                assert_eq!(found.is_ok(), messages.score.is_some(), "resource_mut");
                let Ok(mut score) = found else { return };
                assert_eq!(Some(score.0.get()), messages.score, "resource_mut");
                match act {
                    ResourceAct::Write => {
                        score.0.set(seed);
                        messages.set_score(seed);
                    }
                    ResourceAct::Bypass => {
                        score.bypass().0.set(seed);
                        messages.score = Some(seed);
                    }
                    _ => {}
                }
            }
            ResourceAct::OrInsert => {
                let score = world.resource_or_insert_with(|| Score(Tracked::new(seed)));
                let value = score.0.get();
                if messages.score.is_none() {
                    messages.set_score(seed);
                }
                assert_eq!(Some(value), messages.score, "resource_or_insert_with");
            }
            ResourceAct::AskChanged => {
                let must = messages.score.is_some() && messages.changed > asked.changed;
                asked.changed = now();
                assert_eq!(reader_of.changed(world), must, "a reader asks whether the resource changed");
            }
            ResourceAct::AskAdded => {
                let must = messages.score.is_some() && messages.added > asked.added;
                asked.added = now();
                assert_eq!(reader_of.added(world), must, "a reader asks whether the resource is new");
            }
            ResourceAct::AskRemoved => {
                let must = messages.removed > asked.removed;
                asked.removed = now();
                assert_eq!(reader_of.removed(world), must, "a reader asks whether the resource was removed");
            }
        }
    }

    pub fn event(&mut self, act: EventAct, reader: u8, count: u8) {
        let (seed, at) = (self.next_seed(), usize::from(reader) % READERS);
        let Pair { world, naive, readers, .. } = self.pair();
        let (messages, reader) = (&mut naive.messages, &mut readers.events[at]);
        let several = || (0..count).map(move |n| seed.wrapping_add(n.into()));
        let kept = match act {
            EventAct::KeepUpdates => Some(Retention::Updates(u32::from(count) % 4)),
            EventAct::KeepLast => Some(Retention::Last(count.into())),
            EventAct::KeepAll => Some(Retention::Forever),
            _ => None,
        };
        if let Some(retention) = kept {
            world.keep_events::<Ping>(retention);
            messages.events.keep(retention);
        }
        match act {
            EventAct::KeepUpdates | EventAct::KeepLast | EventAct::KeepAll => {}
            EventAct::Send => {
                world.send(Ping(Tracked::new(seed)));
                messages.events.send(seed);
            }
            EventAct::SendBatch => {
                world.send_batch(several().map(|value| Ping(Tracked::new(value))));
                several().for_each(|value| messages.events.send(value));
            }
            EventAct::Update => {
                world.update_events();
                messages.events.update();
                naive.losses.update();
            }
            EventAct::Clear => {
                world.clear_events::<Ping>();
                messages.events.clear();
            }
            EventAct::Read | EventAct::ReadSome | EventAct::ReadNumbered => {
                let most = if act == EventAct::ReadSome { count.into() } else { usize::MAX };
                let unread = reader.len(world);
                let must = messages.events.read(&mut messages.places[at], 0, most);
                let seen: Vec<(u64, u32)> = if act == EventAct::ReadNumbered {
                    reader.read_with_number(world).map(|(number, ping)| (number, ping.0.get())).collect()
                } else {
                    let values: Vec<u32> = reader.read(world).take(most).map(|ping| ping.0.get()).collect();
                    must.iter().map(|(number, _)| *number).zip(values).collect()
                };
                assert_eq!(seen, must, "what a reader reads");
                assert!(seen.len() == unread || act == EventAct::ReadSome, "{unread} were left to read");
                assert_eq!(reader.missed(), std::mem::take(&mut messages.places[at].missed), "what a reader missed");
            }
            EventAct::Skip => {
                reader.skip_all(world);
                messages.events.read(&mut messages.places[at], 0, usize::MAX);
            }
            EventAct::FromNow => {
                *reader = EventReader::from_now(world);
                messages.places[at] = Place::at(messages.events.end());
            }
        }
    }
}
