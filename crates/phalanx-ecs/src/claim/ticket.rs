//! Tickets: what a part of a plan keeps between uses, and shows to a claim.
//!
//! A ticket cannot be cloned, and handing out what may be written borrows it: so one part hands out one thing at a time.

use super::plan::Head;
use crate::event::Event;
use crate::query::{Filter, Prepared, Terms};
use crate::resource::Resource;
use crate::tick::Clock;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// Which plan a ticket belongs to, and who asked for the part.
pub(super) struct Stub {
    pub(super) head: Arc<Head>,
    pub(super) caller: &'static Location<'static>,
}

/// Turns a [`Claim`](crate::Claim) into a query; see [`PlanBuilder::query`](crate::PlanBuilder::query). It keeps the tables that match.
pub struct QueryTicket<Q: Terms, F: Filter = ()> {
    pub(super) stub: Stub,
    pub(super) prepared: Prepared<Q, F>,
}

/// Turns a [`Claim`](crate::Claim) into a resource to read; see [`PlanBuilder::resource`](crate::PlanBuilder::resource).
pub struct ResourceTicket<R: Resource> {
    pub(super) stub: Stub,
    pub(super) slot: usize,
    _resource: PhantomData<fn() -> R>,
}

/// Turns a [`Claim`](crate::Claim) into a resource to write; see [`PlanBuilder::resource_mut`](crate::PlanBuilder::resource_mut).
pub struct ResourceMutTicket<R: Resource> {
    pub(super) stub: Stub,
    pub(super) slot: usize,
    /// Stands at the tick of the claim in which the resource is written.
    pub(super) clock: Clock,
    _resource: PhantomData<fn() -> R>,
}

/// Turns a [`Claim`](crate::Claim) into events to read; see [`PlanBuilder::events`](crate::PlanBuilder::events).
pub struct EventsTicket<E: Event> {
    pub(super) stub: Stub,
    pub(super) queue: usize,
    _event: PhantomData<fn() -> E>,
}

/// Turns a [`Claim`](crate::Claim) into a queue of events to send to; see [`PlanBuilder::events_mut`](crate::PlanBuilder::events_mut).
pub struct EventsMutTicket<E: Event> {
    pub(super) stub: Stub,
    pub(super) queue: usize,
    _event: PhantomData<fn() -> E>,
}

/// Turns a [`Claim`](crate::Claim) into a shared world; see [`PlanBuilder::world`](crate::PlanBuilder::world).
pub struct WorldTicket {
    pub(super) stub: Stub,
}

/// Turns a [`Claim`](crate::Claim) into a world to change; see [`PlanBuilder::world_mut`](crate::PlanBuilder::world_mut).
pub struct WorldMutTicket {
    pub(super) stub: Stub,
}

impl<R: Resource> ResourceTicket<R> {
    pub(super) fn new(stub: Stub, slot: usize) -> Self {
        Self { stub, slot, _resource: PhantomData }
    }
}

impl<R: Resource> ResourceMutTicket<R> {
    pub(super) fn new(stub: Stub, slot: usize) -> Self {
        Self { stub, slot, clock: Clock::default(), _resource: PhantomData }
    }
}

impl<E: Event> EventsTicket<E> {
    pub(super) fn new(stub: Stub, queue: usize) -> Self {
        Self { stub, queue, _event: PhantomData }
    }
}

impl<E: Event> EventsMutTicket<E> {
    pub(super) fn new(stub: Stub, queue: usize) -> Self {
        Self { stub, queue, _event: PhantomData }
    }
}

impl fmt::Debug for Stub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of plan `{}`, made at {}:{}", self.head.name, self.caller.file(), self.caller.line())
    }
}

macro_rules! debug_of_stub {
    ($(($($generics:tt)*) $ticket:ty;)*) => {$(
        impl<$($generics)*> fmt::Debug for $ticket {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "ticket {:?}", self.stub)
            }
        }
    )*};
}

debug_of_stub! {
    (Q: Terms, F: Filter) QueryTicket<Q, F>;
    (R: Resource) ResourceTicket<R>;
    (R: Resource) ResourceMutTicket<R>;
    (E: Event) EventsTicket<E>;
    (E: Event) EventsMutTicket<E>;
    () WorldTicket;
    () WorldMutTicket;
}
