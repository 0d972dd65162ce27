//! Work for the threads of a pool that borrows from here, while this thread does something else.
//!
//! ```text
//! here    give(3) ── give(5) ── … ──────────── wait ─┤ returns
//! pool           └─► work(3) ──┴─► work(5) ──► done ─┘
//! ```
//!
//! `rayon::in_place_scope` does this as well, but its last job says that all is done while it still holds a reference to the scope, which the waiting thread then frees.
//! Here a job holds nothing but a pointer and its part of what is counted; it says that it is done after the work has returned.

#![expect(unsafe_code, reason = "lends a borrowed function to threads that outlive the borrow")]

use rayon::{ThreadPool, Yield};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread of a pool sleeps before it looks again whether the pool has work for it.
const NAP: Duration = Duration::from_micros(50);

/// The threads of a pool, for as long as a call of [`Hands::with`] lasts.
pub struct Hands<'a> {
    pool: Option<&'a ThreadPool>,
    work: Work,
    given: Arc<Given>,
}

/// The work of all jobs of one call: a function that lives until the call ends, and how to call it.
#[derive(Clone, Copy)]
struct Work {
    function: *const (),
    call: unsafe fn(*const (), u32),
}

// SAFETY: made in `with` alone, from a function that is `Sync`; jobs do nothing but call it.
unsafe impl Send for Work {}

/// Calls a function that is known by its address.
///
/// # Safety
/// It points to a `W` that lives until this returns.
unsafe fn call<W: Fn(u32)>(function: *const (), at: u32) {
    // SAFETY: the caller's contract.
    unsafe { (*function.cast::<W>())(at) }
}

/// What was given away.
#[derive(Default)]
struct Given {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    panic: Option<Box<dyn Any + Send>>,
}

impl Given {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits, whatever happens, until all that was given away is done.
struct Wait<'a>(&'a Given);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let in_pool = rayon::current_thread_index().is_some();
        while self.0.state().running > 0 {
            // In a pool of one thread nobody else would do it.
            if in_pool && rayon::yield_now() == Some(Yield::Executed) {
                continue;
            }
            let state = self.0.state();
            if state.running == 0 {
                break;
            }
            if in_pool {
                drop(self.0.done.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner));
            } else {
                drop(self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

impl Hands<'_> {
    /// Calls `here`, which may give `work` to the threads of the pool (rayon's current one if none is named), and waits for all of it. A panic of `work` is passed on.
    pub fn with<W: Fn(u32) + Sync, R>(pool: Option<&ThreadPool>, work: &W, here: impl FnOnce(&Hands) -> R) -> R {
        let work = Work { function: std::ptr::from_ref(work).cast(), call: call::<W> };
        let given = Arc::<Given>::default();
        let result = {
            let _wait = Wait(&given);
            here(&Hands { pool, work, given: Arc::clone(&given) })
        };
        let panic = given.state().panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        result
    }

    /// Has the work done for this number, by some thread of the pool.
    pub fn give(&self, at: u32) {
        let (work, given) = (self.work, Arc::clone(&self.given));
        given.state().running += 1;
        let job = move || {
            let work = work;
            // SAFETY: it was counted before it was given, and is until the work has returned; so `with` has not, and the function it borrows is alive.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { (work.call)(work.function, at) }));
            let mut state = given.state();
            state.running -= 1;
            if let Err(panic) = result {
                state.panic.get_or_insert(panic);
            }
            if state.running == 0 {
                given.done.notify_all();
            }
        };
        match self.pool {
            Some(pool) => pool.spawn(job),
            None => rayon::spawn(job),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hands;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn what_is_given_away_is_done_when_the_call_returns_inside_a_pool_and_outside() {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let give = || {
                for _ in 0..if cfg!(miri) { 2 } else { 10 } {
                    let sum = AtomicU32::new(0);
                    let add = |at| {
                        sum.fetch_add(at, Relaxed);
                    };
                    Hands::with(Some(&pool), &add, |hands| {
                        (1..=4).for_each(|at| hands.give(at));
                    });
                    assert_eq!(sum.into_inner(), 10);
                }
            };
            give();
            pool.install(give);
        }
    }

    #[test]
    fn a_panic_there_or_here_is_passed_on_after_all_is_done() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for here in [false, true] {
            let sum = AtomicU32::new(0);
            let work = |at: u32| {
                sum.fetch_add(1, Relaxed);
                assert!(here || at != 2, "there");
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                Hands::with(Some(&pool), &work, |hands| {
                    (0..5).for_each(|at| hands.give(at));
                    assert!(!here, "here");
                });
            }));
            let said = result.expect_err("it panics");
            assert_eq!(said.downcast_ref::<&str>(), Some(if here { &"here" } else { &"there" }));
            assert_eq!(sum.into_inner(), 5);
        }
    }
}
