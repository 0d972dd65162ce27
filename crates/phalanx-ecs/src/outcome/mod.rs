//! What comes of deferred commands: errors that say who asked for what, what is done about them, and who has died lately.
//!
//! | file | idea |
//! |---|---|
//! | `error` | [`CommandError`], [`CommandErrors`]: what could not be done |
//! | `deaths` | who despawned whom, for as many as a world remembers |
//! | `application` | [`Policy`], and the state of a queue while it is applied |

mod application;
mod deaths;
mod error;

pub use application::Policy;
pub(crate) use application::{Application, ApplicationId, Underway};
pub(crate) use deaths::Deaths;
pub use error::{CommandError, CommandErrors, CommandFault};
