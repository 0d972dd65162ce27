//! A stage while it is dealt out.
//!
//! ```text
//! stage [ a, b, c, d ]     c waits for a and b, d for nobody
//! begin: a, b, d are free ─► the heavy ones are handed over, the light ones run here
//! a is done: c waits for one ─ b is done: c is free ─► who finished b goes on with c
//! ```
//!
//! Who sets several heavy ones free goes on with one of them, and offers the others to whoever has nothing to do: `rayon::join`, one on top of the other. That is deeper
//! the longer such a way is, so at [`DEEP`] it stops, goes all the way back, and what is free then is handed over anew.
//!
//! Why not `rayon::scope`, which needs no depth: there the last job tells the waiting thread that all is done while it still holds a reference to the scope, which is
//! gone then; Tree Borrows forbids that, and Miri says so. `join` tells it after the job has returned.
//!
//! If some systems must run on the thread that calls `run`, that thread does not go to sleep meanwhile but serves them, each when it is free (`main_thread`). It is no
//! thread of the pool, so it cannot join; what it sets free it gives to [`Hands`]. A thread of the pool that waits within a system may take several of those jobs on top
//! of each other; from [`STACKED`] on it puts them off until one of those below is done.

use super::countdown::Countdown;
use super::fault::FaultKind;
use super::main_thread::Counter;
use super::schedule::Node;
use super::waits::Waits;
use crate::ids::SystemId;
use crate::system::{Moment, Place};
use crate::time::Time;
use phalanx_ecs::__private::Hands;
use phalanx_ecs::Lend;
use rayon::{ThreadPool, Yield};
use std::cell::{Cell, RefCell};
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who runs a system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Share {
    /// Whoever finds it free, at once.
    Light,
    /// It is worth to be handed over.
    Heavy,
    /// The thread that calls `run`.
    Main,
}

/// How many joins stand on top of each other on one thread at most. One takes about half a kilobyte of stack, and four times as much unoptimized.
const DEEP: u32 = 32;

/// How many jobs of [`Hands`] stand on top of each other on one thread at most, each with a system that waits.
const STACKED: usize = 8;

/// The job of [`Hands`] that hands over all that wait for nobody. No place: a stage has fewer.
const ALL: u32 = u32::MAX;

thread_local! {
    /// The stages whose jobs stand on top of each other on this thread.
    static JOBS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// How many joins stand on top of each other on this thread, of this stage and of those that it began meanwhile.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A job of a stage that stands on this thread, until it is dropped.
struct Job;

impl Job {
    /// `None` if too many stand here, and one of them is of this stage: it will come back to what is put off.
    fn begin(stage: usize) -> Option<Self> {
        JOBS.with_borrow_mut(|jobs| {
            let fits = jobs.len() < STACKED || !jobs.contains(&stage);
            fits.then(|| jobs.push(stage)).map(|()| Self)
        })
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        JOBS.with_borrow_mut(Vec::pop);
    }
}

/// Does one thing here, and another where somebody has time. Both answer what they set free and left to others.
fn join(here: impl FnOnce() -> Vec<u32> + Send, there: impl FnOnce() -> Vec<u32> + Send) -> Vec<u32> {
    DEPTH.set(DEPTH.get() + 1);
    let (mut left, more) = rayon::join(here, there);
    DEPTH.set(DEPTH.get() - 1);
    left.extend(more);
    left
}

/// A stage while it is dealt out.
pub(super) struct Dealing<'a> {
    pub(super) systems: &'a [SystemId],
    pub(super) nodes: &'a [Option<Node>],
    pub(super) waits: &'a Waits,
    pub(super) left: &'a Countdown,
    pub(super) shares: &'a [Share],
    /// Those that are free and run on the thread that calls `run`.
    pub(super) counter: Counter,
    pub(super) lend: &'a Lend<'a>,
    pub(super) time: Time,
    pub(super) failures: Mutex<Vec<(u32, FaultKind)>>,
    /// Jobs that were put off.
    pub(super) put_off: Mutex<Vec<u32>>,
}

