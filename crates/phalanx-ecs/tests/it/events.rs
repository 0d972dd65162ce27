//! Events: each reader sees each event once and in order, for as long as it is kept, and knows what it missed.

use crate::hostile::{Ledger, Token, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Event, Retention};

#[derive(Event, Debug, PartialEq, Clone, Copy)]
struct Hit(u64);
#[derive(Event, Debug, PartialEq)]
#[event(keep_last = 3)]
struct Recent(u64);
#[derive(Event)]
#[event(keep_updates = 1 + 2, name = "three frames")]
struct Slow(u64);
#[derive(Event)]
#[event(keep_forever)]
struct Logged<T>(T);
#[derive(Event)]
struct Ping;
#[derive(Event)]
struct Note(Token);

fn note() -> Note {
    Note(Ledger::current().token())
}

fn kept<E: Event>(world: &World, value: impl Fn(&E) -> u64) -> Vec<u64> {
    world.events::<E>().iter().map(value).collect()
}

fn hits(world: &World) -> Vec<u64> {
    kept::<Hit>(world, |hit| hit.0)
}

fn read(reader: &mut EventReader<Hit>, world: &World) -> Vec<u64> {
    reader.read(world).map(|hit| hit.0).collect()
}

#[test]
fn a_reader_sees_each_event_once_and_in_order() {
    let mut world = World::new();
    let mut reader = EventReader::new();
    assert_eq!(read(&mut reader, &world), [0; 0]);
    world.send(Hit(1));
    world.send(Hit(2));
    assert_eq!(read(&mut reader, &world), [1, 2]);
    assert_eq!(read(&mut reader, &world), [0; 0]);
    world.send_batch([Hit(3), Hit(4)]);
    assert_eq!(read(&mut reader, &world), [3, 4]);
    assert_eq!(reader.missed(), 0);
}

#[test]
fn readers_take_nothing_from_each_other() {
    let mut world = World::new();
    world.send(Hit(1));
    let (mut all, mut later) = (EventReader::new(), EventReader::from_now(&world));
    world.send(Hit(2));
    let mut copy = later.clone();
    assert_eq!(read(&mut all, &world), [1, 2]);
    assert_eq!(read(&mut later, &world), [2]);
    assert_eq!(read(&mut copy, &world), [2]);
    assert_eq!((all.missed(), later.missed()), (0, 0));
}

#[test]
fn what_is_not_taken_stays_unread() {
    let mut world = World::new();
    let mut reader = EventReader::<Hit>::new();
    world.send_batch((0..10).map(Hit));
    assert_eq!(reader.read(&world).next(), Some(&Hit(0)));
    assert_eq!(reader.len(&world), 9);
    assert_eq!(reader.read(&world).nth(2), Some(&Hit(3)));
    assert_eq!(reader.read(&world).take(2).count(), 2);
    let _ = reader.read(&world);
    let mut rest = reader.read_with_number(&world);
    assert_eq!((rest.len(), rest.next()), (4, Some((6, &Hit(6)))));
    assert_eq!(read(&mut reader, &world), [7, 8, 9]);
    world.send(Hit(10));
    assert_eq!(reader.read(&world).nth(5), None);
    assert!(reader.is_empty(&world));
    world.send(Hit(11));
    assert_eq!((reader.read(&world).count(), reader.len(&world)), (1, 0));
}

#[test]
fn numbers_go_on_whatever_is_dropped() {
    let mut world = World::new();
    let mut reader = EventReader::<Recent>::new();
    world.send_batch((0..5).map(Recent));
    world.clear_events::<Recent>();
    world.send_batch((5..10).map(Recent));
    let events = world.events::<Recent>();
    assert_eq!((events.first_number(), events.next_number(), events.len()), (7, 10, 3));
    assert_eq!(
        (events.get(6), events.get(7), events.get(9), events.get(10)),
        (None, Some(&Recent(7)), Some(&Recent(9)), None)
    );
    assert!(events.into_iter().eq(events.iter()));
    assert!(reader.read_with_number(&world).all(|(number, event)| number == event.0));
    assert_eq!((reader.missed(), reader.missed()), (7, 0));
}

#[test]
fn events_are_kept_for_two_updates_unless_told_otherwise() {
    let mut world = World::new();
    world.send(Hit(1));
    world.update_events();
    world.send(Hit(2));
    assert_eq!(hits(&world), [1, 2]);
    world.update_events();
    assert_eq!(hits(&world), [2]);
    world.update_events();
    assert_eq!(hits(&world), [0; 0]);
    world.send(Hit(3));
    world.update_events();
    assert_eq!(hits(&world), [3]);
}

