//! The plans that are claimed now.
//!
//! ```text
//! near  [ move | – | draw | … ]      a plan stands here from its claim to the end of it
//! far   [ ]                          when near is full
//! ```
//! The list owns what it compares with: a claim that is forgotten stays here, and with it its plan, until the list goes.

use super::plan::Facts;
#[cfg(all(loom, test))]
use loom::sync::{Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};
#[cfg(not(all(loom, test)))]
use std::sync::{Mutex, MutexGuard};

/// So many claims at once need no memory of their own.
const NEAR: usize = 16;

/// The plans that are claimed now. Entering and leaving orders what is done in between: who enters after another has left sees what it wrote.
pub(super) struct ClaimList(Mutex<Out>);

#[derive(Default)]
struct Out {
    near: [Option<Arc<Facts>>; NEAR],
    far: Vec<Option<Arc<Facts>>>,
    /// No place from here on is taken.
    end: usize,
}

impl ClaimList {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Out::default()))
    }

    /// Nothing panics while the lock is held but an allocation that fails, and then nothing is half done.
    fn lock(&self) -> MutexGuard<'_, Out> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a plan and answers its place, or the first plan that overlaps it. All plans are of one world.
    #[inline]
    pub(super) fn enter(&self, plan: &Arc<Facts>) -> Result<usize, Arc<Facts>> {
        let mut out = self.lock();
        let mut free = out.end;
        for at in 0..out.end {
            match out.at(at) {
                Some(other) if other.access.overlaps(&plan.access) => return Err(Arc::clone(other)),
                Some(_) => {}
                None => free = free.min(at),
            }
        }
        if free == NEAR + out.far.len() {
            out.far.push(None);
        }
        *out.at(free) = Some(Arc::clone(plan));
        out.end = out.end.max(free + 1);
        Ok(free)
    }

    /// Takes out the plan that entered at this place.
    #[inline]
    pub(super) fn leave(&self, place: usize) {
        let mut out = self.lock();
        let plan = out.at(place).take();
        while out.end > 0 && out.at_end().is_none() {
            out.end -= 1;
        }
        drop(out);
        // Its last owner may be here; that is nothing to wait for.
        drop(plan);
    }

    /// How many plans are claimed.
    pub(super) fn len(&self) -> usize {
        let out = self.lock();
        out.near.iter().chain(&out.far).flatten().count()
    }
}

impl Out {
    fn at(&mut self, place: usize) -> &mut Option<Arc<Facts>> {
        match place.checked_sub(NEAR) {
            None => &mut self.near[place],
            Some(far) => &mut self.far[far],
        }
    }

    fn at_end(&mut self) -> &mut Option<Arc<Facts>> {
        self.at(self.end - 1)
    }
}

#[cfg(test)]
impl Facts {
    /// A plan that reads or writes one thing, for tests of the list.
    fn of_one(number: usize, write: bool) -> Arc<Self> {
        use super::access::{Access, Key};
        use super::plan::Head;
        let caller = std::panic::Location::caller();
        let head = Arc::new(Head { name: format!("{number}"), caller });
        let access = Access::of_one(Key::Resource(number), write, format!("resource `{number}`"), caller);
        Arc::new(Self { head, world: crate::storage::Epoch::NEVER, ticks: 1, access })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_plans_can_be_claimed_and_places_are_used_again() {
        let list = ClaimList::new();
        let plans: Vec<_> = (0..3 * NEAR).map(|number| Facts::of_one(number, true)).collect();
        for (at, plan) in plans.iter().enumerate() {
            assert_eq!(list.enter(plan).ok(), Some(at));
            assert!(list.enter(plan).is_err_and(|other| Arc::ptr_eq(&other, plan)));
        }
        for place in [1, 2 * NEAR, NEAR] {
            list.leave(place);
        }
        assert_eq!(list.len(), 3 * NEAR - 3);
        for place in [1, NEAR, 2 * NEAR] {
            assert_eq!(list.enter(&plans[place]).ok(), Some(place), "the first that is free");
        }
        (0..3 * NEAR).for_each(|place| list.leave(place));
        assert_eq!(list.len(), 0);
        let out = list.lock();
        assert_eq!((out.end, out.far.len()), (0, 2 * NEAR));
    }

    #[test]
    fn a_plan_that_left_is_not_kept() {
        let list = ClaimList::new();
        let plan = Facts::of_one(0, true);
        let place = list.enter(&plan).ok().expect("nobody is there");
        assert_eq!(Arc::strong_count(&plan), 2);
        list.leave(place);
        assert_eq!(Arc::strong_count(&plan), 1);
    }
}

/// All orders in which threads can come and go; run by `ci/loom`.
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
    use loom::thread;

