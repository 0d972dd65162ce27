//! Events: queues of values that any number of readers see, each value once and in order.
//!
//! | file | idea |
//! |---|---|
//! | `kind` | [`Event`]: what can be one; [`Retention`]: for how long it is kept |
//! | `queue` | [`Events`]: the events of one type that are kept |
//! | `reader` | [`EventReader`]: how far somebody has read |
//! | `store` | [`EventQueues`]: the queues of a world |
//!
//! Queues know nothing of their readers, so a reader costs a queue nothing and can be dropped at any time.
//! Nothing here knows entities, tables or the world; the `World`'s own methods are in `world/events`.

mod kind;
mod queue;
mod reader;
mod store;

pub use kind::{Event, Retention};
pub use queue::Events;
pub use reader::{EventIter, EventReader, NumberedEventIter};
pub(crate) use store::{EventQueues, typed, typed_mut};