#[test]
fn a_reader_between_any_two_updates_misses_nothing() {
    for reads_first in [false, true] {
        let mut world = World::new();
        let mut reader = EventReader::new();
        let mut seen = Vec::new();
        for frame in 0..20 {
            if reads_first {
                seen.extend(read(&mut reader, &world));
            }
            world.send_batch((frame * 3..frame * 3 + 3).map(Hit));
            if !reads_first {
                seen.extend(read(&mut reader, &world));
            }
            world.update_events();
        }
        seen.extend(read(&mut reader, &world));
        assert!(seen.into_iter().eq(0..60) && reader.missed() == 0);
    }
}

#[test]
fn attributes_say_for_how_long() {
    let mut world = World::new();
    assert_eq!(world.events::<Recent>().retention(), Retention::Last(3));
    assert_eq!(world.events::<Slow>().retention(), Retention::Updates(3));
    assert_eq!(world.events::<Logged<u8>>().retention(), Retention::Forever);
    assert_eq!((Slow::NAME, Recent::NAME), (Some("three frames"), None));
    world.send_batch((0..5).map(Recent));
    world.send_batch((0..5).map(Slow));
    world.send_batch((0..5u64).map(Logged));
    assert_eq!(kept::<Recent>(&world, |event| event.0), [2, 3, 4]);
    for left in [5, 5, 0] {
        world.update_events();
        assert_eq!(kept::<Slow>(&world, |event| event.0).len(), left);
    }
    assert_eq!(kept::<Recent>(&world, |event| event.0), [2, 3, 4], "updates do not matter");
    assert_eq!(kept::<Logged<u64>>(&world, |event| event.0).len(), 5);
    world.clear_events::<Logged<u64>>();
    assert!(world.events::<Logged<u64>>().is_empty());
}

#[test]
fn retention_can_change_while_events_are_kept() {
    let mut world = World::new();
    world.keep_events::<Hit>(Retention::Forever);
    for n in 0..5 {
        world.send(Hit(n));
        world.update_events();
    }
    world.keep_events::<Hit>(Retention::Updates(2));
    world.update_events();
    assert_eq!(hits(&world).len(), 5, "updates count from now on");
    world.send(Hit(5));
    world.update_events();
    assert_eq!(hits(&world), [5]);
    world.keep_events::<Hit>(Retention::Updates(4));
    for n in 6..9 {
        world.update_events();
        world.send(Hit(n));
    }
    assert_eq!(hits(&world), [6, 7, 8]);
    world.keep_events::<Hit>(Retention::Updates(2));
    assert_eq!(hits(&world), [6, 7, 8], "not before the next update");
    world.update_events();
    assert_eq!(hits(&world), [8], "7 was found by the last but one");
    world.keep_events::<Hit>(Retention::Last(0));
    world.send(Hit(9));
    assert_eq!((hits(&world), world.events::<Hit>().next_number()), (vec![], 10));
    world.keep_events::<Hit>(Retention::Updates(0));
    world.send(Hit(10));
    assert_eq!(hits(&world), [10]);
    world.update_events();
    assert_eq!(hits(&world), [0; 0]);
}

#[test]
fn a_reader_that_falls_behind_is_told_how_many_it_missed() {
    let mut world = World::new();
    let mut reader = EventReader::from_now(&world);
    world.keep_events::<Hit>(Retention::Last(2));
    world.send_batch((0..7).map(Hit));
    assert_eq!((reader.len(&world), reader.missed()), (2, 0), "it has not looked");
    assert_eq!(read(&mut reader, &world), [5, 6]);
    world.send_batch((7..10).map(Hit));
    assert_eq!(read(&mut reader, &world), [8, 9]);
    assert_eq!((reader.missed(), reader.missed()), (6, 0));
    world.send_batch((10..13).map(Hit));
    reader.skip_all(&world);
    assert_eq!((read(&mut reader, &world), reader.missed()), (vec![], 1), "skipped is not missed");
    world.send(Hit(13));
    world.clear_events::<Hit>();
    assert_eq!((read(&mut reader, &world), reader.missed()), (vec![], 1));
}

#[test]
fn a_reader_of_another_world_does_not_run_ahead() {
    let (mut long, mut short) = (World::new(), World::new());
    let mut reader = EventReader::new();
    long.send_batch((0..10).map(Hit));
    assert_eq!(read(&mut reader, &long).len(), 10);
    assert_eq!(reader.len(&short), 0);
    assert_eq!(read(&mut reader, &short), [0; 0]);
    short.send(Hit(1));
    assert_eq!((read(&mut reader, &short), reader.missed()), (vec![1], 0));
}

