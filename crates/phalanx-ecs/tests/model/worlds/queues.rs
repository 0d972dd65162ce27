//! Queues of commands: what is queued in the real world is done directly in the naive one when the queue is applied.

#![allow(clippy::unit_arg, reason = "one of the bundles is the empty one")]

use super::acts::{Outcome, lacks};
use super::components::{KINDS, is_counted, owns_memory};
use super::driver::{Driver, nth, parts_of};
use super::kits::{Kit, with_kind, with_kit, with_toggle};
use super::ledger::Tracked;
use super::messages::{Ping, Score};
use super::naive::Naive;
use super::ops::Deed;
use super::pair::Pair;
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CommandFault, Commands, Policy};

type Parts = Vec<(usize, u32)>;

/// A command that waits.
#[derive(Clone, Debug)]
enum Pending {
    Spawn(Entity, Parts),
    /// With whether the bundle lacks something.
    SpawnBatch(Vec<Entity>, Vec<Parts>, bool),
    Insert(Entity, Parts),
    InsertIfNew(Entity, usize, u32),
    Remove(Entity, Vec<usize>),
    Retain(Entity, Vec<usize>),
    Despawn(Entity),
    DespawnBatch(Vec<Entity>),
    DespawnLazy(Entity),
    Switch(Entity, usize, bool),
    SetResource(u32),
    RemoveResource,
    Send(u32),
    Fail,
    Run(Parts),
}

/// Why a command was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Dead,
    Full,
    Failed,
    Lacks,
    Taken,
}

fn of(outcome: Outcome) -> Fault {
    match outcome {
        Outcome::Lacks => Fault::Lacks,
        Outcome::Taken => Fault::Taken,
        Outcome::Dead | Outcome::Done => Fault::Dead,
    }
}

/// Whether a new entity with these would lack what a tag among them depends on.
fn is_lacking(parts: &[(usize, u32)]) -> bool {
    lacks(&Row::default(), &parts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>())
}

/// The queues of a world, and what waits in them.
pub struct Queues {
    real: Vec<Commands>,
    waiting: Vec<Vec<Pending>>,
    /// The order in which they are applied.
    order: Vec<usize>,
    /// Ids that were handed out and are not alive yet.
    reserved: Vec<Entity>,
}

impl Queues {
    pub fn new(world: &mut World, count: usize) -> Self {
        let real = match count {
            0 => Vec::new(),
            1 => vec![world.commands()],
            _ => world.commands_for_each((0..count).map(|n| format!("queue {n}"))),
        };
        Self { real, waiting: vec![Vec::new(); count], order: (0..count).collect(), reserved: Vec::new() }
    }

    pub fn reserved(&self) -> &[Entity] {
        &self.reserved
    }

    fn note_reserved(&mut self) {
        self.reserved.clear();
        for pending in self.waiting.iter().flatten() {
            match pending {
                Pending::Spawn(entity, _) => self.reserved.push(*entity),
                Pending::SpawnBatch(entities, ..) => self.reserved.extend(entities),
                _ => {}
            }
        }
    }

    /// The kinds of the values that wait.
    fn kinds(&self) -> impl Iterator<Item = usize> {
        self.waiting.iter().flatten().flat_map(|pending| match pending {
            Pending::Spawn(_, parts) | Pending::Insert(_, parts) => parts.iter().map(|(kind, _)| *kind).collect(),
            Pending::InsertIfNew(_, kind, _) => vec![*kind],
            _ => Vec::new(),
        })
    }

    /// How many values that own memory wait.
    pub fn owned(&self) -> usize {
        let messages = |pending: &&Pending| matches!(pending, Pending::SetResource(_) | Pending::Send(_));
        self.kinds().filter(|kind| owns_memory(*kind)).count() + self.waiting.iter().flatten().filter(messages).count()
    }

    /// How many values of each kind that is counted wait.
    pub fn counted(&self) -> [i64; KINDS] {
        let mut counted = [0; KINDS];
        self.kinds().filter(|kind| is_counted(*kind)).for_each(|kind| counted[kind] += 1);
        counted
    }
}

