//! Ctrl-C: the first one stops the engine that runs, so that the demonstration ends with its summary; the second one ends the program.

use phalanx::Stopper;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static HAPPENED: AtomicBool = AtomicBool::new(false);
/// What stops the engine that runs.
static RUNNING: Mutex<Option<Stopper>> = Mutex::new(None);

/// Starts to watch. Where that is not possible, Ctrl-C ends the program at once, as it always did.
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(|| {
        if HAPPENED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        if let Some(stopper) = &*RUNNING.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.stop();
        }
    });
}

/// Lets Ctrl-C stop this engine from now on; if it was pressed before, at once.
pub(crate) fn stops(stopper: &Stopper) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    *running = Some(stopper.clone());
    // Who presses it now waits for the lock.
    if happened() {
        stopper.stop();
    }
}

/// Whether the user wants the program to end.
pub(crate) fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}
