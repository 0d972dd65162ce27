//! A global allocator that can count live bytes.
//!
//! It counts only while [`live_bytes_of`] runs: outside, an allocation costs one relaxed load more
//! than the system's, so the timed rows do not pay for the `memory` row.

#![expect(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, with a counter in front.
pub struct Counting;

/// Asks the C library to keep freed memory instead of giving it back to the kernel.
///
/// glibc serves large blocks with `mmap` and trims its heap, by thresholds that move with what was
/// freed before. So whether an ECS pays page faults for its columns would depend on which ECS ran before
/// it, and the insert rows would swing by a factor of four.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` only sets numbers; nobody else uses `malloc` yet that could be surprised.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 30);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
        libc::mallopt(libc::M_TOP_PAD, 64 << 20);
    }
}

/// Notes that `bytes` more are live; negative when freed.
///
/// For code with an allocator of its own (flecs, which is C); a no-op unless counting is on.
pub fn note(bytes: isize) {
    if COUNTING.load(Relaxed) {
        LIVE.fetch_add(bytes, Relaxed);
    }
}

/// Runs `build` and returns its result with the bytes that it left allocated.
pub fn live_bytes_of<W>(build: impl FnOnce() -> W) -> (W, isize) {
    LIVE.store(0, Relaxed);
    COUNTING.store(true, Relaxed);
    let world = build();
    COUNTING.store(false, Relaxed);
    (world, LIVE.load(Relaxed))
}

// SAFETY: every call is passed on to `System` unchanged; counting touches no memory it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size().cast_signed());
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size.cast_signed() - layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
