//! Counts what flecs allocates: it is C and calls `malloc`, past Rust's global allocator.

#![expect(unsafe_code, reason = "the hooks are C functions over `malloc`")]

use std::ffi::c_void;

use flecs_ecs::prelude::ecs_os_api;

use crate::harness::allocator::note;

/// Puts the counting functions in the place of flecs's own; once, before the first world.
pub fn install_hooks() {
    ecs_os_api::add_init_hook(Box::new(|api| {
        api.malloc_ = Some(malloc);
        api.calloc_ = Some(calloc);
        api.realloc_ = Some(realloc);
        api.free_ = Some(free);
    }));
}

/// How many bytes the block really has; `free` is told no size, so all four count in these.
fn usable(block: *mut c_void) -> isize {
    // SAFETY: the block is null or came from the functions below.
    unsafe { libc::malloc_usable_size(block) }.cast_signed()
}

unsafe extern "C-unwind" fn malloc(size: i32) -> *mut c_void {
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::malloc(size.unsigned_abs() as usize) };
    note(usable(block));
    block
}

unsafe extern "C-unwind" fn calloc(size: i32) -> *mut c_void {
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::calloc(1, size.unsigned_abs() as usize) };
    note(usable(block));
    block
}

unsafe extern "C-unwind" fn realloc(block: *mut c_void, size: i32) -> *mut c_void {
    let before = usable(block);
    // SAFETY: flecs passes null or a block that it got here.
    let block = unsafe { libc::realloc(block, size.unsigned_abs() as usize) };
    note(usable(block) - before);
    block
}

unsafe extern "C-unwind" fn free(block: *mut c_void) {
    note(-usable(block));
    // SAFETY: flecs passes null or a block that it got here.
    unsafe { libc::free(block) };
}
