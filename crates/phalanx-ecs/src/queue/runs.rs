//! Runs of equal things to do, in order.
//!
//! ```text
//! runs    [ spawn (A, B), game.rs:7, × 3 | despawn, game.rs:9, × 2 | … ]
//!             │                             │
//! arena   [ a b │ a b │ a b               │ e │ e   … ]      payloads side by side, without headers
//! ```
//!
//! Pushing the same kind of thing from the same source line again lengthens the last run; so a loop in a system becomes one run, which
//! is applied as one bulk operation.

#![expect(unsafe_code, reason = "keeps values of many types as bytes")]

use super::arena::Arena;
use crate::component::Panics;
use std::alloc::Layout;
use std::any::TypeId;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::NonNull;

/// What things are done with. Some of them may be done together with those that follow, of whatever kind.
///
/// # Safety
/// 1. If `apply_chain` answers that some things are done it has moved their payloads, and not touched others. It does not panic.
pub(crate) unsafe trait Context: Sized + 'static {
    /// What is to be known of a thing to do it together with others.
    type Link: Sync + 'static;

    /// Whether a thing may be worth doing together with the one before it.
    ///
    /// # Safety
    /// 1. The payloads are of the things that the links belong to.
    unsafe fn goes_with(first: (&Self::Link, NonNull<u8>), second: (&Self::Link, NonNull<u8>)) -> bool;

    /// Does the first of the things of a chain, as many as it likes.
    fn apply_chain(&mut self, chain: &Chain<'_, Self>) -> Chained;
}

/// What became of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chained {
    /// So many things are done, at least one.
    Done(usize),
    /// So many, at least one, are to be done one by one.
    OneByOne(usize),
}

/// Things to do, in order.
pub(crate) struct Chain<'a, C: Context> {
    runs: &'a [Run<C>],
}

impl<C: Context> Chain<'_, C> {
    /// What is known of a thing, and its payload; nothing if it is not there or cannot be done with others, or is one of a run.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self, at: usize) -> Option<(&'static C::Link, NonNull<u8>)> {
        let run = self.runs.get(at)?;
        if run.count != 1 {
            return None;
        }
        run.kind.link.map(|link| (link, run.first))
    }
}

/// Something to do later with a `C`, given in runs.
pub(crate) trait Deferred<C: Context>: Send + Sized + 'static {
    /// Given for what can be done together with others.
    const LINK: Option<&'static C::Link> = None;

    /// Does it for a run, in order, at least for the first of it. What is left in `run` afterwards, or after a panic, stays in the queue.
    fn apply(run: Drain<'_, Self>, context: &mut C, origin: Origin);
}

/// Where a run comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) caller: &'static Location<'static>,
}

impl Origin {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is(self, other: Self) -> bool {
        let (a, b) = (self.caller, other.caller);
        std::ptr::eq(a, b) || a.line() == b.line() && a.column() == b.column() && a.file() == b.file()
    }
}

/// What there is to know about one type of payload.
struct Kind<C: Context> {
    /// Which type it is: a constant may have several addresses, so they do not tell.
    type_id: TypeId,
    layout: Layout,
    /// Applies a run of payloads; what is left of it afterwards, also if it panics, is still there.
    apply: unsafe fn(&mut Rest, &mut C, Origin),
    /// Drops so many payloads.
    drop: unsafe fn(NonNull<u8>, usize),
    link: Option<&'static C::Link>,
}

struct KindOf<C, T>(PhantomData<(C, T)>);

impl<C: Context, T: Deferred<C>> KindOf<C, T> {
    const KIND: &'static Kind<C> = &Kind {
        type_id: TypeId::of::<T>(),
        layout: Layout::new::<T>(),
        apply: apply_run::<C, T>,
        drop: drop_run::<T>,
        link: T::LINK,
    };
}

/// # Safety
/// 1. `rest` are payloads of type `T`, of which nobody uses those that are taken out.
unsafe fn apply_run<C: Context, T: Deferred<C>>(rest: &mut Rest, context: &mut C, origin: Origin) {
    T::apply(Drain { next: rest.first.cast(), left: rest.count, rest, run: PhantomData }, context, origin);
}

/// # Safety
/// 1. `first` is the first of `count` payloads of type `T`, which nobody uses again.
unsafe fn drop_run<T>(first: NonNull<u8>, count: usize) {
    if !std::mem::needs_drop::<T>() {
        return;
    }
    // One by one: two panics in the drop of a slice would end the process.
    let mut panics = Panics::default();
    for at in 0..count {
        // SAFETY: one of the payloads, each once, by (1).
        panics.catch(|| unsafe { first.cast::<T>().add(at).drop_in_place() });
    }
    panics.resume();
}

