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
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Claim, QueryTicket, WrongTicket};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// fn heal(claim: &Claim<'_>, wounded: &mut QueryTicket<&mut Health>) -> Result<(), WrongTicket> {
///     claim.query(wounded)?.for_each(|health| health.0 += 1);
///     Ok(())
/// }
/// let orc = world.spawn(Health(3));
/// let mut plan = world.plan("heal");
/// let mut wounded = plan.query::<&mut Health>()?;
/// let plan = plan.build();
/// heal(&plan.claim_exclusive(&mut world)?, &mut wounded)?;
/// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct QueryTicket<Q: Terms, F: Filter = ()> {
    pub(super) stub: Stub,
    pub(super) prepared: Prepared<Q, F>,
}

/// Turns a [`Claim`](crate::Claim) into a resource to read; see [`PlanBuilder::resource`](crate::PlanBuilder::resource).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Claim, PartError, ResourceTicket};
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// fn show(claim: &Claim<'_>, score: &ResourceTicket<Score>) -> Result<String, PartError> {
///     Ok(format!("{} points", claim.resource(score)?.0))
/// }
/// world.insert_resource(Score(3));
/// let mut plan = world.plan("show");
/// let score = plan.resource::<Score>()?;
/// let plan = plan.build();
/// assert_eq!(show(&plan.claim_exclusive(&mut world)?, &score)?, "3 points");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ResourceTicket<R: Resource> {
    pub(super) stub: Stub,
    pub(super) slot: usize,
    _resource: PhantomData<fn() -> R>,
}

/// Turns a [`Claim`](crate::Claim) into a resource to write; see [`PlanBuilder::resource_mut`](crate::PlanBuilder::resource_mut).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Claim, PartError, ResourceMutTicket};
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// fn win(claim: &Claim<'_>, score: &mut ResourceMutTicket<Score>) -> Result<(), PartError> {
///     claim.resource_mut(score)?.0 += 1;
///     Ok(())
/// }
/// world.insert_resource(Score(3));
/// let mut plan = world.plan("win");
/// let mut score = plan.resource_mut::<Score>()?;
/// let plan = plan.build();
/// win(&plan.claim_exclusive(&mut world)?, &mut score)?;
/// assert_eq!(world.resource::<Score>()?.0, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ResourceMutTicket<R: Resource> {
    pub(super) stub: Stub,
    pub(super) slot: usize,
    /// Stands at the tick of the claim in which the resource is written.
    pub(super) clock: Clock,
    _resource: PhantomData<fn() -> R>,
}

/// Turns a [`Claim`](crate::Claim) into events to read; see [`PlanBuilder::events`](crate::PlanBuilder::events).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Claim, EventsTicket, WrongTicket};
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// fn listen(claim: &Claim<'_>, hits: &EventsTicket<Hit>, reader: &mut EventReader<Hit>) -> Result<u32, WrongTicket> {
///     Ok(reader.read_from(claim.events(hits)?).map(|hit| hit.0).sum())
/// }
/// world.send_batch([Hit(3), Hit(4)]);
/// let mut plan = world.plan("listen");
/// let hits = plan.events::<Hit>()?;
/// let plan = plan.build();
/// assert_eq!(listen(&plan.claim_exclusive(&mut world)?, &hits, &mut EventReader::new())?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventsTicket<E: Event> {
    pub(super) stub: Stub,
    pub(super) queue: usize,
    _event: PhantomData<fn() -> E>,
}

/// Turns a [`Claim`](crate::Claim) into a queue of events to send to; see [`PlanBuilder::events_mut`](crate::PlanBuilder::events_mut).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Claim, EventsMutTicket, WrongTicket};
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// fn shoot(claim: &Claim<'_>, hits: &mut EventsMutTicket<Hit>) -> Result<(), WrongTicket> {
///     claim.events_mut(hits)?.send(Hit(3));
///     Ok(())
/// }
/// let mut plan = world.plan("shoot");
/// let mut hits = plan.events_mut::<Hit>()?;
/// let plan = plan.build();
/// shoot(&plan.claim_exclusive(&mut world)?, &mut hits)?;
/// assert_eq!(world.events::<Hit>().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventsMutTicket<E: Event> {
    pub(super) stub: Stub,
    pub(super) queue: usize,
    _event: PhantomData<fn() -> E>,
}

/// Turns a [`Claim`](crate::Claim) into a shared world; see [`PlanBuilder::world`](crate::PlanBuilder::world).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::WorldTicket;
///
/// let mut world = World::new();
/// let mut plan = world.plan("count");
/// let all: WorldTicket = plan.world()?;
/// let plan = plan.build();
/// world.spawn(());
/// assert_eq!(plan.claim_exclusive(&mut world)?.world(&all)?.alive(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorldTicket {
    pub(super) stub: Stub,
}

/// Turns a [`Claim`](crate::Claim) into a world to change; see [`PlanBuilder::world_mut`](crate::PlanBuilder::world_mut).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::WorldMutTicket;
///
/// let mut world = World::new();
/// let mut plan = world.plan("load");
/// let mut all: WorldMutTicket = plan.world_mut()?;
/// let plan = plan.build();
/// plan.claim_exclusive(&mut world)?.world_mut(&mut all)?.spawn(());
/// assert_eq!(world.alive(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
