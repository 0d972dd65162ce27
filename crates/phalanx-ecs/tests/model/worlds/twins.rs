//! The same changes made directly in one world, and by queues of commands in others: equal content, equal errors; and however the queues are
//! filled, the same world to the last bit.

#![allow(clippy::unit_arg, reason = "one of the bundles is the empty one")]

use super::acts::lacks;
use super::components::{Kind, Num, TOGGLES, UUID};
use super::driver::nth;
use super::kits::{Kit, with_kit, with_toggle};
use super::random::Random;
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CommandFault, Commands};

/// One change. Entities are named by the order in which they are spawned, queue by queue.
#[derive(Clone, Copy, Debug)]
enum Change {
    Spawn {
        kit: u8,
    },
    SpawnBatch {
        kit: u8,
        count: usize,
    },
    Insert {
        who: usize,
        kit: u8,
    },
    InsertNum {
        who: usize,
    },
    /// One insert for each of the latest so many, from one line.
    InsertLatest {
        count: usize,
        kit: u8,
    },
    Remove {
        who: usize,
        kit: u8,
    },
    RemoveLatest {
        count: usize,
        kit: u8,
    },
    Retain {
        who: usize,
        kit: u8,
    },
    Despawn {
        who: usize,
    },
    Lazy {
        who: usize,
    },
    Switch {
        who: usize,
        kind: usize,
        on: bool,
    },
}

fn draw(random: &mut Random, known: usize) -> Change {
    let kit = random.byte();
    // What is spawned is not refused: the entity would be there, and empty, where it is spawned first.
    let kinds = with_kit!(kit, K => K::kind_list());
    let whole = if lacks(&Row::default(), &kinds) || kinds.contains(&UUID) { 0 } else { kit };
    if known == 0 {
        return Change::Spawn { kit: whole };
    }
    let who = if random.below(2) == 0 { known - 1 - random.below(known.min(6)) } else { random.below(known) };
    let count = 1 + random.below(known.min(9));
    match random.below(20) {
        0..4 => Change::Spawn { kit: whole },
        4 => Change::SpawnBatch { kit: whole, count: random.below(8) },
        5..8 => Change::Insert { who, kit },
        8 => Change::InsertNum { who },
        9 | 10 => Change::InsertLatest { count, kit },
        11..14 => Change::Remove { who, kit },
        14 => Change::RemoveLatest { count, kit },
        15 => Change::Retain { who, kit },
        16 => Change::Despawn { who },
        17 => Change::Lazy { who },
        _ => Change::Switch { who, kind: TOGGLES.start + random.below(5), on: random.below(2) == 0 },
    }
}

/// How many entities a change spawns.
fn spawns(change: Change) -> usize {
    match change {
        Change::Spawn { .. } => 1,
        Change::SpawnBatch { count, .. } => count,
        _ => 0,
    }
}

/// Queues a change. The ids of all that were spawned before it, queue by queue, are known.
fn queue(commands: &mut Commands, change: Change, seed: u32, all: &mut Vec<Entity>) {
    match change {
        Change::Spawn { kit } => with_kit!(kit, K => all.push(commands.spawn(<K as Kit>::make(seed)))),
        Change::SpawnBatch { kit, count } => with_kit!(kit, K => {
            let bundles = (0..count).map(move |n| <K as Kit>::make(nth(seed, n)));
            all.extend(commands.spawn_batch(bundles).iter());
        }),
        Change::Insert { who, kit } => with_kit!(kit, K => commands.insert(all[who], <K as Kit>::make(seed))),
        Change::InsertNum { who } => commands.insert_if_new(all[who], <Num as Kit>::make(seed)),
        Change::InsertLatest { count, kit } => with_kit!(kit, K => {
            for (n, entity) in all[all.len() - count..].iter().enumerate() {
                commands.insert(*entity, <K as Kit>::make(nth(seed, n)));
            }
        }),
        Change::Remove { who, kit } => with_kit!(kit, K => commands.remove::<K>(all[who])),
        Change::RemoveLatest { count, kit } => with_kit!(kit, K => {
            for entity in &all[all.len() - count..] {
                commands.remove::<K>(*entity);
            }
        }),
        Change::Retain { who, kit } => with_kit!(kit, K => commands.retain::<K>(all[who])),
        Change::Despawn { who } => commands.despawn(all[who]),
        Change::Lazy { who } => commands.despawn_lazy(all[who]),
        Change::Switch { who, kind, on } => with_toggle!(kind, T => {
            if on { commands.switch_on::<T>(all[who]) } else { commands.switch_off::<T>(all[who]) }
        }),
    }
}

