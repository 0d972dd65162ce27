//! [`Plan`]: what somebody wants of a world, worked out once.

use super::access::{Access, Key};
use super::conflict::{Clash, Conflict};
use super::ticket::{
    EventsMutTicket, EventsTicket, QueryTicket, ResourceMutTicket, ResourceTicket, Stub, WorldMutTicket, WorldTicket,
};
use crate::component::{Component, ComponentId, short_name};
use crate::entity::debug_as_display;
use crate::event::Event;
use crate::query::{ConflictingTerms, Filter, Prepared, Terms, refuse_conflicts};
use crate::resource::{Resource, name_of};
use crate::storage::Epoch;
use crate::world::{DynError, Gone, Removed, World};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// What somebody wants of a world: queries, resources, events, or all of it. Made once, by [`World::plan`]; claimed again and again.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// world.spawn((Position(0.0), Velocity(1.5)));
///
/// let mut plan = world.plan("move");
/// let mut bodies = plan.query::<(&mut Position, &Velocity)>()?;
/// let plan = plan.build();
///
/// let claim = plan.claim_exclusive(&mut world)?;
/// claim.query(&mut bodies)?.for_each(|(position, velocity)| position.0 += velocity.0);
/// drop(claim);
/// assert_eq!(world.query::<&Position>().single()?.0, 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A clone is the same plan: tickets are good for both.
#[derive(Clone)]
pub struct Plan {
    pub(super) facts: Arc<Facts>,
}

/// What is said to who exchanges the world of a plan.
const EXCHANGED: &str = "another world was put in the place of the one that the plan is made for";

/// A plan as claims know it.
pub(super) struct Facts {
    pub(super) head: Arc<Head>,
    /// The world it is made for.
    pub(super) world: Epoch,
    /// How many ticks a claim takes: one, or none if the plan has no parts, because such a claim may not look at the clock while others have the world.
    pub(super) ticks: u64,
    pub(super) access: Access,
}

/// Which plan it is: its place in memory is its identity. Each ticket keeps it alive, so that no other plan can have the same.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) caller: &'static Location<'static>,
}

impl Facts {
    pub(super) fn conflict(&self, other: &Self) -> Conflict {
        Conflict {
            first: self.head.name.clone(),
            second: other.head.name.clone(),
            clashes: Clash::all(&self.access, &other.access),
        }
    }
}

impl Plan {
    /// The plan's name.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// assert_eq!(world.plan("move").build().name(), "move");
    /// ```
    pub fn name(&self) -> &str {
        &self.facts.head.name
    }

    /// The parts of the plan, as messages name them.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("heal");
    /// plan.query::<&mut Health>()?;
    /// plan.resource::<Score>()?;
    /// assert!(plan.build().parts().eq(["query `&mut Health`", "resource `Score`"]));
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.facts.access.parts().iter().map(|part| &*part.label)
    }

    /// Whether the plan writes nothing: then it can be claimed several times at once.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("count");
    /// plan.query::<&Health>()?;
    /// assert!(plan.build().is_read_only());
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    pub fn is_read_only(&self) -> bool {
        !self.facts.access.writes()
    }

    /// Whether the plan has the whole world for itself ([`PlanBuilder::world_mut`]).
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let mut plan = world.plan("load");
    /// plan.world_mut()?;
    /// assert!(plan.build().is_exclusive());
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    pub fn is_exclusive(&self) -> bool {
        self.facts.access.is_exclusive()
    }

    /// Whether the two plans cannot be claimed at once; [`Plan::conflicts_with`] says why. Plans of different worlds can.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Frozen;
    ///
    /// let mut world = World::new();
    /// let mut awake = world.plan("awake");
    /// awake.query_filtered::<&mut Health, Without<Frozen>>()?;
    /// let awake = awake.build();
    /// let mut frozen = world.plan("frozen");
    /// frozen.query_filtered::<&mut Health, With<Frozen>>()?;
    /// assert!(!awake.overlaps(&frozen.build()), "they never meet the same entity");
    /// assert!(awake.overlaps(&awake));
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.facts.world == other.facts.world && self.facts.access.overlaps(&other.facts.access)
    }

    /// Why the two plans cannot be claimed at once, if so. Plans of different worlds can.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut heal = world.plan("heal");
    /// heal.query::<&mut Health>()?;
    /// let heal = heal.build();
    /// let mut draw = world.plan("draw");
    /// draw.query::<&Health>()?;
    /// let why = heal.conflicts_with(&draw.build()).unwrap();
    /// assert!(why.to_string().starts_with("`heal` and `draw` cannot have the world at once\n  component `Health`: written by"));
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    pub fn conflicts_with(&self, other: &Self) -> Option<Conflict> {
        self.overlaps(other).then(|| self.facts.conflict(&other.facts))
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({}: {})", self.name(), self.parts().collect::<Vec<_>>().join(", "))
    }
}

