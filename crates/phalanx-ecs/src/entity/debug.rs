//! Errors that `unwrap` shows as people should read them.

/// Makes `Debug` of an error say what its `Display` says: `unwrap`, `expect` and a `main` that returns it print with `Debug`.
macro_rules! debug_as_display {
    ($error:ty) => {
        impl core::fmt::Debug for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use debug_as_display;