impl Dealing<'_> {
    /// Runs all systems, none of which must run on the thread that calls `run`.
    pub(super) fn deal(&self, pool: Option<&ThreadPool>) {
        let mut light: Vec<u32> = self.free(Share::Light).collect();
        // The first one first.
        light.reverse();
        let (here, heavy) = (|| self.go_on(None, light, None), self.free(Share::Heavy).collect::<Vec<u32>>());
        let there = || self.hand_over(&heavy);
        let (mut left, more) = match pool {
            Some(pool) => pool.join(here, there),
            None => rayon::join(here, there),
        };
        left.extend(more);
        while !left.is_empty() {
            let there = || self.hand_over(&left);
            left = pool.map_or_else(|| rayon::join(there, || ()).0, |pool| pool.install(there));
        }
    }

    /// The same, on the thread that calls `run`: which runs those that must run there, each when it is free.
    pub(super) fn serve(&self, pool: Option<&ThreadPool>, mains: usize) {
        let heavy = self.free(Share::Heavy).collect::<Vec<u32>>();
        let work = |at: u32| self.work(at, &heavy);
        Hands::with(pool, &work, |hands| {
            if !heavy.is_empty() {
                hands.give(ALL);
            }
            self.free(Share::Main).for_each(|at| self.counter.bring(at));
            for at in self.free(Share::Light) {
                self.go_on(Some(at), Vec::new(), Some(hands));
            }
            let in_pool = rayon::current_thread_index().is_some();
            for _ in 0..mains {
                let at = self.counter.wait(in_pool.then_some(|| rayon::yield_now() == Some(Yield::Executed)));
                self.run(at);
                for then in self.set_free_by(at) {
                    match self.shares[then as usize] {
                        Share::Main => self.counter.bring(then),
                        // Others may wait here.
                        Share::Heavy => hands.give(then),
                        Share::Light => drop(self.go_on(Some(then), Vec::new(), Some(hands))),
                    }
                }
            }
        });
    }

    /// A job of a thread of the pool: a system that is free, or all of `heavy`; and what becomes free by it.
    fn work(&self, at: u32, heavy: &[u32]) {
        let free = if at == ALL { heavy } else { &[at] };
        let Some(_job) = Job::begin(std::ptr::from_ref(self).addr()) else {
            return self.put_off().extend(free);
        };
        let mut left = self.hand_over(free);
        loop {
            left.append(&mut self.put_off());
            if left.is_empty() {
                return;
            }
            left = self.hand_over(&left);
        }
    }

    fn put_off(&self) -> MutexGuard<'_, Vec<u32>> {
        self.put_off.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What went wrong, in the order of the stage, whoever failed first.
    pub(super) fn into_failures(self) -> Vec<(u32, FaultKind)> {
        let mut failed = self.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort_by_key(|(at, _)| *at);
        failed
    }

    /// Those that wait for nobody.
    fn free(&self, wanted: Share) -> impl Iterator<Item = u32> {
        let place = (0..).zip(&self.waits.count).zip(self.shares);
        place.filter(move |((_, count), share)| **count == 0 && **share == wanted).map(|((at, _), _)| at)
    }

    /// Those that one was the last to wait for.
    fn set_free_by(&self, at: u32) -> impl Iterator<Item = u32> {
        self.waits.then[at as usize].iter().copied().filter(|then| self.left.is_free_now(*then as usize))
    }

    /// Runs systems that are free, each of them where somebody has time, and what becomes free by them. Answers what it left: none, unless this thread is too deep.
    fn hand_over(&self, free: &[u32]) -> Vec<u32> {
        match free {
            [] => Vec::new(),
            [one] => self.go_on(Some(*one), Vec::new(), None),
            [one, others @ ..] if DEPTH.get() >= DEEP => {
                let mut left = self.go_on(Some(*one), Vec::new(), None);
                left.extend(others);
                left
            }
            several => {
                let (some, others) = several.split_at(several.len() / 2);
                join(|| self.hand_over(some), || self.hand_over(others))
            }
        }
    }

    /// Runs systems, and then what becomes free by them: the light ones here, and one that is heavy; the other heavy ones are handed over. Answers as `hand_over`; who
    /// brings `hands` is answered none.
    fn go_on(&self, mut next: Option<u32>, mut light: Vec<u32>, hands: Option<&Hands>) -> Vec<u32> {
        let mut heavy = Vec::new();
        // Light ones first: they are done at once, and what becomes free by them may be handed over.
        while let Some(at) = light.pop().or_else(|| next.take()) {
            self.run(at);
            for then in self.set_free_by(at) {
                match (self.shares[then as usize], next) {
                    (Share::Main, _) => self.counter.bring(then),
                    (_, None) => next = Some(then),
                    (Share::Heavy, Some(_)) => heavy.push(then),
                    (Share::Light, Some(_)) => light.push(then),
                }
            }
            match hands {
                _ if heavy.is_empty() => {}
                Some(hands) => heavy.drain(..).for_each(|at| hands.give(at)),
                None if DEPTH.get() >= DEEP => {
                    heavy.extend(next);
                    heavy.append(&mut light);
                    break;
                }
                None => {
                    let light = take(&mut light);
                    return join(|| self.go_on(next, light, None), || self.hand_over(&heavy));
                }
            }
        }
        heavy
    }

    fn run(&self, at: u32) {
        let id = self.systems[at as usize];
        let Some(node) = &self.nodes[id.at as usize] else { return };
        if !node.may_run() {
            return;
        }
        let mut runner = node.runner.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = Moment { time: self.time, system: id };
        let result = catch_unwind(AssertUnwindSafe(|| runner.run(&mut Place::Beside(self.lend), &moment)));
        let kind = match result {
            Ok(Ok(())) => return,
            Ok(Err(why)) => FaultKind::Refused(*why),
            Err(panic) => FaultKind::Panicked(panic.into()),
        };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push((at, kind));
    }
}
