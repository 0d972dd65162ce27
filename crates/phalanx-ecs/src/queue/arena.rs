//! Chunks of bytes that never move.

#![expect(unsafe_code, reason = "hands out raw memory")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Every chunk begins at a multiple of this, or of what the piece needs that it was made for.
const ALIGN: usize = 128;
const FIRST_CHUNK: usize = 4096;
const LARGEST_CHUNK: usize = 1 << 20;

struct Chunk {
    data: NonNull<u8>,
    layout: Layout,
}

impl Chunk {
    fn new(bytes: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(bytes, align).expect("a chunk fits into the address space");
        // SAFETY: the size is not zero: it is at least `FIRST_CHUNK`.
        let data = unsafe { alloc(layout) };
        let Some(data) = NonNull::new(data) else { handle_alloc_error(layout) };
        Self { data, layout }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.data.as_ptr(), self.layout) };
    }
}

/// Memory handed out piece by piece and taken back all at once. What the pieces hold is the caller's business.
#[derive(Default)]
pub(super) struct Arena {
    /// The last one is being filled.
    chunks: Vec<Chunk>,
    /// How much of the last chunk is handed out.
    used: usize,
}

// SAFETY: an arena owns its memory and never looks at what is in it.
unsafe impl Send for Arena {}
// SAFETY: nothing can be done through a shared arena.
unsafe impl Sync for Arena {}

impl Arena {
    /// A piece of memory for a value. It stays where it is until `clear`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn piece(&mut self, layout: Layout) -> NonNull<u8> {
        match self.next_piece(layout) {
            Some(piece) => piece,
            None => self.piece_in_new_chunk(layout),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_piece(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let chunk = self.chunks.last()?;
        if layout.align() > ALIGN && layout.align() > chunk.layout.align() {
            return None;
        }
        // Counted from the start of the chunk: where pieces lie must not depend on addresses, or what a queue does would.
        let start = self.used.next_multiple_of(layout.align());
        let end = start.checked_add(layout.size())?;
        if end > chunk.layout.size() {
            return None;
        }
        self.used = end;
        // SAFETY: within the chunk.
        Some(unsafe { chunk.data.add(start) })
    }

    #[cold]
    #[inline(never)]
    fn piece_in_new_chunk(&mut self, layout: Layout) -> NonNull<u8> {
        let last = self.chunks.last().map_or(FIRST_CHUNK / 2, |chunk| chunk.layout.size());
        let bytes = (last * 2).min(LARGEST_CHUNK).max(layout.size());
        self.chunks.push(Chunk::new(bytes, layout.align().max(ALIGN)));
        self.used = 0;
        self.next_piece(layout).expect("a new chunk has room")
    }

    /// Takes all memory back; keeps the last and largest chunk for the next time.
    pub(super) fn clear(&mut self) {
        if self.chunks.len() > 1 {
            self.chunks.drain(..self.chunks.len() - 1);
        }
        if self.chunks.last().is_some_and(|chunk| chunk.layout.size() > LARGEST_CHUNK) {
            self.chunks.clear();
        }
        self.used = 0;
    }

    /// Bytes reserved.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.layout.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_apart_and_stay() {
        let mut arena = Arena::default();
        let mut seen: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
        for round in 0..2 {
            for n in 0..200u8 {
                let size = usize::from(n) * 37 % 700;
                let layout = Layout::from_size_align(size, 1 << (n % 9)).expect("a layout");
                let piece = arena.piece(layout);
                assert!(piece.addr().get().is_multiple_of(layout.align()));
                // SAFETY: the piece has `size` bytes.
                unsafe { piece.write_bytes(n ^ round, size) };
                seen.push((piece, size, n ^ round));
            }
            for (piece, size, byte) in seen.drain(..) {
                // SAFETY: as above; the arena was not cleared.
                assert!((0..size).all(|at| unsafe { piece.add(at).read() } == byte));
            }
            arena.clear();
        }
        let arenas: [Arena; 40] = std::array::from_fn(|_| {
            let mut arena = Arena::default();
            for n in 0..100 {
                arena.piece(Layout::from_size_align(100, 1 << (n % 9)).expect("a layout"));
            }
            arena
        });
        let shape = |arena: &Arena| (arena.chunks.len(), arena.used);
        assert!(arenas.iter().all(|arena| shape(arena) == shape(&arenas[0])), "wherever the chunks happen to be");
        let huge = Layout::from_size_align(LARGEST_CHUNK * 3, 4096).expect("a layout");
        assert!(arena.piece(huge).addr().get().is_multiple_of(4096));
        arena.clear();
        assert_eq!(arena.bytes(), 0, "a chunk out of the ordinary is given back");
    }
}
