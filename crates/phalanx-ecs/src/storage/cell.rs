//! Moving one value of a size known only at run time.
//!
//! Most components are small, and a call of `memcpy` costs more than moving them. So sizes up to 64 go by a few loads and
//! stores of fixed width that may overlap: 12 bytes are bytes 0–8 and 4–12. Everything is read before
//! anything is written, so source and target may be the same place.

#![expect(unsafe_code, reason = "moves bytes of type-erased values")]

use std::mem::MaybeUninit;

type Word4 = MaybeUninit<u32>;
type Word8 = MaybeUninit<u64>;
type Word16 = MaybeUninit<[u64; 2]>;

/// Moves `size` bytes.
///
/// # Safety
/// 1. `from` is valid for reading and `to` for writing `size` bytes (initialised or not).
/// 2. They are the same place, or do not overlap.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn move_cell(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: each access lies within the first or the last bytes of `size`, by the range of the arm it is in and (1); unaligned
    // accesses are asked for by name. The last arm does not overlap, or is the same place, which `copy` allows.
    unsafe {
        match size {
            0..4 => {
                if size >= 2 {
                    let (a, b) = (
                        from.cast::<[MaybeUninit<u8>; 2]>().read(),
                        from.add(size - 1).cast::<MaybeUninit<u8>>().read(),
                    );
                    to.cast::<[MaybeUninit<u8>; 2]>().write(a);
                    to.add(size - 1).cast::<MaybeUninit<u8>>().write(b);
                } else if size == 1 {
                    to.cast::<MaybeUninit<u8>>().write(from.cast::<MaybeUninit<u8>>().read());
                }
            }
            4..8 => ends::<Word4>(from, to, size),
            8..=16 => ends::<Word8>(from, to, size),
            17..=32 => ends::<Word16>(from, to, size),
            33..=64 => {
                let a = from.cast::<Word16>().read_unaligned();
                let b = from.add(16).cast::<Word16>().read_unaligned();
                let c = from.add(size - 32).cast::<Word16>().read_unaligned();
                let d = from.add(size - 16).cast::<Word16>().read_unaligned();
                to.cast::<Word16>().write_unaligned(a);
                to.add(16).cast::<Word16>().write_unaligned(b);
                to.add(size - 32).cast::<Word16>().write_unaligned(c);
                to.add(size - 16).cast::<Word16>().write_unaligned(d);
            }
            _ => std::ptr::copy(from, to, size),
        }
    }
}

/// Moves the first and the last word of `size` bytes, which together are all of them.
///
/// # Safety
/// As [`move_cell`], and `W` is at most `size` and at least half of it.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn ends<W: Copy>(from: *const u8, to: *mut u8, size: usize) {
    let last = size - size_of::<W>();
    // SAFETY: both words lie within `size`.
    unsafe {
        let (a, b) = (from.cast::<W>().read_unaligned(), from.add(last).cast::<W>().read_unaligned());
        to.cast::<W>().write_unaligned(a);
        to.add(last).cast::<W>().write_unaligned(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_moves_exactly_its_bytes() {
        for size in 0..200usize {
            let from: Vec<u8> = (1u8..).take(size).collect();
            let mut to = vec![0u8; size + 2];
            // SAFETY: both buffers are large enough and apart.
            unsafe { move_cell(from.as_ptr(), to.as_mut_ptr().add(1), size) };
            assert_eq!(to[0], 0);
            assert_eq!(&to[1..=size], &from[..]);
            assert_eq!(to[size + 1], 0);
            let place = to.as_mut_ptr();
            // SAFETY: the same place.
            unsafe { move_cell(place, place, size) };
            assert_eq!(&to[1..=size], &from[..]);
        }
    }
}
