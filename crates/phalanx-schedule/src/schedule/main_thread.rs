//! Those that wait for the thread that calls `run`.
//!
//! ```text
//! threads of the pool ─► bring(3) ─► [ 3 | 5 ] ─► wait() ─► the thread that calls `run`
//! ```

use rayon::Yield;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
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

    /// The next one, once there is one. Who calls this from within a pool lends a hand meanwhile: in a pool of one thread nobody else would.
    pub(super) fn wait(&self) -> u32 {
        loop {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = queue.pop_front() {
                return at;
            }
            if rayon::current_thread_index().is_none() {
                queue = self.came.wait(queue).unwrap_or_else(PoisonError::into_inner);
                drop(queue);
                continue;
            }
            drop(queue);
            if rayon::yield_now() != Some(Yield::Executed) {
                let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                if queue.is_empty() {
                    drop(self.came.wait_timeout(queue, NAP).unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }
}
