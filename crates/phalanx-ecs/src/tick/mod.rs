//! The lowest layer: a count of what was written, by which readers know what is new to them.
//!
//! There is no time of day here and no frame: a [`Tick`] only says what came before what, in one world.

mod clock;

pub(crate) use clock::Clock;
pub use clock::Tick;
