//! [`Claim`]: the right to what a plan names.

#![expect(unsafe_code, reason = "the right to parts of a world becomes references to them")]

use super::lend::OtherWorld;
use super::list::ClaimList;
use super::plan::{Facts, Plan};
use super::refused::{PartError, WrongTicket};
use super::ticket::{
    EventsMutTicket, EventsTicket, QueryTicket, ResourceMutTicket, ResourceTicket, Stub, WorldMutTicket, WorldTicket,
};
use crate::event::{Event, Events, typed, typed_mut};
use crate::query::{Filter, Query, Terms};
use crate::resource::{ResMut, Resource, ResourceReader};
use crate::tick::{Clock, Tick};
use crate::world::World;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::NonNull;

/// The right to what a plan names, until it is dropped: shown the tickets of the plan, it hands out the parts.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(0));
/// world.spawn_batch([3, 0, 0].map(Health));
///
/// let mut plan = world.plan("count the dead");
/// let mut healths = plan.query::<&Health>()?;
/// let mut score = plan.resource_mut::<Score>()?;
/// let plan = plan.build();
///
/// let lend = world.lend();
/// let claim = lend.claim(&plan)?;
/// let dead = claim.query(&mut healths)?.iter().filter(|health| health.0 == 0).count();
/// claim.resource_mut(&mut score)?.0 += dead as u32;
/// drop(claim);
/// assert_eq!(world.resource::<Score>()?.0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A claim can be sent to another thread. What it hands out lives no longer than the claim, and a ticket to write hands out one thing at a time.
pub struct Claim<'a> {
    /// Valid for `'a`. If the plan has parts then, for `'a` and until the claim is dropped:
    ///
    /// 1. It is the world the plan was made for.
    /// 2. What the plan writes nobody else uses; what it reads nobody writes.
    /// 3. Unless the plan has the world alone, nobody has `&mut World`: nothing but component values, ticks, resources and queues of
    ///    events is written.
    world: NonNull<World>,
    plan: &'a Facts,
    /// Where the plan stands in the list of those that are claimed; the world may be borrowed for this claim alone instead.
    place: Option<(&'a ClaimList, usize)>,
    tick: Tick,
    _world: PhantomData<&'a mut World>,
}

// SAFETY: a claim is the right to parts of a world: to share them (`World: Sync`) or to have them alone (`World: Send`).
unsafe impl Send for Claim<'_> {}

impl Plan {
    /// Claims what the plan names in a world that nobody else uses meanwhile. Costs next to nothing: there is nobody to agree with.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut plan = world.plan("heal");
    /// let mut healths = plan.query::<&mut Health>()?;
    /// let plan = plan.build();
    /// for _ in 0..10 {
    ///     let claim = plan.claim_exclusive(&mut world)?;
    ///     claim.query(&mut healths)?.for_each(|health| health.0 += 1);
    /// }
    /// assert_eq!(world.query::<&Health>().single()?.0, 13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OtherWorld`] if the plan was made for another world.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn claim_exclusive<'a>(&'a self, world: &'a mut World) -> Result<Claim<'a>, OtherWorld> {
        let plan = &*self.facts;
        if world.store.birth() != plan.world {
            return Err(OtherWorld::new(plan, Location::caller()));
        }
        world.store.keep_ticks_in_range();
        // As in `entered`: what ticks there are does not depend on how systems are run.
        let tick = world.clock.advance_by(plan.ticks);
        // (1) was asked, (2) and (3) hold because the world is borrowed exclusively for `'a`.
        Ok(Claim { world: NonNull::from(world), plan, place: None, tick, _world: PhantomData })
    }
}

impl<'a> Claim<'a> {
    /// The claim of a plan that has entered a list; `None`, and the plan has left it, if it is of another world.
    ///
    /// # Safety
    /// 1. `world` is valid for `'a`, and points (2) and (3) of the field `world` hold while the plan stands in the list.
    /// 2. The plan stands there at `place`, and nobody else makes it leave.
    #[inline]
    pub(super) unsafe fn entered(
        world: NonNull<World>,
        plan: &'a Facts,
        list: &'a ClaimList,
        place: usize,
    ) -> Option<Self> {
        let place = Some((list, place));
        let mut claim = Self { world, plan, place, tick: Tick::default(), _world: PhantomData };
        // A plan without parts is in nobody's way, so somebody may have the whole world now: then it is not to be looked at.
        if plan.ticks > 0 {
            // SAFETY: the plan has parts, so by (1) nobody has `&mut World` now. Nothing that can be lent is looked at.
            let world = unsafe { world.as_ref() };
            if world.store.birth() != plan.world {
                return None;
            }
            claim.tick = world.clock.draw();
        }
        Some(claim)
    }

