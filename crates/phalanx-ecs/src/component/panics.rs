//! User code that panics (drops, constructors, iterators), and keeping what must still happen from being skipped.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Keeps the first panic of several steps, so that the steps after it still happen.
///
/// The store drops values only at points where it then carries on to a consistent state; the panic goes on
/// from there. If another panic goes by first, this one is dropped: two at once would end the program.
#[derive(Default)]
pub(crate) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    #[inline]
    pub(crate) fn catch(&mut self, step: impl FnOnce()) {
        let mut step = Some(step);
        self.try_step(&mut || {
            if let Some(step) = step.take() {
                step();
            }
        });
    }

    /// One function for all steps: catching is much code.
    #[inline(never)]
    fn try_step(&mut self, step: &mut dyn FnMut()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(step)) {
            match &self.0 {
                None => self.0 = Some(panic),
                Some(_) => discard(panic),
            }
        }
    }

    /// Drops values one by one; the first panic goes on at the end.
    pub(crate) fn drop_each<T>(values: impl IntoIterator<Item = T>) {
        let mut panics = Self::default();
        for value in values {
            panics.catch(|| drop(value));
        }
        panics.resume();
    }

    /// Whether there was one.
    pub(crate) fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Lets no panic go on, because another one is on its way already.
    pub(crate) fn ignore(self) {
        drop(self);
    }

    /// Lets the first panic go on, if there was one.
    #[inline]
    pub(crate) fn resume(mut self) {
        if let Some(panic) = self.0.take() {
            resume_unwind(panic);
        }
    }
}

impl Drop for Panics {
    #[inline]
    fn drop(&mut self) {
        if let Some(panic) = self.0.take() {
            discard(panic);
        }
    }
}

/// Drops what a panic carried, which is somebody's code too: it may panic, and so may what that panic carried. Somewhere there is an end.
#[cold]
fn discard(mut panic: Box<dyn Any + Send>) {
    for _ in 0..4 {
        match catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            Ok(()) => return,
            Err(next) => panic = next,
        }
    }
    std::mem::forget(panic);
}

/// What was given, if it is granted what it is for. If not it is dropped here, before the refusal is in its place as what is returned: there it would be lost,
/// with all it says, if the drop panicked. If the question panics, it is dropped quietly.
#[inline]
pub(crate) fn granted<V, T, E>(given: V, ask: impl FnOnce() -> Result<T, E>) -> Result<(V, T), E> {
    let given = Quiet::new(given);
    match ask() {
        Ok(grant) => Ok((given.into_inner(), grant)),
        Err(refusal) => {
            given.end();
            Err(refusal)
        }
    }
}

/// Values that wait for their place. Where they are dropped another panic or an error is on its way, which says more than a panic of theirs.
pub(crate) struct Waiting<T>(VecDeque<T>);

impl<T> Waiting<T> {
    /// Takes all values of an iterator. If it panics, those it gave are dropped.
    pub(crate) fn collect(values: impl Iterator<Item = T>) -> Self {
        let mut waiting = Self(VecDeque::new());
        // One by one: how many there are is only said by the iterator, and room for more than memory holds would end the program.
        for value in values {
            waiting.0.push_back(value);
        }
        waiting
    }

    /// Nobody is waiting any more.
    pub(crate) fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0).into()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value that has waited longest.
    pub(crate) fn next(&mut self) -> Option<T> {
        self.0.pop_front()
    }
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        while let Some(value) = self.0.pop_front() {
            panics.catch(|| drop(value));
        }
    }
}

/// A value whose drop may not panic while another panic goes by. Unlike [`Waiting`] it stays where it is, so a loop that looks at it need not look twice.
pub(crate) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    pub(crate) fn get(&self) -> &T {
        self.0.as_ref().expect("it is there until the end")
    }

    /// The value, which may be as loud as it likes again.
    pub(crate) fn into_inner(mut self) -> T {
        self.0.take().expect("it is there until the end")
    }

    /// Drops the value, as loudly as it likes.
    pub(crate) fn end(mut self) {
        drop(self.0.take());
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            let mut panics = Panics::default();
            panics.catch(|| drop(value));
            panics.ignore();
        }
    }
}
