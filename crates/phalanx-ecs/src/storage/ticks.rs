//! When the values of a tracked component arrived and changed, by row of a table or sparse set.
//!
//! ```text
//! changed  [ 7 | 3 | 9 | 9 | … ]      the tick of the last change, by row
//! low      [ 7 | 3 | 9 | 9 | … ]      its lowest byte, to compare many at once
//! added    [ 2 | 3 | 9 | 1 | … ]      the tick of arrival, by row
//! blocks   [ latest 9, before 7 | … ] one per 64 rows: the latest change, and the latest of those before it
//! ```
//!
//! A reader that is up to date skips a block; one that has seen everything up to `before` looks for the rows with the latest tick, by their lowest bytes; one
//! that lags further compares ticks row by row. So finding changes costs a comparison per 64 rows and then about what changed.
//!
//! Marking stores and never reads what another row's mark depends on: threads that have the right to different rows may mark them side by side, as long
//! as they mark with the same tick. The order in which they do leaves no trace.

#![expect(unsafe_code, reason = "marks rows without checking them, and compares sixteen of them at once")]

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// How many rows share a block.
pub(crate) const BLOCK: usize = 64;

#[derive(Default)]
struct Block {
    /// No row changed later than this.
    latest: AtomicU32,
    /// No row changed later than this, except at `latest`.
    before: AtomicU32,
    /// No row arrived later than this.
    added: u32,
}

/// The ticks of one tracked component in one table or set.
#[derive(Default)]
pub(crate) struct Ticks {
    changed: Vec<AtomicU32>,
    low: Vec<AtomicU8>,
    added: Vec<u32>,
    blocks: Vec<Block>,
    /// The tick that a walk marks with: one for all its rows, whoever looks at other components meanwhile.
    now: AtomicU32,
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest byte is what is wanted")]
fn low_byte(tick: u32) -> u8 {
    tick as u8
}

impl Ticks {
    pub(crate) fn len(&self) -> usize {
        self.added.len()
    }

    /// From here on [`Ticks::mark`] marks with this tick.
    pub(crate) fn begin(&self, now: u32) {
        // Never back: somebody who asked for the time earlier may come here later.
        if self.now.load(Relaxed) < now {
            self.now.fetch_max(now, Relaxed);
        }
    }

    /// Notes the change of a row's value.
    pub(super) fn mark_at(&self, row: usize, now: u32) {
        assert!(row < self.len());
        self.begin(now);
        // SAFETY: checked just now.
        unsafe { self.mark(row) };
    }

    /// Notes the change of a row's value, at the tick that was begun with.
    ///
    /// Marks made by several threads at the same time must have the same tick, or a reader may miss one of them.
    ///
    /// # Safety
    /// 1. `row < len`.
    #[inline(always)]
    pub(crate) unsafe fn mark(&self, row: usize) {
        debug_assert!(row < self.len());
        let now = self.now.load(Relaxed);
        // SAFETY: in bounds by (1).
        unsafe {
            self.changed.get_unchecked(row).store(now, Relaxed);
            self.low.get_unchecked(row).store(low_byte(now), Relaxed);
            let block = self.blocks.get_unchecked(row / BLOCK);
            let latest = block.latest.load(Relaxed);
            if latest != now {
                block.before.store(latest, Relaxed);
                block.latest.store(now, Relaxed);
            }
        }
    }

    /// The rows of a block that changed after `since`, as a mask.
    #[inline(always)]
    pub(crate) fn changed_since(&self, block: usize, since: u32) -> u64 {
        match self.blocks.get(block) {
            Some(summary) if summary.latest.load(Relaxed) > since => self.find_changed(block, since),
            _ => 0,
        }
    }

    #[inline]
    fn find_changed(&self, block: usize, since: u32) -> u64 {
        let (summary, first) = (&self.blocks[block], block * BLOCK);
        if summary.before.load(Relaxed) > since || first + BLOCK > self.len() {
            return self.compare(block, |row| self.changed[row].load(Relaxed) > since);
        }
        let mut likely = equal_bytes(&self.low[first..first + BLOCK], low_byte(summary.latest.load(Relaxed)));
        let mut found = likely;
        while likely != 0 {
            let bit = likely.trailing_zeros();
            likely &= likely - 1;
            // The lowest byte of an old tick may be the same.
            if self.changed[first + bit as usize].load(Relaxed) <= since {
                found &= !(1 << bit);
            }
        }
        found
    }

