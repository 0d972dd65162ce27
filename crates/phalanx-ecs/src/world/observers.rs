//! Who observes what, how they are called, and what they defer until the operation is done.

use super::World;
use super::observe::{Act, ObserverId};
use super::removed::RemovalLogs;
use super::trigger::{ObserverQueue, Trigger};
use crate::component::{ComponentId, Panics};
use crate::entity::{Entity, Lane};
use crate::order::List;
use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// What an observer waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Component(ComponentId, Act),
    Event(TypeId),
}

pub(super) type Callback = Box<dyn FnMut(&mut Trigger<'_>) + Send + Sync>;
type Deferred = Box<dyn FnOnce(&mut World) + Send>;

pub(super) struct Observer {
    pub(super) id: ObserverId,
    pub(super) enabled: bool,
    pub(super) hook: bool,
    pub(super) added: &'static Location<'static>,
    /// `None` while it is called.
    pub(super) callback: Option<Callback>,
}

/// Something to do after the operation, and how it came to that.
struct Later {
    /// Whether a component put it off, as part of what it does by itself: then it is done whatever observers do.
    own: bool,
    /// Never locked: it makes the world `Sync`, though what is deferred need not be.
    act: Mutex<Deferred>,
    chain: Chain,
}

/// What led to a deferred change: how many observers, and the latest of them.
#[derive(Clone, Default)]
struct Chain {
    length: usize,
    latest: VecDeque<Arc<str>>,
}

impl Chain {
    fn with(&self, link: &str) -> Self {
        let mut chain = self.clone();
        chain.length += 1;
        chain.latest.push_back(link.into());
        if chain.latest.len() > SHOWN_LINKS {
            chain.latest.pop_front();
        }
        chain
    }
}

/// So long a chain of observers may grow before it is taken for endless.
const LONGEST_CHAIN: usize = 64;
/// So long a chain of what components do by themselves may be and still be taken for what has to follow from an operation.
const SHORT_CHAIN: usize = 8;
/// So long a chain of observers may be and still be taken for what has to follow from an operation: one of them may change very many entities.
const NEAR: usize = 3;
/// So many deferred changes may follow from each that is near.
const MOST_PER_NEAR: usize = 4;
/// So many deferred changes may follow from each that an operation led to by itself.
const MOST_PER_ROOT: usize = 10_000;
const SHOWN_LINKS: usize = 6;

/// The observers of a world, and what they deferred.
#[derive(Default)]
pub(crate) struct Observers {
    /// Hooks first, then in order of registration.
    pub(super) by_key: List<Key, Vec<Observer>>,
    pub(super) next: u64,
    later: VecDeque<Later>,
    /// What led to what is done now.
    chain: Chain,
    /// Of which components it is written down what is removed.
    pub(super) logs: RemovalLogs,
    /// Where observers get ids from, while any of them has asked for some.
    lane: Lane,
    /// How many they got.
    used: usize,
    /// A queue that was used and is empty.
    pub(super) spare: Option<Box<dyn ObserverQueue>>,
}

impl World {
    /// Does something later: now, if no observers are at work, or else when the operation they are called by is done.
    pub(super) fn defer_after(&mut self, link: &str, own: bool, act: Box<dyn FnOnce(&mut Self) + Send>) {
        let chain = self.observers.chain.with(link);
        self.observers.later.push_back(Later { own, act: Mutex::new(act), chain });
    }

    /// Calls the observers of a key. A panic of one does not keep the others from being called.
    pub(super) fn notify(&mut self, key: Key, entity: Entity, event: Option<&dyn Any>, panics: &mut Panics) {
        let count = self.observers.by_key.get(&key).map_or(0, Vec::len);
        for at in 0..count {
            let Some(observer) = self.observers.by_key.get_mut(&key).and_then(|list| list.get_mut(at)) else { break };
            let (enabled, added) = (observer.enabled, observer.added);
            if !enabled {
                continue;
            }
            let Some(mut callback) = observer.callback.take() else { continue };
            let cause = match key {
                Key::Component(component, act) => Some((component, act)),
                Key::Event(_) => None,
            };
            let mut trigger = Trigger::new(self, std::slice::from_ref(&entity), cause, event, added);
            panics.catch(|| callback(&mut trigger));
            panics.catch(|| trigger.close_queue());
            if let Some(observer) = self.observers.by_key.get_mut(&key).and_then(|list| list.get_mut(at)) {
                observer.callback = Some(callback);
            }
        }
    }

    /// An operation begins that calls observers: what they defer is done when it is done.
    pub(super) fn enter(&self) {
        self.underway.set_operations(self.underway.operations() + 1);
    }

    /// An operation that called observers is done. If it was the outermost, what was deferred is done now.
    pub(super) fn leave(&mut self, mut panics: Panics) {
        let operations = self.underway.operations();
        if operations > 1 {
            self.underway.set_operations(operations - 1);
            return panics.resume();
        }
        // What is deferred may put another world in the place of this one.
        let underway = Arc::clone(&self.underway);
        self.do_deferred(&mut panics);
        underway.set_operations(0);
        panics.resume();
    }

    /// Does what was deferred. If something of it puts another world in the place of this one, the rest is done after the next operation of this one.
    fn do_deferred(&mut self, panics: &mut Panics) {
        let birth = self.store.birth();
        let (mut roots, mut near, mut done, mut deep) = (0usize, 0usize, 0usize, 0usize);
        let (mut refused, mut all_refused) = (false, false);
        while self.store.birth() == birth
            && let Some(Later { own, act, chain }) = self.observers.later.pop_front()
        {
            roots += usize::from(chain.length <= 1);
            // As much as one likes may follow from an operation with many entities; what counts is what follows from that, and from that again.
            let is_far = chain.length > SHORT_CHAIN;
            near += usize::from(chain.length <= NEAR && !own);
            done += usize::from(chain.length > NEAR && !own);
            deep += usize::from(is_far && own);
            // A chain may also be endless by growing broader and broader. What components do by themselves may have a long way to go, such as along a row of those that end
            // with each other.
            let most = (roots + 1).saturating_mul(MOST_PER_ROOT);
            all_refused |= deep > most || own && chain.length > MOST_PER_ROOT;
            let most_done = most.saturating_add(near.saturating_mul(MOST_PER_NEAR));
            let endless = !own && chain.length > LONGEST_CHAIN || done > most_done || all_refused;
            if endless && !refused {
                refused = true;
                panics.catch(|| refuse_endless(&chain));
            }
            // From then on only components do what they have to, so that what they keep is in order; unless it is they who know no end.
            if refused && (!own || all_refused && is_far) {
                panics.catch(|| drop(act));
                continue;
            }
            self.observers.chain = chain;
            let act = act.into_inner().unwrap_or_else(PoisonError::into_inner);
            panics.catch(|| act(self));
        }
        if self.store.birth() == birth {
            self.observers.chain = Chain::default();
            if self.observers.lane.is_dealt() {
                self.settle_observers_lane();
            }
        }
    }
}

impl World {
    /// What called the observer whose deferred work is done now, and which one that is.
    pub(crate) fn latest_observer(&self) -> &str {
        self.observers.chain.latest.back().map_or("nothing", |link| &**link)
    }

    /// The ids for what observers queue; to be put back.
    pub(crate) fn take_observers_lane(&mut self) -> Lane {
        std::mem::take(&mut self.observers.lane)
    }

    /// Puts back what was taken, and notes how many were used of it.
    pub(crate) fn put_observers_lane(&mut self, lane: Lane, used: usize) {
        self.observers.lane = lane;
        self.observers.used += used;
    }

    #[cold]
    fn settle_observers_lane(&mut self) {
        let mut lane = self.take_observers_lane();
        self.lanes.note_use("observers", std::mem::take(&mut self.observers.used));
        self.store.entities.settle(&mut lane);
    }
}

impl Observers {
    /// Whether there are any of a component.
    pub(super) fn any_of(&self, component: ComponentId) -> bool {
        self.by_key
            .iter()
            .any(|(key, list)| !list.is_empty() && matches!(key, Key::Component(id, _) if *id == component))
    }

    /// Whether there are any, other than what components do by themselves.
    pub(super) fn any(&self) -> bool {
        self.by_key.iter().any(|(_, list)| !list.is_empty())
    }

    /// Keeps the panics of observers that were called before an operation until it is done.
    pub(super) fn later_panics(&mut self, panics: Panics) {
        let act: Deferred = Box::new(|_| panics.resume());
        self.later.push_back(Later { own: false, act: Mutex::new(act), chain: self.chain.clone() });
    }
}

#[cold]
fn refuse_endless(chain: &Chain) {
    let links: Vec<&str> = chain.latest.iter().map(|link| &**link).collect();
    panic!(
        "error[O002]: observers defer changes that call observers, without end: {} in a chain\n  the latest:\n    {}\n  help: let the observer look whether there is anything left to do before it defers",
        chain.length,
        links.join("\n    ")
    );
}
