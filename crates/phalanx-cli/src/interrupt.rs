//! Ctrl-C: the first one ends the demonstration early, with its summary; the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static HAPPENED: AtomicBool = AtomicBool::new(false);

/// Starts to watch. Where that is not possible, Ctrl-C ends the program at once, as it always did.
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(|| {
        if HAPPENED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether the user wants the program to end.
pub(crate) fn happened() -> bool {
    HAPPENED.load(Ordering::Relaxed)
}
