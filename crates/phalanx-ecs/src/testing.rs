//! For tests of programs that use Phalanx: [`LeakCheck`] counts values, and says by type what is left of them.
//!
//! | to count | use |
//! |---|---|
//! | values made in the test | [`LeakCheck::count`], which wraps a component |
//! | values of a component as it is | a [`Witness`] as one of its fields, from [`LeakCheck::witness`] |
//! | what a world holds now | [`World::live_values`](crate::World::live_values) |

pub use crate::component::{Counted, LeakCheck, LiveValues, ValueCount, ValuesLeft, Witness};