    /// The name of the plan.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let plan = world.plan("nothing").build();
    /// assert_eq!(plan.claim_exclusive(&mut world)?.name(), "nothing");
    /// # Ok::<(), phalanx_ecs::OtherWorld>(())
    /// ```
    pub fn name(&self) -> &'a str {
        &self.plan.head.name
    }

    /// The tick of all writes to resources through this claim: later than those of all claims dropped before it was made.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let mut plan = world.plan("look");
    /// plan.world()?;
    /// let plan = plan.build();
    /// let first = plan.claim_exclusive(&mut world)?.tick();
    /// assert!(plan.claim_exclusive(&mut world)?.tick() > first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// Whether a ticket belongs to this plan.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn check(&self, stub: &Stub) -> Result<(), WrongTicket> {
        if std::ptr::eq(&raw const *stub.head, &raw const *self.plan.head) {
            Ok(())
        } else {
            Err(WrongTicket::new(stub, self.plan, Location::caller()))
        }
    }

    /// The world, for looking at what the plan names.
    ///
    /// # Safety
    /// 1. A ticket of the plan was shown, so the plan has parts; its part is not that of `&mut World`.
    /// 2. Of what can be lent, only what that part names is used.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn lent(&self) -> &World {
        // SAFETY: valid as long as the claim; by (1) and point (3) of the field nobody has `&mut World`. Neither has this claim: its plan
        // has another part, and `&mut World` goes with none.
        unsafe { self.world.as_ref() }
    }

    /// The query of a ticket. With [`Changed`](crate::Changed) or [`Added`](crate::Added) the ticket is the reader: it sees what happened since
    /// it was shown before.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut plan = world.plan("heal");
    /// let mut healths = plan.query::<&mut Health>()?;
    /// let plan = plan.build();
    /// let claim = plan.claim_exclusive(&mut world)?;
    /// for health in claim.query(&mut healths)? {
    ///     health.0 += 1;
    /// }
    /// assert_eq!(claim.query(&mut healths)?.single_mut()?.0, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn query<'t, Q: Terms, F: Filter>(
        &'t self,
        ticket: &'t mut QueryTicket<Q, F>,
    ) -> Result<Query<'t, Q, F>, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a query. (2) Only what the query's terms name is used.
        let store = unsafe { &self.lent().store };
        ticket.prepared.update(store);
        ticket.prepared.look(store);
        // SAFETY: (1) up to date. (2) The plan names what the terms use, so by point (2) of the field `world` no other claim is in the way; other
        // parts of this plan are not, or they would have been refused; this part hands out one query at a time, which borrows the ticket
        // and the claim for `'t`.
        Ok(unsafe { Query::new(store, &ticket.prepared) })
    }

    /// The resource of a ticket, if it is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("show");
    /// let score = plan.resource::<Score>()?;
    /// let plan = plan.build();
    /// assert!(plan.claim_exclusive(&mut world)?.get_resource(&score)?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn get_resource<'t, R: Resource>(
        &'t self,
        ticket: &'t ResourceTicket<R>,
    ) -> Result<Option<&'t R>, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a resource. (2) Only that is looked at.
        Ok(unsafe { self.lent() }.resources.held(ticket.slot).get().get())
    }

    /// The resource of a ticket, which must be there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let mut plan = world.plan("show");
    /// let score = plan.resource::<Score>()?;
    /// let plan = plan.build();
    /// assert_eq!(plan.claim_exclusive(&mut world)?.resource(&score)?.0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PartError`] if it is not, or if the ticket belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn resource<'t, R: Resource>(&'t self, ticket: &'t ResourceTicket<R>) -> Result<&'t R, PartError> {
        match self.get_resource(ticket)? {
            Some(resource) => Ok(resource),
            None => Err(self.missing::<R>(Location::caller())),
        }
    }

    /// The resource of a ticket to write, if it is there. Only writing marks it as changed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("win");
    /// let mut score = plan.resource_mut::<Score>()?;
    /// let plan = plan.build();
    /// assert!(plan.claim_exclusive(&mut world)?.get_resource_mut(&mut score)?.is_none());
    /// world.insert_resource(Score(3));
    /// if let Some(mut score) = plan.claim_exclusive(&mut world)?.get_resource_mut(&mut score)? {
    ///     score.0 += 1;
    /// }
    /// assert_eq!(world.resource::<Score>()?.0, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn get_resource_mut<'t, R: Resource>(
        &'t self,
        ticket: &'t mut ResourceMutTicket<R>,
    ) -> Result<Option<ResMut<'t, R>>, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a resource. (2) Only that is used.
        let held = unsafe { self.lent() }.resources.held(ticket.slot);
        // SAFETY: (1) the plan writes the resource, so by point (2) of the field `world` no other claim uses it; no other part of this plan does; this
        // part hands it out once at a time, which borrows the ticket and the claim for `'t`.
        let held = unsafe { held.get_mut_unchecked() };
        ticket.clock = Clock::standing(self.tick);
        Ok(held.get_mut(&mut ticket.clock))
    }

    /// The resource of a ticket to write, which must be there. Only writing marks it as changed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let mut plan = world.plan("win");
    /// let mut score = plan.resource_mut::<Score>()?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.resource_mut(&mut score)?.0 += 1;
    /// assert_eq!(world.resource::<Score>()?.0, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PartError`] if it is not, or if the ticket belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn resource_mut<'t, R: Resource>(
        &'t self,
        ticket: &'t mut ResourceMutTicket<R>,
    ) -> Result<ResMut<'t, R>, PartError> {
        match self.get_resource_mut(ticket)? {
            Some(resource) => Ok(resource),
            None => Err(self.missing::<R>(Location::caller())),
        }
    }

    #[cold]
    #[inline(never)]
    fn missing<R: Resource>(&self, caller: &'static Location<'static>) -> PartError {
        // SAFETY: (1) a ticket of the resource was shown. (2) It says by itself why it is not there, and of the others only the names are
        // asked, which are not lent.
        PartError::NoResource(unsafe { self.lent() }.no_resource::<R>(caller))
    }

    /// Whether the resource of a ticket is there and was inserted or written since a reader was last asked.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ResourceReader;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let mut plan = world.plan("show");
    /// let score = plan.resource::<Score>()?;
    /// let plan = plan.build();
    /// let mut reader = ResourceReader::new();
    /// let claim = plan.claim_exclusive(&mut world)?;
    /// assert!(claim.resource_changed(&score, &mut reader)?);
    /// assert!(!claim.resource_changed(&score, &mut reader)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[track_caller]
    pub fn resource_changed<R: Resource>(
        &self,
        ticket: &ResourceTicket<R>,
        reader: &mut ResourceReader<R>,
    ) -> Result<bool, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a resource. (2) Only the ticks of that are looked at.
        let world = unsafe { self.lent() };
        Ok(reader.at(world.store.birth().get()).looks_for_change(&world.resources, self.tick))
    }

    /// The events of a ticket, for an [`EventReader`](crate::EventReader) to read from.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(3));
    /// let mut plan = world.plan("listen");
    /// let hits = plan.events::<Hit>()?;
    /// let plan = plan.build();
    /// let mut reader = EventReader::new();
    /// let claim = plan.claim_exclusive(&mut world)?;
    /// assert!(reader.read_from(claim.events(&hits)?).map(|hit| hit.0).eq([3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn events<'t, E: Event>(&'t self, ticket: &'t EventsTicket<E>) -> Result<&'t Events<E>, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a queue. (2) Only that is looked at.
        Ok(typed(&**unsafe { self.lent() }.events.queue(ticket.queue).get()))
    }

    /// The events of a ticket, to send.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("shoot");
    /// let mut hits = plan.events_mut::<Hit>()?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.events_mut(&mut hits)?.send(Hit(3));
    /// assert_eq!(world.events::<Hit>().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn events_mut<'t, E: Event>(
        &'t self,
        ticket: &'t mut EventsMutTicket<E>,
    ) -> Result<&'t mut Events<E>, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of a queue. (2) Only that is used.
        let queue = unsafe { self.lent() }.events.queue(ticket.queue);
        // SAFETY: (1) as in `get_resource_mut`.
        Ok(typed_mut(&mut **unsafe { queue.get_mut_unchecked() }))
    }

    /// The whole world of a ticket.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let mut plan = world.plan("count");
    /// let all = plan.world()?;
    /// let plan = plan.build();
    /// assert_eq!(plan.claim_exclusive(&mut world)?.world(&all)?.alive(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn world<'t>(&'t self, ticket: &'t WorldTicket) -> Result<&'t World, WrongTicket> {
        self.check(&ticket.stub)?;
        // SAFETY: (1) the ticket was checked, and is of the shared world. (2) The plan reads all of it.
        Ok(unsafe { self.lent() })
    }

    /// The whole world of a ticket, to change in any way.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let mut plan = world.plan("load");
    /// let mut all = plan.world_mut()?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.world_mut(&mut all)?.spawn(());
    /// assert_eq!(world.alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WrongTicket`] if it belongs to another plan.
    #[inline]
    #[track_caller]
    pub fn world_mut<'t>(&'t self, ticket: &'t mut WorldMutTicket) -> Result<&'t mut World, WrongTicket> {
        self.check(&ticket.stub)?;
        let mut world = self.world;
        // SAFETY: valid as long as the claim. The plan has the whole world for itself, so by point (2) of the field no other claim uses any of it; the
        // plan has no other part; this part hands it out once at a time, which borrows the ticket and the claim for `'t`.
        Ok(unsafe { world.as_mut() })
    }
}

impl Drop for Claim<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        if let Some((list, place)) = self.place {
            list.leave(place);
        }
    }
}

impl fmt::Debug for Claim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claim({})", self.name())
    }
}