#[test]
fn events_can_be_sent_without_looking_for_their_queue() {
    let mut world = World::new();
    let mut reader = EventReader::new();
    let queue = world.events_mut::<Hit>();
    queue.send(Hit(1));
    queue.send_batch([Hit(2)]);
    assert_eq!(reader.read_from(queue).count(), 2);
    queue.send(Hit(3));
    assert_eq!(read(&mut reader, &world), [3]);
}

#[test]
fn events_without_a_size_are_counted() {
    let mut world = World::new();
    let mut reader = EventReader::<Ping>::new();
    world.send_batch((0..100).map(|_| Ping));
    assert_eq!(reader.read(&world).count(), 100);
    world.update_events();
    world.update_events();
    assert_eq!((world.events::<Ping>().len(), world.events::<Ping>().next_number()), (0, 100));
}

#[test]
fn every_event_is_dropped_once() {
    let ledger = Ledger::new();
    {
        let mut world = World::new();
        world.send_batch((0..10).map(|_| note()));
        world.update_events();
        world.send(note());
        world.update_events();
        assert_eq!(ledger.alive(), 1);
        world.keep_events::<Note>(Retention::Last(2));
        world.send_batch((0..5).map(|_| note()));
        assert_eq!((ledger.alive(), world.events::<Note>().len()), (2, 2));
        world.keep_events::<Note>(Retention::Last(1));
        assert_eq!(ledger.alive(), 1);
        world.keep_events::<Note>(Retention::Last(0));
        world.send(note());
        assert_eq!(ledger.alive(), 0);
        world.keep_events::<Note>(Retention::Forever);
        world.send_batch((0..3).map(|_| note()));
        world.clear_events::<Note>();
        assert_eq!(ledger.alive(), 0);
        world.send_batch((0..3).map(|_| note()));
    }
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn an_iterator_that_panics_leaves_sent_what_it_gave() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mut reader = EventReader::<Note>::new();
    let message = panic_of(|| {
        world.send_batch((0..5).map(|n| {
            assert!(n < 3, "no more");
            note()
        }));
    });
    assert_eq!((message.as_str(), ledger.alive()), ("no more", 3));
    assert!(reader.read(&world).map(|note| note.0.id).eq([0, 1, 2]));
    world.send(note());
    assert!(reader.read(&world).map(|note| note.0.id).eq([3]));
}

/// The iterator panics, then its own values do when they are dropped, and so did an event that made room: three panics, of which the first that
/// ends the sending goes on.
#[test]
fn panics_of_an_iterator_and_of_drops_do_not_meet() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.keep_events::<Note>(Retention::Last(1));
    world.send(note());
    ledger.all_drops_panic(true);
    let mut notes = vec![note(), note(), note()].into_iter();
    let message = panic_of(|| {
        let mut given = 0;
        world.send_batch(std::iter::from_fn(move || {
            given += 1;
            assert!(given < 3, "no more");
            notes.next()
        }));
    });
    ledger.all_drops_panic(false);
    assert_eq!(message, "no more");
    assert!(world.events::<Note>().iter().map(|note| note.0.id).eq([2]));
    assert_eq!((world.events::<Note>().next_number(), ledger.alive()), (3, 1));
}

#[test]
fn a_drop_that_panics_does_not_keep_others_from_being_sent() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.keep_events::<Note>(Retention::Last(2));
    world.send_batch([note(), note()]);
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| world.send(note())), "this drop panics");
    assert_eq!(panic_of(|| world.send_batch([note(), note(), note()])), "this drop panics");
    ledger.all_drops_panic(false);
    assert!(world.events::<Note>().iter().map(|note| note.0.id).eq([4, 5]));
    assert_eq!((world.events::<Note>().first_number(), ledger.alive()), (4, 2));
}

