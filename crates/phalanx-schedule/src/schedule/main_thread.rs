//! Those that wait for the thread that calls `run`.
//!
//! ```text
//! threads of the pool ─► bring(3) ─► [ 3 | 5 ] ─► wait() ─► the thread that calls `run`
//! ```
//!
//! # Why nobody waits for ever
//! 1. Each system of a stage that must run here is brought once: at the beginning if it waits for nobody, else by whoever finishes the last one that it waits for; the
//!    countdown finds that out exactly once, and a system that fails or panics counts as well. So there are as many to wait for as `serve` takes.
//! 2. What is brought is not missed: it is put into the queue under the lock under which `wait` sees that the queue is empty before it sleeps.
//! 3. A thread outside the pool only waits for what threads of the pool do, and those never wait for it: they bring, and go on.
//! 4. A thread of a pool does the pool's work meanwhile, so it may begin something else on top of what waits. That comes to its end: whoever waits (here, or in a join
//!    of a pool) waits for what it gave out itself, which is begun later than it; and what is begun on top of it is begun later, too. So all waiting goes from what was
//!    begun earlier to what was begun later, and there is no circle. Work that nobody has begun is begun by any thread of its pool that waits.
//!
//! The models below try 1 to 3, and helping, in every order of threads, and without the nap: that is there only so that a thread of a pool sees work that comes
//! while it sleeps. Work on top of work is left to the argument.

#[cfg(loom)]
use loom::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// How long a thread of a pool sleeps before it looks again whether the pool has work for it.
const NAP: Duration = Duration::from_micros(50);

/// Systems, by place in their stage, that are free to be run by the thread that calls `run`, oldest first.
#[derive(Debug, Default)]
pub(super) struct Counter {
    queue: Mutex<VecDeque<u32>>,
    came: Condvar,
}

impl Counter {
    /// One is free.
    pub(super) fn bring(&self, at: u32) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(at);
        self.came.notify_one();
    }

    /// The next one, once there is one. Who calls this from within a pool lends a hand meanwhile, because in a pool of one thread nobody else would: `help` does a
    /// piece of the pool's work, and answers whether there was one.
    pub(super) fn wait(&self, mut help: Option<impl FnMut() -> bool>) -> u32 {
        loop {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = queue.pop_front() {
                return at;
            }
            let Some(help) = &mut help else {
                drop(self.came.wait(queue).unwrap_or_else(PoisonError::into_inner));
                continue;
            };
            drop(queue);
            if !help() {
                queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if queue.is_empty() {
                    drop(self.came.wait_timeout(queue, NAP).unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::schedule::countdown::Countdown;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread::{self, JoinHandle};
    use std::sync::atomic::Ordering::Relaxed;

    const OUTSIDE: Option<fn() -> bool> = None;

    /// Two threads bring one each while a third takes both: it is never left asleep, and sees what they did.
    #[test]
    fn who_waits_outside_gets_all_that_is_brought_and_sees_what_was_done_before() {
        loom::model(|| {
            let shared = Arc::new((Counter::default(), [AtomicUsize::new(0), AtomicUsize::new(0)]));
            let bringing = [0, 1].map(|at: u32| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.1[at as usize].store(7, Relaxed);
                    shared.0.bring(at);
                })
            });
            let mut got = [0, 0].map(|_| {
                let at = shared.0.wait(OUTSIDE);
                assert_eq!(shared.1[at as usize].load(Relaxed), 7);
                at
            });
            got.sort_unstable();
            assert_eq!(got, [0, 1], "each once");
            bringing.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    /// A system of the main thread waits for two beside it, frees a third, and another one of the main thread waits for that.
    #[test]
    fn stages_in_which_the_threads_wait_for_each_other_in_turn_come_to_their_end() {
        loom::model(|| {
            // Place 0 waits for the two threads at the beginning, place 1 for one that place 0 sets free.
            let shared = Arc::new((Counter::default(), Countdown::new(&[2, 1]), AtomicUsize::new(0)));
            let finish = |then: u32, shared: &Arc<(Counter, Countdown, AtomicUsize)>| -> JoinHandle<()> {
                let shared = Arc::clone(shared);
                thread::spawn(move || {
                    shared.2.fetch_add(1, Relaxed);
                    if shared.1.is_free_now(then as usize) {
                        shared.0.bring(then);
                    }
                })
            };
            let mut threads = vec![finish(0, &shared), finish(0, &shared)];
            assert_eq!((shared.0.wait(OUTSIDE), shared.2.load(Relaxed)), (0, 2));
            threads.push(finish(1, &shared));
            assert_eq!((shared.0.wait(OUTSIDE), shared.2.load(Relaxed)), (1, 3));
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    /// Work of a pool: the first piece brings one and leaves a second piece, which brings another.
    struct Pool {
        work: Mutex<VecDeque<u32>>,
        counter: Counter,
    }

    impl Pool {
        fn new() -> Self {
            Self { work: Mutex::new(VecDeque::from([0])), counter: Counter::default() }
        }

        /// Does a piece of work, and answers whether there was one.
        fn help(&self) -> bool {
            let Some(piece) = self.work.lock().unwrap().pop_front() else { return false };
            if piece == 0 {
                self.work.lock().unwrap().push_back(1);
            }
            self.counter.bring(piece);
            true
        }
    }

    /// In a pool of one thread: nobody else does the work. A nap would be for ever in this model.
    #[test]
    fn who_waits_in_a_pool_of_one_thread_does_the_work_itself() {
        loom::model(|| {
            let pool = Pool::new();
            assert_eq!([0, 1].map(|_| pool.counter.wait(Some(|| pool.help()))), [0, 1]);
        });
    }

    /// In a pool of two: whoever takes a piece, all is brought, and who sleeps is woken.
    #[test]
    fn who_waits_in_a_pool_is_woken_by_what_others_do_of_the_work() {
        loom::model(|| {
            let pool = Arc::new(Pool::new());
            let other = Arc::clone(&pool);
            let other = thread::spawn(move || while other.help() {});
            let mut got = [0, 1].map(|_| pool.counter.wait(Some(|| pool.help())));
            got.sort_unstable();
            assert_eq!(got, [0, 1]);
            other.join().unwrap();
        });
    }
}
