//! The arguments that functions of systems can have.

mod commands;
mod events;
mod local;
mod main_thread;
mod query;
mod resource;
mod surroundings;
mod world;

pub use events::{Losses, Reader, Writer};
pub use local::Local;
pub use main_thread::{Main, MainMut, insert_main, take_main};
pub use resource::Res;