    /// What is lent, with the list. Nothing here orders anything by itself (all is relaxed, reading and writing are two steps), so who comes at
    /// the wrong time, or sees less than was written before, is found out in some order.
    struct Lent {
        list: ClaimList,
        /// The tick of the last write.
        value: AtomicU64,
        writes: AtomicU64,
        writing: AtomicBool,
        clock: AtomicU64,
    }

    fn lent() -> loom::sync::Arc<Lent> {
        loom::sync::Arc::new(Lent {
            list: ClaimList::new(),
            value: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            writing: AtomicBool::new(false),
            clock: AtomicU64::new(0),
        })
    }

    impl Lent {
        /// As claims draw it.
        fn tick(&self) -> u64 {
            self.clock.fetch_add(1, Relaxed) + 1
        }

        fn write(&self, plan: &Arc<Facts>) -> bool {
            let Ok(place) = self.list.enter(plan) else { return false };
            assert!(!self.writing.load(Relaxed), "nobody else writes");
            self.writing.store(true, Relaxed);
            let tick = self.tick();
            assert!(self.value.load(Relaxed) < tick, "a later write has a later tick");
            self.value.store(tick, Relaxed);
            self.writes.store(self.writes.load(Relaxed) + 1, Relaxed);
            self.writing.store(false, Relaxed);
            self.list.leave(place);
            true
        }

        fn read(&self, plan: &Arc<Facts>) -> bool {
            let Ok(place) = self.list.enter(plan) else { return false };
            assert!(!self.writing.load(Relaxed), "nobody writes");
            let tick = self.tick();
            let value = self.value.load(Relaxed);
            assert!(value < tick, "what is seen is older than who sees it");
            assert_eq!(value == 0, self.writes.load(Relaxed) == 0, "all of a write is seen, or nothing of it");
            self.list.leave(place);
            true
        }
    }

    #[test]
    fn two_writers_never_meet_and_the_second_sees_what_the_first_wrote() {
        loom::model(|| {
            let lent = lent();
            let plan = Facts::of_one(0, true);
            let other = (lent.clone(), Arc::clone(&plan));
            let thread = thread::spawn(move || u64::from(other.0.write(&other.1)) + u64::from(other.0.write(&other.1)));
            let writes = u64::from(lent.write(&plan)) + u64::from(lent.write(&plan));
            let writes = writes + thread.join().expect("no panic");
            assert!(writes > 0 && lent.list.len() == 0);
            assert_eq!((lent.writes.load(Relaxed), lent.clock.load(Relaxed)), (writes, writes));
        });
    }

    #[test]
    fn a_writer_and_two_readers_never_meet_but_readers_do_not_refuse_each_other() {
        loom::model(|| {
            let lent = lent();
            let (writes, reads) = (Facts::of_one(0, true), Facts::of_one(0, false));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let (lent, reads) = (lent.clone(), Arc::clone(&reads));
                    thread::spawn(move || lent.read(&reads))
                })
                .collect();
            let wrote = lent.write(&writes);
            let read: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
            assert!(wrote || read.contains(&true), "somebody was there first");
            assert_eq!(lent.list.len(), 0);
        });
    }

    #[test]
    fn plans_that_do_not_overlap_are_never_refused() {
        loom::model(|| {
            let lent = lent();
            let threads: Vec<_> = (1..3)
                .map(|number| {
                    let lent = lent.clone();
                    thread::spawn(move || {
                        let place = lent.list.enter(&Facts::of_one(number, true)).ok().expect("nobody else wants it");
                        lent.list.leave(place);
                    })
                })
                .collect();
            assert!(lent.write(&Facts::of_one(0, true)));
            threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        });
    }

    #[test]
    fn a_forgotten_plan_keeps_others_out_for_good() {
        loom::model(|| {
            let lent = lent();
            let plan = Facts::of_one(0, true);
            assert!(lent.list.enter(&plan).is_ok(), "and nobody leaves");
            drop(plan);
            let other = lent.clone();
            let thread = thread::spawn(move || other.write(&Facts::of_one(0, true)));
            assert!(!lent.read(&Facts::of_one(0, false)) && !thread.join().expect("no panic"));
        });
    }
}