    #[inline(never)]
    fn compare(&self, block: usize, is_new: impl Fn(usize) -> bool) -> u64 {
        let rows = block * BLOCK..self.len().min((block + 1) * BLOCK);
        rows.enumerate().fold(0, |mask, (bit, row)| mask | u64::from(is_new(row)) << bit)
    }

    /// The rows of a block that arrived after `since`, as a mask.
    #[inline(always)]
    pub(crate) fn added_since(&self, block: usize, since: u32) -> u64 {
        match self.blocks.get(block) {
            Some(summary) if summary.added > since => self.compare(block, |row| self.added[row] > since),
            _ => 0,
        }
    }

    /// When a row's value changed last.
    #[inline]
    pub(crate) fn changed_at(&self, row: usize) -> u32 {
        self.changed[row].load(Relaxed)
    }

    /// When a row's value arrived.
    #[inline]
    pub(crate) fn added_at(&self, row: usize) -> u32 {
        self.added[row]
    }

    /// A value arrives in a new last row.
    pub(crate) fn push(&mut self, added: u32, changed: u32) {
        let row = self.len();
        self.added.push(added);
        self.changed.push(AtomicU32::new(changed));
        self.low.push(AtomicU8::new(low_byte(changed)));
        if row.is_multiple_of(BLOCK) {
            self.blocks.push(Block::default());
        }
        self.note(row);
    }

    /// Values arrive in new last rows until there are `len`.
    pub(crate) fn extend_to(&mut self, len: usize, now: u32) {
        let new = len.saturating_sub(self.len());
        self.added.reserve(new);
        self.changed.reserve(new);
        self.low.reserve(new);
        for _ in 0..new {
            self.push(now, now);
        }
    }

    /// Brings the block of a row up to date with the row's ticks, which may be older than those of others.
    fn note(&mut self, row: usize) {
        let (added, tick) = (self.added[row], *self.changed[row].get_mut());
        let block = &mut self.blocks[row / BLOCK];
        block.added = block.added.max(added);
        let (latest, before) = (block.latest.get_mut(), block.before.get_mut());
        if tick > *latest {
            *before = std::mem::replace(latest, tick);
        } else if tick < *latest {
            *before = (*before).max(tick);
        }
    }

    /// Takes a row out: the last one moves into the hole. Answers when its value arrived and changed.
    pub(crate) fn swap_remove(&mut self, row: usize) -> (u32, u32) {
        self.low.swap_remove(row);
        let gone = (self.added.swap_remove(row), self.changed.swap_remove(row).into_inner());
        if row < self.len() {
            self.note(row);
        }
        self.blocks.truncate(self.len().div_ceil(BLOCK));
        gone
    }

    /// Takes out all rows.
    pub(crate) fn clear(&mut self) {
        self.added.clear();
        self.changed.clear();
        self.low.clear();
        self.blocks.clear();
    }

    /// Makes all ticks smaller by `by`, but at least 1: to a reader that never looked everything is new.
    pub(crate) fn rebase(&mut self, by: u32) {
        let old = std::mem::take(self);
        for (added, changed) in old.added.into_iter().zip(old.changed) {
            let lower = |tick: u32| tick.saturating_sub(by).max(1);
            self.push(lower(added), lower(changed.into_inner()));
        }
        self.begin(old.now.into_inner().saturating_sub(by));
    }

    pub(crate) fn shrink(&mut self) {
        self.added.shrink_to_fit();
        self.changed.shrink_to_fit();
        self.low.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        (self.added.capacity() + self.changed.capacity()) * size_of::<u32>()
            + self.low.capacity()
            + self.blocks.capacity() * size_of::<Block>()
    }

