//! What a component does by itself, as far as this layer knows: for which acts.

use super::Watch;
use std::any::Any;
use std::fmt;

/// What a component does by itself when it comes and goes, as [`Component::HOOKS`](super::Component::HOOKS) has it; made by
/// [`Hooks::own`](crate::Hooks::own).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Trigger;
///
/// #[derive(Component)] #[component(on_remove = farewell)] struct Guest;
/// #[derive(Component)] struct Stone;
///
/// fn farewell(_: &mut Trigger<'_>) {}
///
/// assert!(Guest::HOOKS.is_some() && Stone::HOOKS.is_none());
/// ```
#[derive(Clone, Copy)]
pub struct OwnHooks {
    pub(crate) watch: Watch,
    /// Whether values are looked at before they come.
    pub(crate) checked: bool,
    /// The functions, which belong to a layer above.
    pub(crate) functions: &'static (dyn Any + Send + Sync),
}

impl fmt::Debug for OwnHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnHooks").finish_non_exhaustive()
    }
}
