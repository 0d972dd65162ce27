//! Counts how often a thread has asked for memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn note() {
    // A thread that ends may ask after its variables are gone.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: passed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// How often this thread asks for memory during `run`.
pub fn allocations_of(run: impl FnOnce()) -> usize {
    let before = ASKED.get();
    run();
    ASKED.get() - before
}