    /// The first thing that does not fit together, if any.
    pub(crate) fn fault(&self, len: usize) -> Option<String> {
        let lens = [self.added.len(), self.changed.len(), self.low.len()];
        if lens != [len; 3] || self.blocks.len() != len.div_ceil(BLOCK) {
            return Some(format!("{lens:?} ticks in {} blocks for {len} rows", self.blocks.len()));
        }
        let is_unknown = |row: &usize| {
            let (changed, block) = (self.changed_at(*row), &self.blocks[row / BLOCK]);
            let (latest, before) = (block.latest.load(Relaxed), block.before.load(Relaxed));
            self.added[*row] > block.added
                || changed > latest
                || changed != latest && changed > before
                || self.low[*row].load(Relaxed) != low_byte(changed)
        };
        (0..len).find(is_unknown).map(|row| format!("row {row} has ticks that its block does not know"))
    }
}

/// Which of 64 bytes are equal to one.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
#[expect(clippy::cast_ptr_alignment, reason = "the load is for any alignment")]
fn equal_bytes(bytes: &[AtomicU8], wanted: u8) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    assert!(bytes.len() == BLOCK);
    let part = |at: usize| {
        // SAFETY: sixteen of the 64 bytes, which nobody marks while they are read: a reader has the right to read the values. SSE2 is
        // part of the architecture.
        let mask = unsafe {
            let sixteen = _mm_loadu_si128(bytes.as_ptr().cast::<[u8; 16]>().add(at).cast::<__m128i>());
            _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8(wanted.cast_signed())))
        };
        u64::from(mask.cast_unsigned()) << (at * 16)
    };
    part(0) | part(1) | part(2) | part(3)
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn equal_bytes(bytes: &[AtomicU8], wanted: u8) -> u64 {
    bytes.iter().enumerate().fold(0, |mask, (bit, byte)| mask | u64::from(byte.load(Relaxed) == wanted) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `changed_since` must answer, from the row ticks alone.
    fn naive(ticks: &[(u32, u32)], block: usize, since: u32, added: bool) -> u64 {
        let rows = ticks.iter().enumerate().skip(block * BLOCK).take(BLOCK);
        rows.filter(|(_, t)| if added { t.0 > since } else { t.1 > since })
            .fold(0, |m, (row, _)| m | 1 << (row % BLOCK))
    }

    #[test]
    fn masks_say_what_the_rows_say_after_any_changes() {
        let mut state = 1u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % below
        };
        let (mut ticks, mut model, mut now) = (Ticks::default(), Vec::new(), 1u32);
        for _ in 0..if cfg!(miri) { 400 } else { 20_000 } {
            now += [0, 0, 1, 256][random(4)];
            match random(8) {
                0 | 1 => {
                    ticks.push(now, now);
                    model.push((now, now));
                }
                2 => {
                    // A row that moves in from elsewhere, with old ticks.
                    let old = now - u32::try_from(random(5)).expect("small").min(now - 1);
                    ticks.push(1, old);
                    model.push((1, old));
                }
                3 if !model.is_empty() => {
                    let row = random(model.len());
                    assert_eq!(ticks.swap_remove(row), model.swap_remove(row));
                }
                4 if random(200) == 0 => {
                    ticks.clear();
                    model.clear();
                }
                _ if !model.is_empty() => {
                    let row = random(model.len());
                    ticks.mark_at(row, now);
                    model[row].1 = now;
                }
                _ => {}
            }
            assert_eq!(ticks.fault(model.len()), None);
            let block = random(model.len() / BLOCK + 1);
            let since = now - u32::try_from(random(600)).expect("small").min(now);
            assert_eq!(ticks.changed_since(block, since), naive(&model, block, since, false));
            assert_eq!(ticks.added_since(block, since), naive(&model, block, since, true));
        }
    }

    #[test]
    fn rebasing_keeps_the_order_of_what_is_recent() {
        let mut ticks = Ticks::default();
        for tick in [3, 10, 12] {
            ticks.push(tick, tick);
        }
        ticks.rebase(9);
        assert_eq!(
            (ticks.changed_since(0, 0), ticks.changed_since(0, 1), ticks.changed_since(0, 2)),
            (0b111, 0b100, 0b100)
        );
        assert_eq!(ticks.added_since(0, 2), 0b100);
        assert_eq!(ticks.fault(3), None);
    }
}
