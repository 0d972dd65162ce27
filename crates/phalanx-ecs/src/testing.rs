//! For tests of programs that use Phalanx: [`LeakCheck`] counts values, and says by type what is left of them.
//!
//! | to count | use |
//! |---|---|
//! | values made in the test | [`LeakCheck::count`], which wraps a component |
//! | values of a component as it is | a [`Witness`] as one of its fields, from [`LeakCheck::witness`] |
//! | what a world holds now | [`World::live_values`](crate::World::live_values) |
//!
//! ```
//! use phalanx_ecs::prelude::*;
//! use phalanx_ecs::testing::LeakCheck;
//!
//! #[derive(Component)] struct Health(u32);
//!
//! let check = LeakCheck::new();
//! let mut world = World::new();
//! world.spawn_batch([3, 2, 1].map(|health| check.count(Health(health))));
//! world.clear();
//! assert!(check.finish().is_ok(), "nothing is left");
//! ```

pub use crate::component::{Counted, LeakCheck, LiveValues, ValueCount, ValuesLeft, Witness};
