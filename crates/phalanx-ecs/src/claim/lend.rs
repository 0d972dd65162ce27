//! [`Lend`]: a world that is lent in parts.

#![expect(unsafe_code, reason = "the right to a world is dealt out to whoever claims a part of it")]

use super::claim::Claim;
use super::conflict::Conflict;
use super::list::ClaimList;
use super::plan::{Facts, Plan};
use crate::entity::debug_as_display;
use crate::storage::Epoch;
use crate::world::World;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::NonNull;

/// A world that is lent in parts, to any number of threads; made by [`World::lend`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn((Position(0.0), Health(1)));
///
/// let mut plan = world.plan("move");
/// let mut positions = plan.query::<&mut Position>()?;
/// let moving = plan.build();
/// let mut plan = world.plan("heal");
/// let mut healths = plan.query::<&mut Health>()?;
/// let healing = plan.build();
///
/// let lend = world.lend();
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let claim = lend.claim(&moving).unwrap();
///         claim.query(&mut positions).unwrap().for_each(|position| position.0 += 1.0);
///     });
///     scope.spawn(|| {
///         let claim = lend.claim(&healing).unwrap();
///         claim.query(&mut healths).unwrap().for_each(|health| health.0 += 1);
///     });
/// });
/// let (position, health) = world.query::<(&Position, &Health)>().single()?;
/// assert_eq!((position.0, health.0), (1.0, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The world cannot be used otherwise until the last use of the lend. A claim that is forgotten ([`std::mem::forget`]) keeps its
/// part to the end of the lend.
pub struct Lend<'w> {
    /// Borrowed exclusively for `'w`. Who may use what of it is said by `out`.
    world: NonNull<World>,
    /// Which world it was at first. Who claims all of it can put another in its place.
    birth: Epoch,
    out: ClaimList,
    _world: PhantomData<&'w mut World>,
}

// SAFETY: a lend is an exclusive borrow of a world that can be sent (`World: Send`); `fits` keeps it so.
unsafe impl Send for Lend<'_> {}
// SAFETY: through a shared lend one can only claim. Claims on several threads use different parts of the world, or read the same
// (`World: Sync`), or have it alone (`World: Send`); the list that decides it is behind a lock.
unsafe impl Sync for Lend<'_> {}

const fn fits<T: Send + Sync>() {}
const _: () = fits::<World>();

/// # Lending the world in parts
impl World {
    /// Lends the world in parts: see [`Lend`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("load");
    /// let mut all = plan.world_mut()?;
    /// let plan = plan.build();
    ///
    /// let lend = world.lend();
    /// lend.claim(&plan)?.world_mut(&mut all)?.spawn(());
    /// assert_eq!(world.alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lend(&mut self) -> Lend<'_> {
        self.store.keep_ticks_in_range();
        let birth = self.store.birth();
        Lend { world: NonNull::from(self), birth, out: ClaimList::new(), _world: PhantomData }
    }
}

impl Lend<'_> {
    /// Claims what a plan names, until the claim is dropped.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut plan = world.plan("win");
    /// plan.resource_mut::<Score>()?;
    /// let plan = plan.build();
    ///
    /// let lend = world.lend();
    /// let first = lend.claim(&plan)?;
    /// assert!(lend.claim(&plan).is_err(), "it is claimed");
    /// drop(first);
    /// assert!(lend.claim(&plan).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClaimError`] if the plan overlaps one that is claimed, or was made for another world.
    #[inline]
    #[track_caller]
    pub fn claim<'a>(&'a self, plan: &'a Plan) -> Result<Claim<'a>, ClaimError> {
        let facts = &plan.facts;
        // Plans in the list are of one world, so that their numbers mean the same.
        if facts.world == self.birth {
            let place = match self.out.enter(facts) {
                Ok(place) => place,
                Err(other) => return Err(refuse(facts, &other, Location::caller())),
            };
            // SAFETY: (1) the world is borrowed exclusively by the lend, which is borrowed for `'a`; the plan has entered the list, so no other
            // in it writes what this one names, nor names what this one writes. (2) The place is that of the plan.
            if let Some(claim) = unsafe { Claim::entered(self.world, facts, &self.out, place) } {
                return Ok(claim);
            }
        }
        Err(ClaimError::OtherWorld(OtherWorld::new(facts, Location::caller())))
    }

    /// How many claims are out, forgotten ones included.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let plan = world.plan("nothing").build();
    /// let lend = world.lend();
    /// let claim = lend.claim(&plan)?;
    /// assert_eq!(lend.claims(), 1);
    /// drop(claim);
    /// assert_eq!(lend.claims(), 0);
    /// # Ok::<(), phalanx_ecs::ClaimError>(())
    /// ```
    pub fn claims(&self) -> usize {
        self.out.len()
    }
}

