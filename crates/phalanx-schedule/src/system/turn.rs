//! [`Turn`]: one run of a system.

use super::system::Moment;
use crate::ids::SystemId;
use crate::time::Time;
use phalanx_ecs::Claim;
use std::fmt;

/// One run of a system: what its arguments are taken from. Who writes a [`Param`](crate::Param) gets to see it.
///
/// ```
/// use phalanx_ecs::{PlanBuilder, PlanError};
/// use phalanx_schedule::{ArgumentError, Engine, Param, Turn};
///
/// /// How many minutes have passed.
/// struct Minutes(u64);
///
/// impl Param for Minutes {
///     type State = ();
///     type Item<'a> = Minutes;
///
///     fn plan(_: &mut PlanBuilder<'_>) -> Result<(), PlanError> {
///         Ok(())
///     }
///
///     fn take<'a>(_: &'a mut (), turn: &'a Turn<'a>) -> Result<Minutes, ArgumentError> {
///         Ok(Minutes(turn.time().elapsed().as_secs() / 60))
///     }
/// }
///
/// let mut engine = Engine::new();
/// engine.add(|minutes: Minutes| assert_eq!(minutes.0, 2))?;
/// engine.run_frame(std::time::Duration::from_secs(130))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Turn<'a> {
    pub(super) claim: Claim<'a>,
    pub(super) moment: &'a Moment,
}

impl<'a> Turn<'a> {
    /// The right to what the system's plan names: tickets become queries, resources and events here.
    ///
    /// ```
    /// use phalanx_ecs::{PlanBuilder, PlanError};
    /// use phalanx_schedule::{ArgumentError, Engine, Param, Turn};
    ///
    /// /// What the system is called.
    /// struct Called(String);
    ///
    /// impl Param for Called {
    ///     type State = ();
    ///     type Item<'a> = Called;
    ///
    ///     fn plan(_: &mut PlanBuilder<'_>) -> Result<(), PlanError> {
    ///         Ok(())
    ///     }
    ///
    ///     fn take<'a>(_: &'a mut (), turn: &'a Turn<'a>) -> Result<Called, ArgumentError> {
    ///         Ok(Called(turn.claim().name().to_owned()))
    ///     }
    /// }
    ///
    /// fn greet(called: Called) {
    ///     assert_eq!(called.0, "greet");
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(greet)?;
    /// engine.run_frames(1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn claim(&self) -> &Claim<'a> {
        &self.claim
    }

    /// The time as the system is to see it.
    ///
    /// ```
    /// use phalanx_ecs::{PlanBuilder, PlanError};
    /// use phalanx_schedule::{ArgumentError, Engine, Param, Turn};
    ///
    /// /// Whether this is the first run of the group.
    /// struct First(bool);
    ///
    /// impl Param for First {
    ///     type State = ();
    ///     type Item<'a> = First;
    ///
    ///     fn plan(_: &mut PlanBuilder<'_>) -> Result<(), PlanError> {
    ///         Ok(())
    ///     }
    ///
    ///     fn take<'a>(_: &'a mut (), turn: &'a Turn<'a>) -> Result<First, ArgumentError> {
    ///         Ok(First(turn.time().count() == 0))
    ///     }
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|first: First| assert!(first.0))?;
    /// engine.run_frames(1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time(&self) -> Time {
        self.moment.time
    }

    /// The system whose turn it is.
    ///
    /// ```
    /// use phalanx_ecs::{PlanBuilder, PlanError};
    /// use phalanx_schedule::{ArgumentError, Engine, Param, Turn};
    ///
    /// /// Which system it is.
    /// struct Me(phalanx_schedule::SystemId);
    ///
    /// impl Param for Me {
    ///     type State = ();
    ///     type Item<'a> = Me;
    ///
    ///     fn plan(_: &mut PlanBuilder<'_>) -> Result<(), PlanError> {
    ///         Ok(())
    ///     }
    ///
    ///     fn take<'a>(_: &'a mut (), turn: &'a Turn<'a>) -> Result<Me, ArgumentError> {
    ///         Ok(Me(turn.system()))
    ///     }
    /// }
    ///
    /// let mut engine = Engine::new();
    /// let me = engine.add(|| ())?.id();
    /// assert_ne!(engine.add(move |it: Me| assert_ne!(it.0, me))?.id(), me);
    /// engine.run_frames(1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn system(&self) -> SystemId {
        self.moment.system
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({})", self.claim.name())
    }
}