/// Makes a change directly; answers which entities could not be changed. New entities are there already, empty.
fn direct(world: &mut World, change: Change, seed: u32, all: &[Entity], known: usize) -> Vec<Entity> {
    let mut failed = Vec::new();
    let mut note = |entity: Entity, done: bool| {
        if !done {
            failed.push(entity);
        }
    };
    match change {
        Change::Spawn { kit } => with_kit!(kit, K => {
            note(all[known], world.insert(all[known], <K as Kit>::make(seed)).is_ok());
        }),
        Change::SpawnBatch { kit, count } => with_kit!(kit, K => {
            for (n, entity) in all[known..known + count].iter().enumerate() {
                note(*entity, world.insert(*entity, <K as Kit>::make(nth(seed, n))).is_ok());
            }
        }),
        Change::Insert { who, kit } => with_kit!(kit, K => {
            note(all[who], world.insert(all[who], <K as Kit>::make(seed)).is_ok());
        }),
        Change::InsertNum { who } => {
            note(all[who], world.insert_if_new(all[who], <Num as Kit>::make(seed)).is_ok());
        }
        Change::InsertLatest { count, kit } => with_kit!(kit, K => {
            for (n, entity) in all[known - count..known].iter().enumerate() {
                note(*entity, world.insert(*entity, <K as Kit>::make(nth(seed, n))).is_ok());
            }
        }),
        Change::Remove { who, kit } => with_kit!(kit, K => note(all[who], world.remove::<K>(all[who]).is_ok())),
        Change::RemoveLatest { count, kit } => with_kit!(kit, K => {
            for entity in &all[known - count..known] {
                note(*entity, world.remove::<K>(*entity).is_ok());
            }
        }),
        Change::Retain { who, kit } => with_kit!(kit, K => note(all[who], world.retain::<K>(all[who]).is_ok())),
        Change::Despawn { who } => note(all[who], world.despawn(all[who]).is_ok()),
        Change::Lazy { who } => note(all[who], world.despawn_lazy(all[who]).is_ok()),
        Change::Switch { who, kind, on } => with_toggle!(kind, T => {
            let switched =
                if on { world.switch_on::<T>(all[who]) } else { world.switch_off::<T>(all[who]) };
            note(all[who], switched.is_ok());
        }),
    }
    failed
}

/// The changes of each queue, from a seed.
fn plan(seed: u32) -> (usize, Vec<Vec<Change>>) {
    let mut random = Random(seed.into());
    let queues = 1 + random.below(4);
    let (mut known, mut lists) = (0, Vec::new());
    for _ in 0..queues {
        let mut list = Vec::new();
        for _ in 0..random.below(if cfg!(miri) { 8 } else { 24 }) {
            let change = draw(&mut random, known);
            known += spawns(change);
            list.push(change);
        }
        lists.push(list);
    }
    (known, lists)
}

fn queues_of(world: &mut World, count: usize) -> Vec<Commands> {
    world.commands_for_each((0..count).map(|n| n.to_string()))
}