/// # Plans for lending
impl World {
    /// Begins a plan of what somebody wants of this world. The name is what messages call it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("heal");
    /// let wounded = plan.query::<&mut Health>()?;
    /// let score = plan.resource::<Score>()?;
    /// let plan = plan.build();
    /// assert_eq!((plan.name(), plan.parts().len()), ("heal", 2));
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    #[track_caller]
    pub fn plan(&mut self, name: impl Into<String>) -> PlanBuilder<'_> {
        let head = Arc::new(Head { name: name.into(), caller: Location::caller() });
        PlanBuilder { made_for: self.store.birth(), world: self, head, access: Access::default() }
    }
}

/// Collects the parts of a [`Plan`]; made by [`World::plan`]. Each part is refused if it gets in the way of one before.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut plan = world.plan("heal");
/// plan.query::<&mut Health>()?;
/// let error = plan.query::<&Health>().err().unwrap();
/// assert!(error.to_string().starts_with("error[L001]: two parts of plan `heal` are in each other's way"));
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[must_use = "call `build` to get the plan"]
pub struct PlanBuilder<'w> {
    world: &'w mut World,
    /// The world that all parts are parts of. Whoever is let at the world may have put another one in its place.
    made_for: Epoch,
    head: Arc<Head>,
    access: Access,
}

