//! [`Turn`]: one run of a system.

use super::system::Moment;
use crate::ids::SystemId;
use crate::time::Time;
use phalanx_ecs::Claim;
use std::fmt;

/// One run of a system: what its arguments are taken from. Who writes a [`Param`](crate::Param) gets to see it.
pub struct Turn<'a> {
    pub(super) claim: Claim<'a>,
    pub(super) moment: &'a Moment,
}

impl<'a> Turn<'a> {
    /// The right to what the system's plan names: tickets become queries, resources and events here.
    pub fn claim(&self) -> &Claim<'a> {
        &self.claim
    }

    /// The time as the system is to see it.
    pub fn time(&self) -> Time {
        self.moment.time
    }

    /// The system whose turn it is.
    pub fn system(&self) -> SystemId {
        self.moment.system
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({})", self.claim.name())
    }
}
