//! [`Outcome`]: what the function of a system may return.

use std::error::Error;

/// What the function of a system in a schedule may return: nothing, or a `Result` whose error is reported with the system's name.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::run_once;
///
/// #[derive(Component)] struct Player;
///
/// fn find_player(players: Query<&Player>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///     players.single()?;
///     Ok(())
/// }
///
/// let error = run_once(&mut World::new(), find_player).unwrap().unwrap_err();
/// assert!(error.to_string().contains("Player"));
/// ```
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "the function of this system returns `{Self}`",
    note = "systems return nothing or a `Result<(), E>`; what others return can be handed on with `pipe`",
    note = "the error must be `Send + Sync`: return `phalanx::Result`, or `Result<(), Box<dyn Error + Send + Sync>>` instead of `Result<(), Box<dyn Error>>`; a type of your own needs `impl std::error::Error for …`"
)]
pub trait Outcome: 'static {
    /// The error, if it is one.
    ///
    /// ```
    /// use phalanx_schedule::Outcome;
    ///
    /// assert!(().check().is_ok());
    /// assert_eq!(Err::<(), _>("no such file").check().unwrap_err().to_string(), "no such file");
    /// ```
    ///
    /// # Errors
    /// What the function returned as an error.
    fn check(self) -> Result<(), Box<dyn Error + Send + Sync>>;
}

impl Outcome for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}

// Why an error does not fit is said by the trait; the compiler would speak of threads and sizes.
#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>> + 'static> Outcome for Result<(), E> {
    #[inline]
    fn check(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.map_err(Into::into)
    }
}