/// Payloads side by side.
struct Rest {
    first: NonNull<u8>,
    count: usize,
    /// How many of the same follow, in runs of their own because they did not fit into one chunk.
    following: usize,
}

/// The payloads of a run, moved out one by one; the rest stays where it is.
pub(crate) struct Drain<'a, T> {
    /// The first of `left` payloads, which are ours.
    next: NonNull<T>,
    left: usize,
    /// Where to say what is left.
    rest: &'a mut Rest,
    run: PhantomData<&'a mut T>,
}

impl<T> Drain<'_, T> {
    /// How many of the same will follow right after this run, as far as it is known.
    pub(crate) fn following(&self) -> usize {
        self.rest.following
    }

    /// The payloads that are left.
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: they lie side by side, and are ours.
        unsafe { std::slice::from_raw_parts(self.next.as_ptr(), self.left) }
    }
}

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        // SAFETY: one was left; it is passed over, so it is read once.
        unsafe {
            let value = self.next.read();
            self.next = self.next.add(1);
            Some(value)
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {}

impl<T> Drop for Drain<'_, T> {
    #[inline]
    fn drop(&mut self) {
        (self.rest.first, self.rest.count) = (self.next.cast(), self.left);
    }
}

/// Things of one kind to do.
struct Run<C: Context> {
    kind: &'static Kind<C>,
    origin: Origin,
    first: NonNull<u8>,
    count: usize,
}

/// Things to do with a `C`, in order.
pub(crate) struct Runs<C: Context> {
    arena: Arena,
    list: Vec<Run<C>>,
    /// How many of `list` are done with.
    done: usize,
    /// From here on runs may be done together.
    chain_from: usize,
    /// How many payloads there are in all.
    len: usize,
}

// SAFETY: payloads are `Send` (a bound of `Deferred`), and are owned by the queue.
unsafe impl<C: Context> Send for Runs<C> {}
// SAFETY: nothing but numbers can be had through a shared queue.
unsafe impl<C: Context> Sync for Runs<C> {}

impl<C: Context> Default for Runs<C> {
    fn default() -> Self {
        Self { arena: Arena::default(), list: Vec::new(), done: 0, chain_from: 0, len: 0 }
    }
}

impl<C: Context> Runs<C> {
    /// Adds something to do.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push<T: Deferred<C>>(&mut self, payload: T, origin: Origin) {
        let kind = KindOf::<C, T>::KIND;
        let place = self.arena.piece(kind.layout);
        // SAFETY: a piece of memory for a `T`, which nobody else has.
        unsafe { place.cast::<T>().write(payload) };
        self.len += 1;
        if self.done < self.list.len()
            && let Some(last) = self.list.last_mut()
            && last.kind.type_id == kind.type_id
            && last.origin.is(origin)
            && last.first.as_ptr().wrapping_add(last.count * kind.layout.size()) == place.as_ptr()
        {
            last.count += 1;
            return;
        }
        self.start_run(Run { kind, origin, first: place, count: 1 });
    }

    #[inline(never)]
    fn start_run(&mut self, run: Run<C>) {
        self.list.push(run);
    }

    /// How many things there are to do.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Does the next things, a run of them or a part of it; answers whether there were any. If it panics, what was not done stays.
    pub(crate) fn apply_next(&mut self, context: &mut C) -> bool {
        /// Says what is left of a run, also if it panics.
        struct Unfinished<'a, C: Context> {
            runs: &'a mut Runs<C>,
            rest: Rest,
        }
        impl<C: Context> Drop for Unfinished<'_, C> {
            fn drop(&mut self) {
                let (runs, rest) = (&mut *self.runs, &self.rest);
                let run = &mut runs.list[runs.done];
                runs.len -= run.count - rest.count;
                (run.first, run.count) = (rest.first, rest.count);
                runs.done += usize::from(rest.count == 0);
            }
        }
        let Some(&Run { kind, origin, first, count }) = self.list.get(self.done) else {
            self.reset();
            return false;
        };
        if count == 1
            && self.done >= self.chain_from
            && let Some(link) = kind.link
            && let Some(&Run { kind: &Kind { link: Some(next), .. }, first: second, count: 1, .. }) =
                self.list.get(self.done + 1)
            // SAFETY: a payload and the link of its kind.
            && unsafe { C::goes_with((link, first), (next, second)) }
        {
            match context.apply_chain(&Chain { runs: &self.list[self.done..] }) {
                Chained::Done(done) => {
                    // Their payloads were moved out.
                    self.done += done;
                    self.len -= done;
                    return true;
                }
                Chained::OneByOne(skipped) => self.chain_from = self.done + skipped,
            }
        }
        let same = |run: &&Run<C>| run.kind.type_id == kind.type_id && run.origin.is(origin);
        let following = self.list[self.done + 1..].iter().take(64).take_while(same).map(|run| run.count).sum();
        let mut unfinished = Unfinished { runs: self, rest: Rest { first, count, following } };
        // SAFETY: (1) the payloads of the run; those that are taken out are counted out when `unfinished` goes.
        unsafe { (kind.apply)(&mut unfinished.rest, context, origin) };
        true
    }

    fn reset(&mut self) {
        debug_assert_eq!(self.done, self.list.len());
        self.list.clear();
        (self.done, self.chain_from) = (0, 0);
        self.len = 0;
        self.arena.clear();
    }

    /// Drops all that was not done. What panics in it keeps nothing back.
    pub(crate) fn clear(&mut self) {
        let mut panics = Panics::default();
        while let Some(run) = self.list.get(self.done) {
            self.done += 1;
            // SAFETY: as in `apply_next`.
            panics.catch(|| unsafe { (run.kind.drop)(run.first, run.count) });
        }
        self.reset();
        panics.resume();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes() + self.list.capacity() * size_of::<Run<C>>()
    }
}

