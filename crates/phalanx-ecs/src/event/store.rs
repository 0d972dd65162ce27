//! [`EventQueues`]: the event queues of one world.

use super::{Event, Events};
use crate::cell::Lendable;
use crate::component::{Folder, Panics, Schema, TypeMap};
use std::any::{Any, TypeId, type_name};

/// The event queues of one world, by type, in the order in which the types came.
#[derive(Default)]
pub(crate) struct EventQueues {
    /// Nothing until the first event comes, so that worlds without any pay nothing.
    ids: Option<TypeMap>,
    queues: Vec<Lendable<Box<dyn Queue>>>,
}

/// An [`Events`] of some type: the type that `ids` leads from.
pub(crate) trait Queue: Any + Send + Sync {
    fn update(&mut self, panics: &mut Panics);
    fn shrink(&mut self);
    fn bytes(&self) -> (usize, usize);
    /// The full name of the type of event.
    fn name(&self) -> &'static str;
    /// How the queue counts in checksums, if it does.
    fn sum(&self, exact: bool) -> Option<u64>;
    /// What the events are made of, if there are any.
    fn schema(&self) -> Option<Schema>;
}

impl<E: Event> Queue for Events<E> {
    fn update(&mut self, panics: &mut Panics) {
        self.update(panics);
    }
    fn shrink(&mut self) {
        self.shrink();
    }
    fn bytes(&self) -> (usize, usize) {
        self.bytes()
    }
    fn name(&self) -> &'static str {
        type_name::<E>()
    }
    fn sum(&self, exact: bool) -> Option<u64> {
        let mut folder = Folder::new();
        (E::CHECKSUM && self.fold_into(exact, &mut folder)).then(|| folder.sum())
    }
    fn schema(&self) -> Option<Schema> {
        (!self.is_empty()).then(|| Schema::made_of::<E>(E::describe_event))
    }
}

/// A queue as what it is.
#[inline]
pub(crate) fn typed<E: Event>(queue: &dyn Queue) -> &Events<E> {
    let queue: &dyn Any = queue;
    queue.downcast_ref().expect("a queue of the type")
}

/// A queue as what it is, to write.
#[inline]
pub(crate) fn typed_mut<E: Event>(queue: &mut dyn Queue) -> &mut Events<E> {
    let queue: &mut dyn Any = queue;
    queue.downcast_mut().expect("a queue of the type")
}

impl EventQueues {
    #[inline]
    fn index_of<E: Event>(&self) -> Option<usize> {
        self.ids.as_ref()?.get(TypeId::of::<E>()).map(|index| index as usize)
    }

    #[inline]
    pub(crate) fn get<E: Event>(&self) -> &Events<E> {
        let Some(index) = self.index_of::<E>() else { return Events::EMPTY };
        typed(&**self.queues[index].get())
    }

    /// The queue of a type, made if it is not there.
    #[inline]
    pub(crate) fn get_mut<E: Event>(&mut self) -> &mut Events<E> {
        let index = self.queue_of::<E>();
        typed_mut(&mut **self.queues[index].get_mut())
    }

    /// The number of a type's queue, which is made if it is not there. It stays as long as the queues.
    #[inline]
    pub(crate) fn queue_of<E: Event>(&mut self) -> usize {
        self.index_of::<E>().unwrap_or_else(|| self.new_queue::<E>())
    }

    /// A queue, to be lent.
    #[inline]
    pub(crate) fn queue(&self, number: usize) -> &Lendable<Box<dyn Queue>> {
        &self.queues[number]
    }

    #[cold]
    fn new_queue<E: Event>(&mut self) -> usize {
        let index = self.queues.len();
        let id = u32::try_from(index).expect("fewer than 2³² event types");
        self.queues.push(Lendable::new(Box::new(Events::<E>::new())));
        self.ids.get_or_insert_default().insert(TypeId::of::<E>(), id);
        index
    }

    /// The queues that count in checksums, with a sum of each, in order of their types' names.
    pub(crate) fn sums(&self, exact: bool) -> Vec<(&dyn Queue, u64)> {
        let mut sums: Vec<(&dyn Queue, u64)> = Vec::new();
        for queue in &self.queues {
            let queue = &**queue.get();
            sums.extend(queue.sum(exact).map(|sum| (queue, sum)));
        }
        sums.sort_by_key(|(queue, _)| queue.name());
        sums
    }

    /// One update of every queue, also if drops in some of them panic.
    pub(crate) fn update(&mut self) {
        let mut panics = Panics::default();
        for queue in &mut self.queues {
            queue.get_mut().update(&mut panics);
        }
        panics.resume();
    }

    /// Gives memory back that is not used.
    pub(crate) fn shrink(&mut self) {
        for queue in &mut self.queues {
            queue.get_mut().shrink();
        }
    }

    /// Bytes of the events, and bytes reserved, events included.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let ids = self.ids.as_ref().map_or(0, TypeMap::bytes);
        let beside = ids + self.queues.capacity() * size_of::<Lendable<Box<dyn Queue>>>();
        self.queues.iter().map(|queue| queue.get().bytes()).fold((0, beside), |all, one| (all.0 + one.0, all.1 + one.1))
    }
}
