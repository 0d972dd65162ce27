//! Panics between steps of which all have to be done.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The first panic of several steps. It keeps none of the others from being done, and goes on behind them.
#[derive(Default)]
#[must_use = "`resume` lets the panic go on"]
pub(crate) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    /// Does a step.
    pub(crate) fn catch(&mut self, step: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(step)) {
            self.0.get_or_insert(payload);
        }
    }

    /// All steps are done.
    pub(crate) fn resume(self) {
        if let Some(payload) = self.0 {
            resume_unwind(payload);
        }
    }
}