impl PlanBuilder<'_> {
    /// A query among the parts.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut plan = world.plan("count");
    /// let mut all = plan.query::<&Health>()?;
    /// let plan = plan.build();
    /// assert_eq!(plan.claim_exclusive(&mut world)?.query(&mut all)?.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if the query would hand out what a part before hands out, or one component twice, once of them mutably.
    #[track_caller]
    pub fn query<Q: Terms>(&mut self) -> Result<QueryTicket<Q>, PlanError> {
        const { refuse_conflicts::<Q::Parts>() };
        self.add_query()
    }

    /// A query among the parts, for the entities that match the filter `F`.
    ///
    /// Two queries for the same component are in nobody's way if one of them demands a component and the other its absence:
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Player;
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("fight");
    /// let players = plan.query_filtered::<&mut Health, With<Player>>()?;
    /// let enemies = plan.query_filtered::<&mut Health, Without<Player>>()?;
    /// assert!(plan.query::<&Health>().is_err(), "this one would meet both");
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// As [`PlanBuilder::query`].
    #[track_caller]
    pub fn query_filtered<Q: Terms, F: Filter>(&mut self) -> Result<QueryTicket<Q, F>, PlanError> {
        const { refuse_conflicts::<Q::Parts>() };
        self.add_query()
    }

    /// A query among the parts, for the entities that match a filter with [`WithDyn`](crate::WithDyn) in it: those with a component chosen at run time.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{ComponentLayout, DynValue, WithDyn};
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let cursed = world.register_dyn(ComponentLayout::new("Cursed"))?;
    /// let orcs = world.spawn_batch([Health(3), Health(5)]);
    /// world.insert_dyn(orcs[1], cursed, DynValue::bytes(&[]))?;
    /// let mut plan = world.plan("curse");
    /// let mut all_cursed = plan.query_with_dyn::<&mut Health, WithDyn>(cursed)?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.query(&mut all_cursed)?.for_each(|health| health.0 -= 1);
    /// assert_eq!(world.get::<Health>(orcs[1]).unwrap().0, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`PlanBuilder::query`]; and if the id is unknown, or the component is sparse.
    #[inline]
    #[track_caller]
    pub fn query_with_dyn<Q: Terms, F: Filter>(
        &mut self,
        component: ComponentId,
    ) -> Result<QueryTicket<Q, F>, PlanError> {
        const { refuse_conflicts::<Q::Parts>() };
        self.world.check_chosen(component, Location::caller()).map_err(|error| PlanError::Chosen(Box::new(error)))?;
        self.add_prepared(Prepared::<Q, F>::make_choosing(self.world.store.birth(), component)?)
    }

    /// Lets somebody look at the world that the plan is made for, and register types or make resources that a part needs.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource, Default)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("win");
    /// plan.with_world(|world| { world.init_resource::<Score>(); });
    /// let mut score = plan.resource_mut::<Score>()?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.resource_mut(&mut score)?.0 += 1;
    /// assert_eq!(world.resource::<Score>()?.0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If another world is put in its place: the parts before it would be parts of nothing.
    #[inline]
    pub fn with_world<R>(&mut self, act: impl FnOnce(&mut World) -> R) -> R {
        let result = act(self.world);
        assert!(self.world.store.birth() == self.made_for, "{EXCHANGED}");
        result
    }

    #[track_caller]
    fn add_query<Q: Terms, F: Filter>(&mut self) -> Result<QueryTicket<Q, F>, PlanError> {
        self.add_prepared(Prepared::<Q, F>::make()?)
    }

    #[track_caller]
    fn add_prepared<Q: Terms, F: Filter>(
        &mut self,
        mut prepared: Prepared<Q, F>,
    ) -> Result<QueryTicket<Q, F>, PlanError> {
        let declared = prepared.declared_in(&mut self.world.store);
        let label = format!("query `{}`", prepared.describe());
        let registry = &self.world.store.registry;
        let stub = self.add(Access::of_query(&declared, registry, label, Location::caller()))?;
        Ok(QueryTicket { stub, prepared })
    }

    /// A resource among the parts, to read. It need not be there yet.
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
    /// world.insert_resource(Score(3));
    /// assert_eq!(plan.claim_exclusive(&mut world)?.resource(&score)?.0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if a part before writes it.
    #[track_caller]
    pub fn resource<R: Resource>(&mut self) -> Result<ResourceTicket<R>, PlanError> {
        let (stub, slot) = self.add_resource::<R>(false, Location::caller())?;
        Ok(ResourceTicket::new(stub, slot))
    }

    /// A resource among the parts, to write. It need not be there yet.
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
    /// [`PlanError`] if a part before uses it.
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Result<ResourceMutTicket<R>, PlanError> {
        let (stub, slot) = self.add_resource::<R>(true, Location::caller())?;
        Ok(ResourceMutTicket::new(stub, slot))
    }

    fn add_resource<R: Resource>(
        &mut self,
        write: bool,
        caller: &'static Location<'static>,
    ) -> Result<(Stub, usize), PlanError> {
        let slot = self.world.resources.slot_of::<R>();
        let name = format!("resource `{}`", name_of::<R>());
        Ok((self.add(Access::of_one(Key::Resource(slot), write, name, caller))?, slot))
    }

    /// The events of a type among the parts, to read: with an [`EventReader`](crate::EventReader) of the caller's own.
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
    /// assert_eq!(reader.read_from(claim.events(&hits)?).map(|hit| hit.0).sum::<u32>(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if a part before sends them.
    #[track_caller]
    pub fn events<E: Event>(&mut self) -> Result<EventsTicket<E>, PlanError> {
        let (stub, queue) = self.add_events::<E>(false, Location::caller())?;
        Ok(EventsTicket::new(stub, queue))
    }

    /// The events of a type among the parts, to send.
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
    /// [`PlanError`] if a part before uses them.
    #[track_caller]
    pub fn events_mut<E: Event>(&mut self) -> Result<EventsMutTicket<E>, PlanError> {
        let (stub, queue) = self.add_events::<E>(true, Location::caller())?;
        Ok(EventsMutTicket::new(stub, queue))
    }

    fn add_events<E: Event>(
        &mut self,
        write: bool,
        caller: &'static Location<'static>,
    ) -> Result<(Stub, usize), PlanError> {
        let queue = self.world.events.queue_of::<E>();
        let name = format!("events `{}`", E::NAME.map_or_else(|| short_name(std::any::type_name::<E>()), Into::into));
        Ok((self.add(Access::of_one(Key::Events(queue), write, name, caller))?, queue))
    }

    /// The whole world among the parts, to read. Others can read at the same time; nobody writes.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.spawn(());
    /// let mut plan = world.plan("count");
    /// let all = plan.world()?;
    /// let plan = plan.build();
    /// assert_eq!(plan.claim_exclusive(&mut world)?.world(&all)?.alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if a part before writes anything.
    #[track_caller]
    pub fn world(&mut self) -> Result<WorldTicket, PlanError> {
        Ok(WorldTicket { stub: self.add(Access::of_world(false, Location::caller()))? })
    }

    /// The whole world as the only part: to change it in any way.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("load");
    /// let mut all = plan.world_mut()?;
    /// let plan = plan.build();
    /// plan.claim_exclusive(&mut world)?.world_mut(&mut all)?.spawn(());
    /// assert_eq!(world.alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if there is a part before.
    #[track_caller]
    pub fn world_mut(&mut self) -> Result<WorldMutTicket, PlanError> {
        Ok(WorldMutTicket { stub: self.add(Access::of_world(true, Location::caller()))? })
    }

    /// Adds a part, or refuses it and changes nothing.
    fn add(&mut self, part: Access) -> Result<Stub, PlanError> {
        let caller = part.parts()[0].caller;
        if self.world.store.birth() != self.made_for {
            return Err(PlanError::Refused(EXCHANGED.into()));
        }
        if self.access.overlaps(&part) {
            return Err(PlanError::Parts(PartConflict {
                plan: self.head.name.clone(),
                clashes: Clash::all(&self.access, &part),
                caller,
            }));
        }
        self.access.add(part);
        Ok(Stub { head: Arc::clone(&self.head), caller })
    }

    /// The world that is planned for, and what the plan is called.
    pub(crate) fn world_and_name(&mut self) -> (&mut World, &str) {
        (self.world, &self.head.name)
    }

    /// A reader of the components of a type that are removed from here on, and the part of the plan that it reads.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Shield;
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(Shield);
    /// let mut plan = world.plan("mourn");
    /// let (ticket, mut lost) = plan.removed::<Shield>()?;
    /// let plan = plan.build();
    /// world.despawn(orc)?;
    /// let claim = plan.claim_exclusive(&mut world)?;
    /// assert!(lost.read_from(claim.events(&ticket)?).map(|gone| gone.entity).eq([orc]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if a part before has the whole world for itself.
    #[track_caller]
    pub fn removed<T: Component>(&mut self) -> Result<(EventsTicket<Gone<T>>, Removed<T>), PlanError> {
        let ticket = self.events::<Gone<T>>()?;
        Ok((ticket, Removed::new(self.world)))
    }

    /// Makes the plan.
    ///
    /// ```
    /// let mut world = phalanx_ecs::World::new();
    /// let plan = world.plan("nothing").build();
    /// assert_eq!(plan.parts().len(), 0);
    /// ```
    pub fn build(self) -> Plan {
        let ticks = u64::from(!self.access.parts().is_empty());
        Plan { facts: Arc::new(Facts { head: self.head, world: self.made_for, ticks, access: self.access }) }
    }
}

