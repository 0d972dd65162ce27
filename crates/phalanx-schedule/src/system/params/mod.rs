//! The arguments that functions of systems can have.

mod commands;
mod events;
mod local;
mod query;
mod resource;
mod surroundings;
mod world;

pub use events::{Losses, Reader, Writer};
pub use local::Local;
pub use resource::Res;
