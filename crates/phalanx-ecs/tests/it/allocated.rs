//! Counts the bytes that a thread has allocated and not given back, and how often it has asked for some.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// The size of an allocation, which is below `isize::MAX`.
fn note(by: usize, sign: isize) {
    let by = isize::try_from(by).expect("no allocation is larger") * sign;
    // A thread that ends may free after its variables are gone.
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + by));
    if sign > 0 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
    }
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        // SAFETY: passed on.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        note(layout.size(), -1);
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(layout.size(), -1);
        note(size, 1);
        // SAFETY: passed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// How many bytes more than before this thread holds after `make`, and what it made.
pub fn bytes_of<R>(make: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATED.get();
    let made = make();
    let more = ALLOCATED.get() - before;
    (usize::try_from(more).expect("nothing that was there before was freed"), made)
}

/// How often this thread asks for memory during `run`.
pub fn allocations_of(run: impl FnOnce()) -> usize {
    let before = ASKED.get();
    run();
    ASKED.get() - before
}