/// The same changes in three worlds.
pub fn check(seed: u32) {
    let (_, lists) = plan(seed);
    let build = || World::builder().min_free(3).seed(5).build();
    let (mut one_by_one, mut queued, mut mixed) = (build(), build(), build());

    // Direct: all entities of the queues are spawned empty first, so that they have the same ids.
    let mut queues = queues_of(&mut one_by_one, lists.len());
    let mut all: Vec<Entity> = Vec::new();
    for (commands, list) in queues.iter_mut().zip(&lists) {
        for change in list {
            all.extend((0..spawns(*change)).map(|_| commands.spawn(())));
        }
    }
    one_by_one.apply_all(&mut queues).expect("room for all");
    let (mut known, mut failed) = (0, Vec::new());
    let numbered = |at: usize, n: usize| seed.wrapping_add(u32::try_from(at * 1000 + n * 10).expect("small"));
    for (at, list) in lists.iter().enumerate() {
        for (n, change) in list.iter().enumerate() {
            failed.extend(direct(&mut one_by_one, *change, numbered(at, n), &all, known));
            known += spawns(*change);
        }
    }

    // Queued, one queue after the other.
    let mut queues = queues_of(&mut queued, lists.len());
    let mut handed_out = Vec::new();
    for (at, (commands, list)) in queues.iter_mut().zip(&lists).enumerate() {
        for (n, change) in list.iter().enumerate() {
            queue(commands, *change, numbered(at, n), &mut handed_out);
        }
    }
    assert_eq!(handed_out, all, "the ids do not depend on what is spawned");
    let errors = queued.apply_all(&mut queues).map_or_else(|failed| failed.errors, |()| Vec::new());
    assert_eq!(errors.len(), failed.len(), "commands that could not be done, and changes that could not");
    for (error, entity) in errors.iter().zip(&failed) {
        match error.fault {
            CommandFault::Dead { .. } | CommandFault::Lacks { .. } | CommandFault::Uuid(_) => {
                assert_eq!(error.entity, Some(*entity), "{error}");
            }
            // A function of the user's names no entity; a switch names its own.
            CommandFault::Failed(_) => assert!(error.entity.is_none_or(|named| named == *entity), "{error}"),
            _ => panic!("{error}"),
        }
    }
    let (direct_sum, queued_sum) = (one_by_one.content_checksum(), queued.content_checksum());
    let differing = direct_sum.differs_from(&queued_sum);
    assert!(differing.is_empty(), "directly and by queues: {differing:?} of seed {seed:#x}");
    assert!(direct_sum.is_complete(), "{:?} is not in the checksum", direct_sum.unseen());

    // Queued in turns: the ids of a queue are its own.
    let mut queues = queues_of(&mut mixed, lists.len());
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let starts: Vec<usize> = lists
        .iter()
        .scan(0, |known, list| {
            let start = *known;
            *known += list.iter().map(|change| spawns(*change)).sum::<usize>();
            Some(start)
        })
        .collect();
    let mut reached = starts;
    let all: Vec<Entity> = all.iter().map(|entity| Entity::from_bits(entity.to_bits()).expect("an id")).collect();
    for n in 0..longest {
        for at in (0..lists.len()).rev() {
            let Some(change) = lists[at].get(n) else { continue };
            let mut before = all[..reached[at]].to_vec();
            queue(&mut queues[at], *change, numbered(at, n), &mut before);
            assert_eq!(before[reached[at]..], all[reached[at]..before.len()], "ids of a queue that is filled in turns");
            reached[at] = before.len();
        }
    }
    let _ = mixed.apply_all(&mut queues);
    let differing = mixed.checksum().differs_from(&queued.checksum());
    assert!(differing.is_empty(), "queues filled in turns: {differing:?} of seed {seed:#x}");
    for world in [&one_by_one, &queued, &mixed] {
        world.validate().unwrap_or_else(|broken| panic!("{broken}"));
    }
    let nums = |world: &mut World| world.query::<&Num>().iter().map(Kind::value).collect::<Vec<_>>();
    assert_eq!(nums(&mut queued), nums(&mut mixed));
}
