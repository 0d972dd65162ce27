//! Why a claim does not hand out a part.

use super::plan::Facts;
use super::ticket::Stub;
use crate::entity::debug_as_display;
use crate::world::NoResource;
use std::fmt;
use std::panic::Location;

/// A ticket was shown to a claim of another plan.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let mut heal = world.plan("heal");
/// let mut healths = heal.query::<&mut Health>()?;
/// let _heal = heal.build();
/// let draw = world.plan("draw").build();
///
/// let claim = draw.claim_exclusive(&mut world)?;
/// let error = claim.query(&mut healths).err().unwrap();
/// assert_eq!((&*error.of, &*error.claimed), ("heal", "draw"));
/// assert!(error.to_string().starts_with("error[L003]: a ticket of plan `heal` was shown to a claim of plan `draw`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongTicket {
    /// The name of the plan whose ticket it is.
    pub of: String,
    /// Who asked for the part the ticket is for.
    pub made: &'static Location<'static>,
    /// The name of the plan that is claimed.
    pub claimed: String,
    /// Where that was made.
    pub claimed_made: &'static Location<'static>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl WrongTicket {
    #[cold]
    #[inline(never)]
    pub(super) fn new(stub: &Stub, claimed: &Facts, caller: &'static Location<'static>) -> Self {
        Self {
            of: stub.head.name.clone(),
            made: stub.caller,
            claimed: claimed.head.name.clone(),
            claimed_made: claimed.head.caller,
            caller,
        }
    }
}

impl fmt::Display for WrongTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, made, claimed, claimed_made, caller } = self;
        writeln!(f, "error[L003]: a ticket of plan `{of}` was shown to a claim of plan `{claimed}`")?;
        writeln!(f, "  ticket: made at {}:{}", made.file(), made.line())?;
        writeln!(f, "  plan: `{claimed}`, made at {}:{}", claimed_made.file(), claimed_made.line())?;
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        write!(f, "  help: show it to a claim of `{of}`, or use a ticket that the builder of `{claimed}` handed out")
    }
}

impl std::error::Error for WrongTicket {}
debug_as_display!(WrongTicket);

/// A part of a claim that must be there could not be had.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::PartError;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let mut plan = world.plan("show");
/// let score = plan.resource::<Score>()?;
/// let plan = plan.build();
/// let claim = plan.claim_exclusive(&mut world)?;
/// assert!(matches!(claim.resource(&score), Err(PartError::NoResource(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartError {
    /// The ticket belongs to another plan.
    WrongTicket(WrongTicket),
    /// The resource is not there.
    NoResource(NoResource),
}

impl From<WrongTicket> for PartError {
    fn from(error: WrongTicket) -> Self {
        Self::WrongTicket(error)
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongTicket(error) => error.fmt(f),
            Self::NoResource(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PartError {}
debug_as_display!(PartError);
