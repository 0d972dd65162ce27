//! What observers are told, and what they do about it.

use super::components::{Small, value_of};
use super::kits::{Kit, with_kind};
use super::naive::Naive;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, ObserverId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an observer was told: its number, what happened, to which kind, of whom, and the value at that time.
pub type Told = (u32, Option<Act>, usize, Entity, Option<u32>);

/// What an observer wants done after the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    Nothing,
    /// The entity gets a `Num`.
    Number,
    /// The entity is despawned.
    End,
    /// Another entity is spawned.
    Another,
}

/// The value that a reaction inserts.
pub const REACTION_SEED: u32 = 99;

/// An observer of the real world, and what the naive one knows of it.
#[derive(Clone, Copy, Debug)]
pub struct Observer {
    pub number: u32,
    pub id: Option<ObserverId>,
    /// The kind and act it waits for; none for events that are aimed.
    pub of: Option<(usize, Act)>,
    pub enabled: bool,
    pub reaction: Reaction,
}

/// The observers, and what they must have been told.
#[derive(Default)]
pub struct Audience {
    pub observers: Vec<Observer>,
    pub told: Vec<Told>,
    later: VecDeque<(Reaction, Entity)>,
    /// The ids of those that reactions spawned in the real world.
    pub born: VecDeque<Option<Entity>>,
    /// The ids of those that queued functions spawned in the real world.
    pub ran: VecDeque<Option<Entity>>,
    at_work: bool,
}

/// What the observers and queued functions of a real world note.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Notes>>);

#[derive(Default)]
pub struct Notes {
    pub told: Vec<Told>,
    pub born: Vec<Option<Entity>>,
    pub ran: Vec<Option<Entity>>,
}

impl Log {
    pub fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An observer for the real world.
    pub fn observer<T: super::components::Kind>(
        &self,
        number: u32,
        reaction: Reaction,
    ) -> impl FnMut(&mut phalanx_ecs::Trigger<'_>) + Send + Sync + use<T> {
        let log = self.clone();
        move |trigger| {
            let (entity, value) = (trigger.entity(), trigger.get::<T>().map(super::components::Kind::value));
            assert!(trigger.component().is_some());
            log.notes().told.push((number, trigger.act(), T::KIND, entity, value));
            let log = log.clone();
            match reaction {
                Reaction::Nothing => {}
                Reaction::Number => trigger.defer(move |world| {
                    let _ = world.insert(entity, <super::components::Num as Kit>::make(REACTION_SEED));
                }),
                Reaction::End => trigger.defer(move |world| {
                    let _ = world.despawn(entity);
                }),
                Reaction::Another => trigger.defer(move |world| {
                    let born = world.try_spawn(<Small as Kit>::make(REACTION_SEED)).ok();
                    log.notes().born.push(born);
                }),
            }
        }
    }
}

impl Audience {
    /// Whether somebody is told when this happens to a kind.
    pub fn observes(&self, kind: usize) -> bool {
        self.observers.iter().any(|observer| observer.of.is_some_and(|of| of.0 == kind))
    }

    /// Whether an observer spawns.
    pub fn multiplies(&self) -> bool {
        self.observers.iter().any(|observer| observer.reaction == Reaction::Another)
    }

    /// Whether an observer does more than listen.
    pub fn reacts(&self) -> bool {
        self.observers.iter().any(|observer| observer.reaction != Reaction::Nothing)
    }
}

impl Naive {
    /// Tells the observers of an act on a component of a living entity.
    pub fn tell(&mut self, act: Act, kind: usize, entity: Entity) {
        let value = self.row(entity).and_then(|row| row.value(kind));
        let Audience { observers, told, later, .. } = &mut self.audience;
        for observer in observers.iter().filter(|observer| observer.of == Some((kind, act)) && observer.enabled) {
            told.push((observer.number, Some(act), kind, entity, value));
            if observer.reaction != Reaction::Nothing {
                later.push_back((observer.reaction, entity));
            }
        }
    }

    /// An operation is done: now comes what observers want.
    pub fn leave(&mut self) {
        if self.audience.at_work {
            return;
        }
        self.audience.at_work = true;
        while let Some((reaction, entity)) = self.audience.later.pop_front() {
            match reaction {
                Reaction::Nothing => unreachable!("not noted"),
                Reaction::Number => {
                    self.insert(entity, &[(0, value_of(REACTION_SEED, 0))]);
                }
                Reaction::End => {
                    self.despawn(entity);
                }
                Reaction::Another => {
                    let born = self.audience.born.pop_front().expect("the real observer has done it");
                    assert_eq!(born.is_some(), self.room() > 0, "an observer spawned, or could not");
                    if let Some(born) = born {
                        self.spawn(born, &[(1, value_of(REACTION_SEED, 1))]);
                    }
                }
            }
        }
        self.audience.at_work = false;
    }
}

/// Starts an observer of a kind in the real world.
pub fn observe(world: &mut World, log: &Log, kind: usize, act: Act, number: u32, reaction: Reaction) -> ObserverId {
    with_kind!(kind, T => world.observe::<T>(act, log.observer::<T>(number, reaction)))
}