impl Naive {
    /// Does what was queued, and notes what could not be done.
    fn perform(&mut self, pending: Pending, errors: &mut Vec<(Option<Entity>, Fault)>) {
        let mut note = |done: bool, entity: Option<Entity>, fault: Fault| {
            if !done {
                errors.push((entity, fault));
            }
        };
        match pending {
            Pending::Spawn(entity, parts) if is_lacking(&parts) => note(false, Some(entity), Fault::Lacks),
            Pending::Spawn(entity, _) if self.room() == 0 => note(false, Some(entity), Fault::Full),
            Pending::Spawn(entity, parts) if self.is_taken(None, &parts) => note(false, Some(entity), Fault::Taken),
            Pending::Spawn(entity, parts) => self.spawn(entity, &parts),
            Pending::SpawnBatch(entities, ..) if self.room() < entities.len() => note(false, None, Fault::Full),
            Pending::SpawnBatch(_, _, true) => note(false, None, Fault::Lacks),
            Pending::SpawnBatch(_, parts, false) if self.clashes(parts.iter().map(|parts| (None, &parts[..]))) => {
                note(false, None, Fault::Taken);
            }
            Pending::SpawnBatch(entities, parts, false) => {
                let new: Vec<_> = entities.into_iter().zip(parts).collect();
                self.spawn_all(&new);
            }
            Pending::Insert(entity, parts) => {
                let outcome = self.insert(entity, &parts);
                note(outcome == Outcome::Done, Some(entity), of(outcome));
            }
            Pending::InsertIfNew(entity, kind, value) => {
                let has = self.row(entity).is_some_and(|row| row.has(kind));
                let outcome = if has { Outcome::Done } else { self.insert(entity, &[(kind, value)]) };
                note(outcome == Outcome::Done, Some(entity), of(outcome));
            }
            Pending::Remove(entity, kinds) => note(self.remove(entity, &kinds).is_some(), Some(entity), Fault::Dead),
            Pending::Retain(entity, kinds) => note(self.retain(entity, &kinds).is_some(), Some(entity), Fault::Dead),
            Pending::Despawn(entity) => note(self.despawn(entity), Some(entity), Fault::Dead),
            Pending::DespawnBatch(entities) => {
                for entity in entities {
                    note(self.despawn(entity), Some(entity), Fault::Dead);
                }
            }
            Pending::DespawnLazy(entity) => note(self.despawn_lazy(entity), Some(entity), Fault::Dead),
            Pending::Switch(entity, kind, on) => {
                let fault = if self.is_alive(entity) { Fault::Failed } else { Fault::Dead };
                note(self.switch(entity, kind, on).is_some(), Some(entity), fault);
            }
            Pending::SetResource(value) => self.messages.set_score(value),
            Pending::RemoveResource => self.messages.remove_score(),
            Pending::Send(value) => self.messages.events.send(value),
            Pending::Fail => note(false, None, Fault::Failed),
            Pending::Run(parts) => {
                let born = self.audience.ran.pop_front().expect("the queued function has run");
                let possible = self.room() > 0 && !is_lacking(&parts) && !self.is_taken(None, &parts);
                assert_eq!(born.is_some(), possible, "a queued function spawned, or could not");
                if let Some(born) = born {
                    self.spawn(born, &parts);
                }
            }
        }
    }
}

