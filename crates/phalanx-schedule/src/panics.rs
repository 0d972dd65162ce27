//! User code that panics (systems, queued commands, handlers, drops), and keeping what must still happen from being skipped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Keeps the first panic of several steps, so that the steps after it still happen. If another panic goes by first, this one is dropped.
#[derive(Default)]
pub(crate) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    /// Does a step; its answer, if it did not panic.
    pub(crate) fn catch<T>(&mut self, step: impl FnOnce() -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(answer) => Some(answer),
            Err(panic) => {
                self.keep(panic);
                None
            }
        }
    }

    /// Keeps a panic, if it is the first.
    #[cold]
    fn keep(&mut self, panic: Box<dyn Any + Send>) {
        match &self.0 {
            None => self.0 = Some(panic),
            Some(_) => discard(panic),
        }
    }

    /// Whether there was one.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.0.is_some()
    }

    /// The first panic, if there was one.
    pub(crate) fn take(&mut self) -> Option<Box<dyn Any + Send>> {
        self.0.take()
    }

    /// Lets the first panic go on, if there was one.
    pub(crate) fn resume(mut self) {
        if let Some(panic) = self.take() {
            resume_unwind(panic);
        }
    }
}

impl From<Box<dyn Any + Send>> for Panics {
    fn from(panic: Box<dyn Any + Send>) -> Self {
        Self(Some(panic))
    }
}

impl Drop for Panics {
    #[inline]
    fn drop(&mut self) {
        if let Some(panic) = self.take() {
            discard(panic);
        }
    }
}

/// Drops what a panic carried, which is somebody's code too: it may panic, and so may what that panic carried. Somewhere there is an end.
#[cold]
fn discard(mut panic: Box<dyn Any + Send>) {
    for _ in 0..4 {
        match catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            Ok(()) => return,
            Err(next) => panic = next,
        }
    }
    std::mem::forget(panic);
}
