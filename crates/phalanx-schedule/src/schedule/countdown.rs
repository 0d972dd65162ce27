//! Who still waits for how many.

#[cfg(loom)]
use loom::sync::atomic::AtomicU32;
#[cfg(not(loom))]
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

/// By place in a stage: for how many it still waits, in the run that goes on.
#[derive(Debug, Default)]
pub(super) struct Countdown(Vec<AtomicU32>);

impl Countdown {
    pub(super) fn new(counts: &[u32]) -> Self {
        Self(counts.iter().map(|count| AtomicU32::new(*count)).collect())
    }

    /// Begins anew. Nobody else may count meanwhile.
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "models count down once"))]
    pub(super) fn reset(&self, counts: &[u32]) {
        for (left, count) in self.0.iter().zip(counts) {
            left.store(*count, Relaxed);
        }
    }

    /// One that somebody waits for is done. Answers whether that was the last one: then it is free, and whoever runs it sees what all those did.
    pub(super) fn is_free_now(&self, at: usize) -> bool {
        self.0[at].fetch_sub(1, AcqRel) == 1
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// Two systems side by side, and a third that waits for both: it runs once, and sees what both did.
    #[test]
    fn who_waits_for_two_runs_once_and_sees_what_both_did() {
        loom::model(|| {
            let shared =
                Arc::new((Countdown::new(&[2]), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)));
            let ran: Vec<_> = [false, true]
                .map(|second| {
                    let shared = Arc::clone(&shared);
                    loom::thread::spawn(move || {
                        let (countdown, a, b, runs) = &*shared;
                        if second { b } else { a }.store(1, Relaxed);
                        if countdown.is_free_now(0) {
                            runs.fetch_add(1, Relaxed);
                            assert_eq!((a.load(Relaxed), b.load(Relaxed)), (1, 1), "it sees what both did");
                        }
                    })
                })
                .into_iter()
                .collect();
            ran.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(shared.3.load(Relaxed), 1, "it runs once");
        });
    }

    /// A chain over three threads: what the first did is seen by the last.
    #[test]
    fn what_the_first_of_a_chain_did_is_seen_by_the_last() {
        loom::model(|| {
            // Place 0 waits for the first thread, place 1 for whoever runs place 0 and for the second thread.
            let shared = Arc::new((Countdown::new(&[1, 2]), AtomicUsize::new(0), AtomicUsize::new(0)));
            let finish = |shared: &(Countdown, AtomicUsize, AtomicUsize)| {
                if shared.0.is_free_now(1) {
                    assert_eq!(shared.1.load(Relaxed), 1);
                    shared.2.fetch_add(1, Relaxed);
                }
            };
            let first = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || {
                    shared.1.store(1, Relaxed);
                    if shared.0.is_free_now(0) {
                        finish(&shared);
                    }
                })
            };
            finish(&shared);
            first.join().unwrap();
            assert_eq!(shared.2.load(Relaxed), 1);
        });
    }
}
