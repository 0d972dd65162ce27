//! [`Lendable`]: a value that can be lent to be written through a shared reference to what it is part of.

#![expect(unsafe_code, reason = "hands out exclusive access through a shared reference, on the word of who asks")]

use std::cell::UnsafeCell;

/// A value that is shared like any other, but for [`Lendable::get_mut_unchecked`].
#[derive(Default)]
pub(crate) struct Lendable<T>(UnsafeCell<T>);

// SAFETY: shared access hands out `&T` (so `T: Sync`), or, to who keeps the contract of `get_mut_unchecked`, one `&mut T` and nothing
// beside it (so `T: Send`).
unsafe impl<T: Send + Sync> Sync for Lendable<T> {}

impl<T> Lendable<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self) -> &T {
        // SAFETY: whoever got `&mut T` through a shared reference has promised that nobody comes here as long as it lives.
        unsafe { &*self.0.get() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// The value to write, through a shared reference.
    ///
    /// # Safety
    /// 1. As long as the answer lives nobody else uses the value, neither by this function nor by `get`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[expect(clippy::mut_from_ref, reason = "that is what the cell is for")]
    pub(crate) unsafe fn get_mut_unchecked(&self) -> &mut T {
        // SAFETY: unaliased by (1); the cell is borrowed as long as the answer lives.
        unsafe { &mut *self.0.get() }
    }
}
