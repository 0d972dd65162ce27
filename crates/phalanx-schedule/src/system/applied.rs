//! What came of changes that were queued.

use crate::panics::Panics;
use phalanx_ecs::CommandErrors;

/// What could not be done of the changes that several arguments queued: errors of all of them, and the first panic. None keeps another from being applied, or from being told.
#[derive(Default)]
pub struct Applied {
    pub(crate) errors: Option<CommandErrors>,
    pub(crate) panics: Panics,
}

impl Applied {
    /// Applies what one argument queued, after others.
    pub(crate) fn note(&mut self, apply: &mut dyn FnMut() -> Result<(), CommandErrors>) {
        if let Some(Err(more)) = self.panics.catch(apply) {
            match &mut self.errors {
                None => self.errors = Some(more),
                Some(errors) => {
                    errors.errors.extend(more.errors);
                    errors.not_applied += more.not_applied;
                }
            }
        }
    }

    /// For who can be told one of both alone: the panic goes on, if there was one.
    pub(crate) fn finish(self) -> Result<(), CommandErrors> {
        let Self { errors, panics } = self;
        panics.resume();
        errors.map_or(Ok(()), Err)
    }

    /// Whether all was done.
    #[inline]
    pub(crate) fn is_fine(&self) -> bool {
        self.errors.is_none() && !self.panics.any()
    }
}