impl fmt::Debug for PlanBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanBuilder({}, {} parts)", self.head.name, self.access.parts().len())
    }
}

/// A part of a plan was refused.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::PlanError;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let mut plan = world.plan("win");
/// plan.resource_mut::<Score>()?;
/// assert!(matches!(plan.resource::<Score>(), Err(PlanError::Parts(_))));
/// # Ok::<(), PlanError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// A query would hand out one component twice, once of them mutably.
    Terms(ConflictingTerms),
    /// The part would hand out what a part before it hands out.
    Parts(PartConflict),
    /// A component that was chosen at run time cannot be chosen.
    Chosen(Box<DynError>),
    /// Who was to add the part refused, for this reason: for layers above.
    Refused(Box<str>),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terms(error) => error.fmt(f),
            Self::Parts(error) => error.fmt(f),
            Self::Chosen(error) => error.fmt(f),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for PlanError {}
debug_as_display!(PlanError);

impl From<ConflictingTerms> for PlanError {
    fn from(error: ConflictingTerms) -> Self {
        Self::Terms(error)
    }
}

/// Two parts of one plan would hand out the same thing, once of them to be written.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::PlanError;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let mut plan = world.plan("win");
/// plan.resource_mut::<Score>()?;
/// let Err(PlanError::Parts(error)) = plan.resource::<Score>() else { unreachable!() };
/// assert_eq!((&*error.plan, &*error.clashes[0].what), ("win", "resource `Score`"));
/// assert!(error.to_string().starts_with("error[L001]: two parts of plan `win` are in each other's way"));
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartConflict {
    /// The name of the plan.
    pub plan: String,
    /// What is in the way; the second side is the part that was refused.
    pub clashes: Vec<Clash>,
    /// Who asked for the part that was refused.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for PartConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, clashes, caller } = self;
        writeln!(f, "error[L001]: two parts of plan `{plan}` are in each other's way")?;
        clashes.iter().try_for_each(|clash| writeln!(f, "  {clash}"))?;
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        write!(f, "  help: {}", help(clashes))
    }
}

impl PartConflict {
    /// What to do about it, as the message says.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("win");
    /// plan.resource_mut::<Score>()?;
    /// let Err(phalanx_ecs::PlanError::Parts(conflict)) = plan.resource::<Score>() else { unreachable!() };
    /// assert_eq!(conflict.help(), "ask for it once, to be written: that allows reading too");
    /// # Ok::<(), phalanx_ecs::PlanError>(())
    /// ```
    pub fn help(&self) -> &'static str {
        help(&self.clashes)
    }
}

/// What can be done about parts that are in each other's way.
fn help(clashes: &[Clash]) -> &'static str {
    let by =
        |label: fn(&str) -> bool| clashes.iter().any(|clash| label(&clash.first.part) || label(&clash.second.part));
    if by(|label| label.starts_with('`')) {
        "the whole world goes with nothing that writes, and `&mut World` with nothing at all: name what is needed of it instead"
    } else if by(|label| label.starts_with("query")) {
        "ask for both in one query, or keep the two apart: `With<T>` for one, `Without<T>` for the other"
    } else {
        "ask for it once, to be written: that allows reading too"
    }
}

impl std::error::Error for PartConflict {}
debug_as_display!(PartConflict);
