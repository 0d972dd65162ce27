//! Layer 5: claims, the safe way to lend one world to several threads at once, in parts.
//!
//! ```text
//! once        world.plan("move") ──query, resource, …──► tickets, one per part ──build──► Plan: what the parts use
//! each time   world.lend() ──► Lend ──claim(&plan)──► Claim ──query(&mut ticket)──► Query
//!                               │                       │
//!                               └ list of plans that    └ dropped: its plan leaves the list
//!                                 are claimed now
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `access` | what the parts of a plan use, and whether two plans get in each other's way |
//! | `conflict` | the same, in words |
//! | `plan` | [`Plan`] and its [`PlanBuilder`], which refuses parts that get in each other's way |
//! | `ticket` | what a part keeps between uses |
//! | `list` | the plans that are claimed now |
//! | `lend` | [`Lend`]: a world that is lent in parts |
//! | `claim` | [`Claim`]: the right to what a plan names; here a ticket becomes a query |
//! | `refused` | why it does not |
//! | `hands` | [`Hands`]: work for a pool's threads that borrows from here |
//!
//! While parts are lent nothing structural happens: who wants that claims the whole world. What is claimed is a matter of plans, not of
//! tickets: whatever a claim's tickets hand out was named by the plan, and no other claim of the same lend names it too.

mod access;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod claim;
mod conflict;
#[cfg(feature = "parallel")]
mod hands;
mod lend;
mod list;
mod plan;
mod refused;
mod ticket;

pub use claim::Claim;
pub use conflict::{Clash, ClashSide, Conflict};
#[cfg(feature = "parallel")]
pub use hands::Hands;
pub use lend::{ClaimConflict, ClaimError, Lend, OtherWorld};
pub use plan::{PartConflict, Plan, PlanBuilder, PlanError};
pub use refused::{PartError, WrongTicket};
pub use ticket::{
    EventsMutTicket, EventsTicket, QueryTicket, ResourceMutTicket, ResourceTicket, WorldMutTicket, WorldTicket,
};
