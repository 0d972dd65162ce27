//! Values of a system's own.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use phalanx_ecs::{PlanBuilder, PlanError};
use std::ops::{Deref, DerefMut};

/// A value of the system's own, kept from run to run: an argument of a system. It begins with its default.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Local, System};
///
/// let mut world = World::new();
/// let mut count = System::new(&mut world, |mut runs: Local<u32>| {
///     *runs += 1;
///     *runs
/// })?;
/// assert_eq!((count.run(&mut world)?, count.run(&mut world)?), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Local<'a, T: Default + Send + 'static>(&'a mut T);

impl<T: Default + Send + 'static> Deref for Local<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: Default + Send + 'static> DerefMut for Local<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T: Default + Send + 'static> Param for Local<'_, T> {
    type State = T;
    type Item<'a> = Local<'a, T>;

    fn plan(_plan: &mut PlanBuilder<'_>) -> Result<T, PlanError> {
        Ok(T::default())
    }

    #[inline]
    fn take<'a>(state: &'a mut T, _turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(Local(state))
    }
}