/// An error that a queued function answers.
#[derive(Debug)]
struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl Driver {
    pub fn queue(&mut self, queue: u8, deed: Deed, pick: u16, kit: u8, count: u8) {
        let queues = self.pair().queues.real.len();
        if queues == 0 {
            return;
        }
        let (entity, seed, count) = (self.pick(pick), self.next_seed(), self.batch(count));
        let targets = match deed {
            Deed::InsertTable | Deed::RemoveTable => self.table(pick),
            Deed::DespawnBatch => self.pick_many(pick, count.min(5)),
            _ => vec![entity],
        };
        let at = usize::from(queue) % queues;
        let Pair { queues, log, .. } = self.pair();
        let (real, waiting) = (&mut queues.real[at], &mut queues.waiting[at]);
        match deed {
            Deed::Spawn => with_kit!(kit, K => {
                waiting.push(Pending::Spawn(real.spawn(<K as Kit>::make(seed)), K::parts(seed)));
            }),
            Deed::SpawnBatch => with_kit!(kit, K => {
                let spawned = real.spawn_batch((0..count).map(move |n| <K as Kit>::make(nth(seed, n))));
                let lacking = is_lacking(&K::parts(seed));
                waiting.push(Pending::SpawnBatch(spawned.to_vec(), parts_of::<K>(seed, count), lacking));
            }),
            Deed::Insert | Deed::InsertTable => with_kit!(kit, K => {
                for (n, entity) in targets.into_iter().enumerate() {
                    real.insert(entity, <K as Kit>::make(nth(seed, n)));
                    waiting.push(Pending::Insert(entity, K::parts(nth(seed, n))));
                }
            }),
            Deed::InsertIfNew => {
                let kind = usize::from(kit) % super::components::FIRST_DYN;
                with_kind!(kind, T => {
                    let value = <T as Kit>::make(seed);
                    waiting.push(Pending::InsertIfNew(entity, kind, value.value()));
                    real.insert_if_new(entity, value);
                });
            }
            Deed::Remove | Deed::RemoveTable => with_kit!(kit, K => {
                for entity in targets {
                    real.remove::<K>(entity);
                    waiting.push(Pending::Remove(entity, K::kind_list()));
                }
            }),
            Deed::Retain => with_kit!(kit, K => {
                real.retain::<K>(entity);
                waiting.push(Pending::Retain(entity, K::kind_list()));
            }),
            Deed::Despawn => {
                real.despawn(entity);
                waiting.push(Pending::Despawn(entity));
            }
            Deed::DespawnBatch => {
                real.despawn_batch(&targets);
                waiting.push(Pending::DespawnBatch(targets));
            }
            Deed::DespawnLazy => {
                real.despawn_lazy(entity);
                waiting.push(Pending::DespawnLazy(entity));
            }
            Deed::SwitchOn | Deed::SwitchOff => {
                let on = deed == Deed::SwitchOn;
                let kind = super::components::TOGGLES.start + usize::from(kit) % 5;
                with_toggle!(kind, T => if on { real.switch_on::<T>(entity) } else { real.switch_off::<T>(entity) });
                waiting.push(Pending::Switch(entity, kind, on));
            }
            Deed::SetResource => {
                real.insert_resource(Score(Tracked::new(seed)));
                waiting.push(Pending::SetResource(seed));
            }
            Deed::RemoveResource => {
                real.remove_resource::<Score>();
                waiting.push(Pending::RemoveResource);
            }
            Deed::Send => {
                real.send(Ping(Tracked::new(seed)));
                waiting.push(Pending::Send(seed));
            }
            Deed::Fail => {
                real.run(|_: &mut World| Err::<(), Refused>(Refused));
                waiting.push(Pending::Fail);
            }
            Deed::Run => with_kit!(kit, K => {
                let log = log.clone();
                real.run(move |world: &mut World| {
                    let born = world.try_spawn(<K as Kit>::make(seed)).ok();
                    log.notes().ran.push(born);
                });
                waiting.push(Pending::Run(K::parts(seed)));
            }),
        }
        assert_eq!(real.len(), waiting.len(), "as many commands wait as were queued");
        queues.note_reserved();
    }

    /// Applies the queues that are named by bits.
    pub fn apply_queues(&mut self, chosen: u8, policy: u8) {
        let pair = self.pair();
        let is_chosen = |at: usize| chosen >> at & 1 == 1;
        let policy = [Policy::Collect, Policy::Stop, Policy::Ignore, Policy::Collect][usize::from(policy) % 4];
        for queue in &mut pair.queues.real {
            queue.set_policy(policy);
        }
        let queues = pair.queues.real.iter_mut().enumerate().filter(|(at, _)| is_chosen(*at));
        let mut queues: Vec<&mut Commands> = queues.map(|(_, queue)| queue).collect();
        let result = match &mut queues[..] {
            [queue] => pair.world.apply(queue),
            _ => pair.world.apply_all(queues),
        };
        pair.catch_up();
        let (mut errors, mut left, mut renewed) = (Vec::new(), 0, Vec::new());
        let order: Vec<usize> = pair.queues.order.iter().copied().filter(|at| is_chosen(*at)).collect();
        for at in order {
            let mut waiting = std::mem::take(&mut pair.queues.waiting[at]).into_iter();
            let before = errors.len();
            for pending in waiting.by_ref() {
                for entity in pending_entities(&pending) {
                    pair.remember(entity);
                }
                pair.naive.perform(pending, &mut errors);
                if policy == Policy::Stop && errors.len() > before {
                    break;
                }
            }
            pair.queues.waiting[at] = waiting.collect();
            left += pair.queues.waiting[at].len();
            assert_eq!(pair.queues.real[at].len(), pair.queues.waiting[at].len(), "what is left in a queue");
            if pair.queues.waiting[at].is_empty() {
                renewed.push(at);
            }
        }
        pair.queues.order.retain(|at| !renewed.contains(at));
        pair.queues.order.extend(renewed);
        pair.queues.note_reserved();
        let found = result.map_or_else(
            |failed| {
                assert_eq!(failed.not_applied, left, "commands that were not applied");
                failed.errors.iter().map(|error| (error.entity, fault(&error.fault))).collect()
            },
            |()| Vec::new(),
        );
        let must = if policy == Policy::Ignore { Vec::new() } else { errors };
        assert_eq!(found, must, "commands that could not be done");
    }

    /// Drops what is queued.
    pub fn forget(&mut self, queue: u8) {
        let queues = &mut self.pair().queues;
        if queues.real.is_empty() {
            return;
        }
        let at = usize::from(queue) % queues.real.len();
        queues.real[at].clear();
        queues.waiting[at].clear();
        let forgotten = std::mem::take(&mut queues.reserved);
        queues.note_reserved();
        for entity in forgotten {
            self.pair().remember(entity);
        }
    }
}

/// The ids that come to life.
fn pending_entities(pending: &Pending) -> Vec<Entity> {
    match pending {
        Pending::Spawn(entity, _) => vec![*entity],
        Pending::SpawnBatch(entities, ..) => entities.clone(),
        _ => Vec::new(),
    }
}

fn fault(fault: &CommandFault) -> Fault {
    match fault {
        CommandFault::Dead { .. } => Fault::Dead,
        CommandFault::Full(_) => Fault::Full,
        CommandFault::Failed(_) => Fault::Failed,
        CommandFault::Lacks { .. } => Fault::Lacks,
        CommandFault::Uuid(_) => Fault::Taken,
        _ => panic!("a fault that should not be"),
    }
}