#[cold]
#[inline(never)]
fn refuse(plan: &Facts, claimed: &Facts, caller: &'static Location<'static>) -> ClaimError {
    ClaimError::Overlap(ClaimConflict { conflict: plan.conflict(claimed), caller })
}

impl fmt::Debug for Lend<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lend(claims: {})", self.claims())
    }
}

/// A plan could not be claimed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ClaimError;
///
/// let (mut here, mut there) = (World::new(), World::new());
/// let mut plan = here.plan("look");
/// plan.world()?;
/// let plan = plan.build();
/// assert!(matches!(there.lend().claim(&plan), Err(ClaimError::OtherWorld(_))));
/// # Ok::<(), phalanx_ecs::PlanError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimError {
    /// It overlaps a plan that is claimed.
    Overlap(ClaimConflict),
    /// It was made for another world.
    OtherWorld(OtherWorld),
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap(error) => error.fmt(f),
            Self::OtherWorld(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ClaimError {}
debug_as_display!(ClaimError);

/// A plan overlaps one that is claimed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ClaimError;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut heal = world.plan("heal");
/// heal.query::<&mut Health>()?;
/// let heal = heal.build();
///
/// let lend = world.lend();
/// let first = lend.claim(&heal)?;
/// let Err(ClaimError::Overlap(error)) = lend.claim(&heal) else { unreachable!() };
/// assert_eq!(error.conflict.clashes[0].what, "component `Health`");
/// assert!(error.to_string().starts_with("error[L002]: plan `heal` cannot be claimed while `heal` is"));
///
/// drop(first);
/// assert!(lend.claim(&heal).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimConflict {
    /// What is in the way; the first plan is the one that was refused.
    pub conflict: Conflict,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for ClaimConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { conflict: Conflict { first, second, clashes }, caller } = self;
        writeln!(f, "error[L002]: plan `{first}` cannot be claimed while `{second}` is")?;
        clashes.iter().try_for_each(|clash| writeln!(f, "  {clash}"))?;
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        write!(
            f,
            "  help: wait until the claim of `{second}` is dropped; if it was forgotten (`mem::forget`), it is out until the lend ends"
        )
    }
}

impl std::error::Error for ClaimConflict {}
debug_as_display!(ClaimConflict);

/// A plan was made for another world than the one it was to be claimed in.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let (mut here, mut there) = (World::new(), World::new());
/// let plan = here.plan("heal").build();
/// let error = plan.claim_exclusive(&mut there).err().unwrap();
/// assert_eq!(error.plan, "heal");
/// assert!(error.to_string().starts_with("error[L004]: plan `heal` was made for another world"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherWorld {
    /// The name of the plan.
    pub plan: String,
    /// Where it was made.
    pub made: &'static Location<'static>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl OtherWorld {
    #[cold]
    pub(super) fn new(plan: &Facts, caller: &'static Location<'static>) -> Self {
        Self { plan: plan.head.name.clone(), made: plan.head.caller, caller }
    }
}

impl fmt::Display for OtherWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, made, caller } = self;
        write!(
            f,
            "error[L004]: plan `{plan}` was made for another world\n  found: made at {}:{}\n  asked by: {}:{}\n  help: each world has plans of its own: make one with `world.plan(\"{plan}\")` of the world that is lent",
            made.file(),
            made.line(),
            caller.file(),
            caller.line()
        )
    }
}

impl std::error::Error for OtherWorld {}
debug_as_display!(OtherWorld);