#[test]
fn an_update_is_finished_though_drops_panic() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mut reader = EventReader::<Note>::new();
    world.send_batch((0..5).map(|_| note()));
    world.send_batch((0..5).map(Hit));
    world.update_events();
    world.send(note());
    ledger.all_drops_panic(true);
    assert_eq!(panic_of(|| world.update_events()), "this drop panics");
    assert!(world.events::<Hit>().is_empty(), "the queues behind it are updated too");
    assert!(reader.read(&world).map(|note| note.0.id).eq([5]));
    assert_eq!((reader.missed(), ledger.alive()), (5, 1));
    assert_eq!(panic_of(|| world.clear_events::<Note>()), "this drop panics");
    world.send_batch([note(), note()]);
    assert_eq!(panic_of(|| world.keep_events::<Note>(Retention::Last(0))), "this drop panics");
    assert_eq!((world.events::<Note>().len(), ledger.alive()), (0, 0));
    world.keep_events::<Note>(Retention::Forever);
    world.send_batch([note(), note(), note()]);
    assert_eq!(panic_of(|| drop(world)), "this drop panics");
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_hint_that_promises_too_much_takes_no_memory() {
    struct Liar(u64);
    impl Iterator for Liar {
        type Item = Hit;
        fn next(&mut self) -> Option<Hit> {
            self.0 = self.0.checked_sub(1)?;
            Some(Hit(self.0))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, None)
        }
    }
    let mut world = World::new();
    world.keep_events::<Hit>(Retention::Last(2));
    world.send_batch(Liar(10));
    assert_eq!(hits(&world), [1, 0]);
    assert!(world.memory().events.reserved < 10_000);
    if cfg!(not(miri)) {
        world.keep_events::<Hit>(Retention::Forever);
        world.send_batch(Liar(3));
        assert_eq!(hits(&world), [1, 0, 2, 1, 0]);
    }
}

const MANY: u64 = if cfg!(miri) { 20_000 } else { 10_000_000 };

#[test]
fn ten_million_events_in_one_update_are_read_and_their_memory_comes_back() {
    let mut world = World::new();
    let mut reader = EventReader::<Hit>::new();
    world.send_batch((0..MANY).map(Hit));
    assert!(world.memory().events.live >= usize::try_from(MANY).expect("fits") * size_of::<Hit>());
    assert_eq!(reader.read(&world).map(|hit| hit.0).sum::<u64>(), MANY * (MANY - 1) / 2);
    let full = world.memory().events.reserved;
    for frame in 0..5 {
        world.send(Hit(frame));
        world.update_events();
    }
    assert_eq!((hits(&world), reader.read(&world).count(), reader.missed()), (vec![4], 1, 4));
    assert!(world.memory().events.reserved < full / 3, "most of it within a few updates");
    for _ in 0..30 {
        world.update_events();
    }
    assert!(world.memory().events.reserved < 10_000, "the rest by and by");
}

#[test]
fn a_queue_that_fills_with_every_update_keeps_its_memory() {
    for clears in [false, true] {
        let mut world = World::new();
        world.keep_events::<Hit>(Retention::Updates(1));
        let mut reserved = Vec::new();
        for _ in 0..20 {
            world.send_batch((0..1000).map(Hit));
            if clears {
                world.clear_events::<Hit>();
            }
            world.update_events();
            assert!(hits(&world).is_empty());
            reserved.push(world.memory().events.reserved);
        }
        assert!(reserved.iter().all(|bytes| *bytes == reserved[0] && *bytes > 8000), "{reserved:?}");
    }
}

#[test]
fn shrinking_gives_back_what_events_do_not_use() {
    let mut world = World::new();
    world.keep_events::<Hit>(Retention::Last(1000));
    world.send_batch((0..1000).map(Hit));
    world.keep_events::<Hit>(Retention::Last(2));
    let before = world.memory().events;
    world.shrink();
    let after = world.memory().events;
    assert_eq!((before.live, after.live, hits(&world)), (16, 16, vec![998, 999]));
    assert!(after.reserved + 900 * size_of::<Hit>() < before.reserved, "{before:?} to {after:?}");
    assert!(world.memory().to_string().contains("\nevents"), "{}", world.memory());
}

/// The same queue, done in the most naive way: every event that was ever sent is remembered, with what became of it.
mod model {
    use super::*;
    use std::collections::BTreeSet;

    struct Sent {
        token: u32,
        kept: bool,
        /// How many updates it has seen, while updates counted.
        age: u32,
    }

    struct Model {
        sent: Vec<Sent>,
        retention: Retention,
    }

    impl Model {
        fn drop_oldest_beyond(&mut self, most: usize) {
            let too_many = self.sent.iter().filter(|sent| sent.kept).count().saturating_sub(most);
            self.sent.iter_mut().filter(|sent| sent.kept).take(too_many).for_each(|sent| sent.kept = false);
        }

        fn send(&mut self, token: u32) {
            self.sent.push(Sent { token, kept: true, age: 0 });
            if let Retention::Last(most) = self.retention {
                self.drop_oldest_beyond(most);
            }
        }

        fn keep(&mut self, retention: Retention) {
            self.retention = retention;
            if let Retention::Last(most) = retention {
                self.drop_oldest_beyond(most);
            }
            if !matches!(retention, Retention::Updates(_)) {
                self.sent.iter_mut().for_each(|sent| sent.age = 0);
            }
        }

        fn update(&mut self) {
            if let Retention::Updates(most) = self.retention {
                for sent in &mut self.sent {
                    sent.age += 1;
                    sent.kept &= sent.age < most;
                }
            }
        }

