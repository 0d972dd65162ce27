//! Phalanx: an entity component system that is fast, sound, deterministic and explains itself.
//!
//! ```
//! use phalanx::prelude::*;
//!
//! #[derive(Component)]
//! struct Position { x: f32, y: f32 }
//! #[derive(Component)]
//! struct Velocity { x: f32, y: f32 }
//!
//! let mut world = World::new();
//! let ball = world.spawn((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 0.5 }));
//! for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
//!     position.x += velocity.x;
//!     position.y += velocity.y;
//! }
//! assert_eq!(world.get::<Position>(ball).map(|p| p.y), Some(0.5));
//! ```
//!
//! Start at [`World`]; [`prelude`] has what most programs need. This crate is a front: all but [`Result`] and [`Error`] comes from
//! [`phalanx_ecs`].
//!
//! # Features
//! `parallel` (on by default): `par_for_each` and its kind, on [rayon](https://docs.rs/rayon)'s pool.

#![forbid(unsafe_code)]

pub mod prelude;

#[doc(hidden)]
pub use phalanx_ecs::__private;
#[doc(inline)]
pub use phalanx_ecs::*;

/// What a program's `main` returns: any error of Phalanx fits, and prints itself.
///
/// ```
/// use phalanx::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn main() -> phalanx::Result {
///     let mut world = World::new();
///     let orc = world.spawn(Health(10));
///     world.lookup_mut::<Health>(orc)?.0 -= 1;
///     world.despawn(orc)?;
///     Ok(())
/// }
/// ```
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Any error. It is shown as it prints itself, also where `main` returns it.
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

/// As `Display`: this is what people see when `main` returns an error.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The programs in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