impl<C: Context> Drop for Runs<C> {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        panics.catch(|| self.clear());
        if std::thread::panicking() {
            panics.ignore();
        } else {
            panics.resume();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    // SAFETY: none is done so.
    unsafe impl Context for Vec<String> {
        type Link = ();
        unsafe fn goes_with(_: (&(), NonNull<u8>), _: (&(), NonNull<u8>)) -> bool {
            false
        }
        fn apply_chain(&mut self, _: &Chain<'_, Self>) -> Chained {
            Chained::OneByOne(1)
        }
    }

    struct Say(u32, #[expect(dead_code, reason = "counted when dropped")] Arc<()>);
    struct Shout([u64; 9], #[expect(dead_code, reason = "counted when dropped")] Arc<()>);
    struct Boom(#[expect(dead_code, reason = "counted when dropped")] Arc<()>);

    impl Deferred<Vec<String>> for Say {
        fn apply(run: Drain<'_, Self>, log: &mut Vec<String>, _: Origin) {
            log.push(format!("run of {}", run.len()));
            log.extend(run.map(|say| say.0.to_string()));
        }
    }
    impl Deferred<Vec<String>> for Shout {
        fn apply(run: Drain<'_, Self>, log: &mut Vec<String>, _: Origin) {
            log.extend(run.map(|shout| format!("{}!", shout.0[8])));
        }
    }
    impl Deferred<Vec<String>> for Boom {
        fn apply(mut run: Drain<'_, Self>, _: &mut Vec<String>, _: Origin) {
            let _first = run.next();
            panic!("boom");
        }
    }

    #[track_caller]
    fn here() -> Origin {
        Origin { caller: Location::caller() }
    }

    #[test]
    fn equal_things_from_one_line_become_one_run_and_order_stays() {
        let (mut runs, token) = (Runs::<Vec<String>>::default(), Arc::new(()));
        for _ in 0..2 {
            for n in 0..3 {
                runs.push(Say(n, Arc::clone(&token)), here());
            }
            runs.push(Shout([7; 9], Arc::clone(&token)), here());
            assert_eq!(runs.len(), 4);
            let mut log = Vec::new();
            while runs.apply_next(&mut log) {}
            assert_eq!(log, ["run of 3", "0", "1", "2", "7!"]);
            assert_eq!((runs.len(), Arc::strong_count(&token)), (0, 1));
        }
    }

    #[test]
    fn what_is_not_done_is_dropped_once() {
        let token = Arc::new(());
        let mut runs = Runs::<Vec<String>>::default();
        for n in 0..1000 {
            runs.push(Say(n, Arc::clone(&token)), here());
            runs.push(Shout([1; 9], Arc::clone(&token)), here());
        }
        assert!(runs.apply_next(&mut Vec::new()));
        drop(runs);
        assert_eq!(Arc::strong_count(&token), 1);
    }

    #[test]
    fn after_a_panic_the_rest_of_its_run_is_still_there() {
        let token = Arc::new(());
        let mut runs = Runs::<Vec<String>>::default();
        for _ in 0..3 {
            runs.push(Boom(Arc::clone(&token)), here());
        }
        runs.push(Say(1, Arc::clone(&token)), here());
        let mut log = Vec::new();
        for left in (1..4).rev() {
            assert_eq!((runs.len(), Arc::strong_count(&token)), (left + 1, left + 2), "what was not done is left");
            assert!(catch_unwind(AssertUnwindSafe(|| runs.apply_next(&mut log))).is_err());
        }
        while runs.apply_next(&mut log) {}
        assert_eq!(log, ["run of 1", "1"]);
        assert_eq!((runs.len(), Arc::strong_count(&token)), (0, 1));
    }
}
