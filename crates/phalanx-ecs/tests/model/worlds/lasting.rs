//! What lasts: switches, rows of the dead, readers of changes, and observers.

use super::components::TOGGLES;
use super::driver::{Driver, Fuse, guarded};
use super::kits::{with_kind, with_toggle};
use super::ops::{Attention, How};
use super::told::{Observer, Reaction, observe};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, LookupError, Sampling, Within};
use std::time::Duration;

/// What is aimed at entities.
#[derive(Event)]
pub struct Hail(u32);

/// The kind in the log for events that are aimed.
const NO_KIND: usize = usize::MAX;

impl Driver {
    pub fn switch(&mut self, pick: u16, kind: usize, on: bool) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let result = with_toggle!(kind, T => {
            if on { pair.world.switch_on::<T>(entity) } else { pair.world.switch_off::<T>(entity) }
        });
        pair.catch_up();
        let alive = pair.naive.is_alive(entity);
        match (result, pair.naive.switch(entity, kind, on)) {
            (Ok(was_on), must) => assert_eq!(Some(was_on), must, "switch {entity}"),
            (Err(LookupError::Dead { .. }), None) => assert!(!alive, "switch {entity}"),
            (Err(LookupError::Absent { .. }), None) => assert!(alive, "switch {entity}"),
            (Err(error), must) => panic!("{error}, expected {must:?}"),
        }
    }

    pub fn despawn_lazy(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        // Not where nobody could tell which row was collected, or whose index is used first.
        let last = entity.generation() == Entity::MAX_GENERATION;
        if last || pair.naive.foretells() && pair.naive.audience.multiplies() {
            return;
        }
        let result = guarded(fuse, || pair.world.despawn_lazy(entity));
        pair.catch_up();
        let alive = pair.naive.despawn_lazy(entity);
        assert!(result.is_none_or(|result| result.is_ok() == alive), "despawn_lazy {entity}");
        pair.remember(entity);
    }

    pub fn collect(&mut self, how: How, fuse: Fuse) {
        let pair = self.pair();
        let waiting = pair.world.uncollected();
        let result = guarded(fuse, || match how {
            How::Exact => pair.world.collect(Exact),
            How::Sampling(live_in_a_row) => pair.world.collect(Sampling { live_in_a_row: live_in_a_row.into() }),
            How::NoTime => pair.world.collect(Within(Duration::ZERO)),
            How::MuchTime => pair.world.collect(Within(Duration::from_mins(10))),
        });
        let left = pair.world.uncollected();
        let Some(collected) = result else { return };
        assert_eq!(left, waiting - collected, "collect");
        if matches!(how, How::Exact | How::MuchTime) {
            assert_eq!(left, 0, "all are collected");
        }
    }

    /// A reader of changes looks.
    pub fn read(&mut self, reader: u8, mode: u8, pick: u16, write: bool) {
        let (entity, delta) = (self.pick(pick), if write { self.next_seed() | 1 } else { 0 });
        let reader = usize::from(reader) % self.readers.len();
        let pair = &mut self.pairs[self.current];
        let known = self.readers[reader].look(self.current, &mut pair.world, &mut pair.naive, mode, delta, entity);
        self.blurred |= !known;
    }

    /// Where it is not known what is noted as changed, nobody asks.
    pub fn skip_readers(&mut self) {
        for reader in &mut self.readers {
            for (at, pair) in self.pairs.iter().enumerate() {
                reader.skip(at, &pair.world);
            }
        }
    }

    pub fn observe(&mut self, kind: usize, act: Act, reaction: Reaction, hook: bool) {
        let number = self.next_seed();
        let observed = self.config.observed;
        let pair = self.pair();
        let audience = &mut pair.naive.audience;
        if !observed || audience.observers.len() >= 10 {
            return;
        }
        // Those that react listen to what no reaction brings, so that there is an end to it.
        let ends = TOGGLES.contains(&kind);
        let foretold = reaction != Reaction::Another || pair.naive.setup.queues > 0 || pair.naive.lazy.is_empty();
        let reaction = if ends && foretold { reaction } else { Reaction::Nothing };
        if !hook {
            let id = observe(&mut pair.world, &pair.log, kind, act, number, reaction);
            audience.observers.push(Observer { number, id: Some(id), of: Some((kind, act)), enabled: true, reaction });
            return;
        }
        let set = with_kind!(kind, T => pair.world.hook::<T>(act, pair.log.observer::<T>(number, reaction)));
        let taken = audience.observers.iter().any(|known| known.id.is_none() && known.of == Some((kind, act)));
        assert_eq!(set.is_err(), taken, "a hook where there is one, or none");
        if !taken {
            // Hooks are called first.
            let hook = Observer { number, id: None, of: Some((kind, act)), enabled: true, reaction };
            audience.observers.insert(0, hook);
        }
    }

    pub fn attend(&mut self, observer: u8, attention: Attention) {
        let pair = self.pair();
        let observers = &mut pair.naive.audience.observers;
        if observers.is_empty() {
            return;
        }
        let at = usize::from(observer) % observers.len();
        let Some(id) = observers[at].id else { return };
        match attention {
            Attention::Pause | Attention::Resume => {
                let enabled = attention == Attention::Resume;
                assert!(pair.world.enable_observer(id, enabled), "there is such an observer");
                observers[at].enabled = enabled;
            }
            Attention::Remove => {
                assert!(pair.world.remove_observer(id), "there is such an observer");
                assert!(!pair.world.remove_observer(id), "it is gone");
                observers.remove(at);
            }
        }
    }

    /// Aims an event at an entity. Who listens does so from the first on.
    pub fn trigger(&mut self, pick: u16) {
        let (entity, number) = (self.pick(pick), self.next_seed());
        let observed = self.config.observed;
        let pair = self.pair();
        let audience = &mut pair.naive.audience;
        let listeners = audience.observers.iter().filter(|observer| observer.of.is_none()).count();
        if observed && listeners < 2 {
            let log = pair.log.clone();
            let id = pair.world.observe_event::<Hail>(move |hail, trigger| {
                assert!(trigger.act().is_none() && trigger.component().is_none());
                log.notes().told.push((number, None, NO_KIND, trigger.entity(), Some(hail.0)));
            });
            let reaction = Reaction::Nothing;
            audience.observers.push(Observer { number, id: Some(id), of: None, enabled: true, reaction });
        }
        pair.world.trigger(Hail(number), entity);
        for listener in audience.observers.iter().filter(|observer| observer.of.is_none() && observer.enabled) {
            audience.told.push((listener.number, None, NO_KIND, entity, Some(number)));
        }
    }
}