        fn kept(&self) -> impl Iterator<Item = (u64, u32)> {
            (0..).zip(&self.sent).filter(|(_, sent)| sent.kept).map(|(number, sent)| (number, sent.token))
        }
    }

    /// A reader, and the numbers it need not see again.
    struct Reader {
        real: EventReader<Note>,
        done: BTreeSet<u64>,
        missed: u64,
    }

    impl Reader {
        /// Everything that is gone is missed, unless it was read.
        fn looks(&mut self, model: &Model) {
            for (number, sent) in (0..).zip(&model.sent) {
                if !sent.kept && self.done.insert(number) {
                    self.missed += 1;
                }
            }
        }

        fn unread(&self, model: &Model) -> Vec<(u64, u32)> {
            model.kept().filter(|(number, _)| !self.done.contains(number)).collect()
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (z ^ (z >> 31)) % end
        }

        fn small(&mut self, end: u64) -> usize {
            usize::try_from(self.below(end)).expect("small")
        }

        fn retention(&mut self) -> Retention {
            match self.below(5) {
                0 | 1 => Retention::Updates(u32::try_from(self.below(5)).expect("small")),
                2 | 3 => Retention::Last(self.small(8)),
                _ => Retention::Forever,
            }
        }
    }

    fn step(random: &mut Random, world: &mut World, model: &mut Model, readers: &mut Vec<Reader>) {
        let some = random.small(readers.len() as u64 + 1);
        match random.below(20) {
            0..=4 => {
                let event = note();
                model.send(event.0.id);
                world.send(event);
            }
            5 | 6 => {
                let events: Vec<Note> = (0..random.below(12)).map(|_| note()).collect();
                for event in &events {
                    model.send(event.0.id);
                }
                world.send_batch(events);
            }
            7..=10 => {
                world.update_events();
                model.update();
            }
            11 => {
                let retention = random.retention();
                world.keep_events::<Note>(retention);
                model.keep(retention);
            }
            12 if random.below(3) == 0 => {
                world.clear_events::<Note>();
                model.sent.iter_mut().for_each(|sent| sent.kept = false);
            }
            13 if readers.len() < 6 => {
                readers.push(if random.below(2) == 0 {
                    Reader { real: EventReader::new(), done: BTreeSet::new(), missed: 0 }
                } else {
                    let done = (0..model.sent.len() as u64).collect();
                    Reader { real: EventReader::from_now(world), done, missed: 0 }
                });
            }
            14 if some < readers.len() && random.below(4) == 0 => drop(readers.swap_remove(some)),
            15 if some < readers.len() => {
                let reader = &mut readers[some];
                reader.looks(model);
                reader.done.extend(0..model.sent.len() as u64);
                reader.real.skip_all(world);
            }
            _ if some < readers.len() => {
                let reader = &mut readers[some];
                let most = if random.below(2) == 0 { usize::MAX } else { random.small(6) };
                reader.looks(model);
                let mut expected = reader.unread(model);
                expected.truncate(most);
                let real = reader.real.read_with_number(world).take(most);
                assert_eq!(real.map(|(number, note)| (number, note.0.id)).collect::<Vec<_>>(), expected);
                reader.done.extend(expected.iter().map(|(number, _)| *number));
                if random.below(2) == 0 {
                    assert_eq!(reader.real.missed(), std::mem::take(&mut reader.missed));
                }
            }
            _ => {}
        }
    }

    #[test]
    fn random_readers_and_retentions_agree_with_a_naive_queue() {
        let (seeds, steps) = if cfg!(miri) { (2, 60) } else { (50, 300) };
        for seed in 0..seeds {
            let ledger = Ledger::new();
            let mut random = Random(seed);
            let (mut world, mut readers) = (World::new(), Vec::new());
            let mut model = Model { sent: Vec::new(), retention: Note::RETENTION };
            for _ in 0..steps {
                step(&mut random, &mut world, &mut model, &mut readers);
                let kept: Vec<(u64, u32)> = model.kept().collect();
                let events = world.events::<Note>();
                let real: Vec<(u64, u32)> =
                    (events.first_number()..).zip(events.iter().map(|note| note.0.id)).collect();
                assert_eq!(real, kept, "seed {seed}");
                assert_eq!(events.next_number(), model.sent.len() as u64, "seed {seed}");
                assert_eq!(ledger.alive(), kept.len(), "seed {seed}");
                for reader in &readers {
                    assert_eq!(reader.real.len(&world), reader.unread(&model).len(), "seed {seed}");
                }
            }
        }
    }
}
