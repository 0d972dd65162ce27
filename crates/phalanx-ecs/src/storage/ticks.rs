//! When the values of a tracked component arrived and changed, by row of a table or sparse set.
//!
//! ```text
//! changed  [ 7 | 3 | 9 | 9 | … ]                       the tick of the last change, by row
//! added    [ 2 | 3 | 9 | 1 | … ]                       the tick of arrival, by row
//! blocks   [ latest 9, marked 0b1100, before 7 | … ]   by 64 rows: the latest change, which rows it was, and the latest of those before it
//! groups   [ latest 9, marked 0b0001, before 7 | … ]   the same by 64 blocks
//! ```
//!
//! A reader that has seen everything up to `before` takes what has the latest tick as it stands, or nothing; only one that lags further looks closer. So finding
//! changes costs a comparison per 4096 rows and then what changed.
//!
//! Marking has two ways. Who has the right to all rows of a table marks alone, with plain loads and stores. Threads that have the right to different rows mark
//! *together*: bits are set by atomic operations, and who comes first in a block opens it for the tick under a lock. All of them must mark with the same tick.
//! The order in which they do leaves no trace.

#![expect(unsafe_code, reason = "marks rows without checking them")]

use std::cmp::Ordering;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Mutex, PoisonError};

/// How many rows share a block, and blocks a group.
pub(crate) const BLOCK: usize = 64;

/// What is known of 64 rows, or of 64 blocks.
#[derive(Default)]
struct Summary {
    /// Those that changed at the latest tick.
    marked: AtomicU64,
    /// [`Span`], in one word: it is written with one store.
    span: AtomicU64,
}

/// When the latest changes were.
#[derive(Clone, Copy)]
struct Span {
    /// None changed later than this.
    latest: u32,
    /// None changed later than this, except at `latest`.
    before: u32,
}

impl Span {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(word: u64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        Self { latest: word as u32, before: (word >> 32) as u32 }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn word(self) -> u64 {
        u64::from(self.before) << 32 | u64::from(self.latest)
    }
}

impl Summary {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn span(&self) -> Span {
        Span::of(self.span.load(Relaxed))
    }

    /// Notes changes, for who marks alone. Answers whether they are the first at this tick.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mark(&self, bits: u64, now: u32) -> bool {
        let latest = self.span().latest;
        if latest == now {
            self.marked.store(self.marked.load(Relaxed) | bits, Relaxed);
            return false;
        }
        self.marked.store(bits, Relaxed);
        self.span.store(Span { latest: now, before: latest }.word(), Relaxed);
        true
    }

    /// Brings one of the 64 up to date: its tick may be older than those of others.
    fn note(&mut self, bit: u64, tick: u32) {
        let (marked, Span { latest, before }) = (self.marked.get_mut(), Span::of(*self.span.get_mut()));
        let span = match tick.cmp(&latest) {
            Ordering::Greater => {
                *marked = bit;
                Span { latest: tick, before: latest }
            }
            Ordering::Equal => {
                *marked |= bit;
                return;
            }
            Ordering::Less => {
                *marked &= !bit;
                Span { latest, before: before.max(tick) }
            }
        };
        *self.span.get_mut() = span.word();
    }

    /// Those that may have changed after `since`, if that is known without a closer look.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn since(&self, since: u32) -> Option<u64> {
        let span = self.span();
        // No branch: whether there are changes is anybody's guess.
        (span.before <= since).then(|| self.marked.load(Relaxed) & u64::from(span.latest > since).wrapping_neg())
    }

    /// Whether one of the 64, with its tick, fits.
    fn knows(&self, at: usize, tick: u32) -> bool {
        let (Span { latest, before }, marked) = (self.span(), self.marked.load(Relaxed) >> (at % BLOCK) & 1 == 1);
        marked == (tick == latest) && tick <= latest && (marked || tick <= before)
    }
}

/// The ticks of one tracked component in one table or set.
#[derive(Default)]
pub(crate) struct Ticks {
    changed: Vec<AtomicU32>,
    added: Vec<u32>,
    blocks: Vec<Summary>,
    groups: Vec<Summary>,
    /// By block: no row arrived later than this.
    arrivals: Vec<u32>,
    /// The tick that a walk marks with: one for all its rows, whoever looks at other components meanwhile.
    now: AtomicU32,
    /// The same while who marks does so alone; 0 while several threads may mark at the same time.
    alone: AtomicU32,
    /// Held while a block is opened for a tick by one of several threads.
    opening: Mutex<()>,
}

/// Marks rows of ticks: small enough to stay in registers through a loop that writes elsewhere.
#[derive(Clone, Copy)]
pub struct Marker {
    now: u32,
    changed: *const AtomicU32,
    blocks: *const Summary,
    groups: *const Summary,
}

impl Marker {
    /// For what is not tracked.
    pub(crate) const NONE: Self =
        Self { now: 0, changed: std::ptr::null(), blocks: std::ptr::null(), groups: std::ptr::null() };

    /// [`Ticks::mark`].
    ///
    /// # Safety
    /// 1. It was made by [`Ticks::marker`], and the ticks have been borrowed since.
    /// 2. `row < len`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn mark(self, row: usize) {
        let Self { now, changed, blocks, groups } = self;
        let block = row / BLOCK;
        // SAFETY: borrowed by (1); in bounds by (2): there is a block for each row, and a group for each block.
        unsafe {
            // Looked at before it is written: some processors fetch the memory of loads early, and wait for that of stores. And a row that is marked is done.
            let changed = &*changed.add(row);
            if changed.load(Relaxed) == now {
                return;
            }
            changed.store(now, Relaxed);
            if (*blocks.add(block)).mark(1 << (row % BLOCK), now) {
                (*groups.add(block / BLOCK)).mark(1 << (block % BLOCK), now);
            }
        }
    }
}

impl Ticks {
    pub(crate) fn len(&self) -> usize {
        self.added.len()
    }

    /// From here on [`Ticks::mark`] marks with this tick, and for one thread at a time.
    pub(crate) fn begin(&self, now: u32) {
        // Never back: somebody who asked for the time earlier may come here later.
        let now = if self.now.load(Relaxed) < now {
            self.now.fetch_max(now, Relaxed).max(now)
        } else {
            self.now.load(Relaxed)
        };
        self.alone.store(now, Relaxed);
    }

    /// Until the next [`Ticks::begin`], several threads may mark different rows at the same time.
    #[cfg(feature = "parallel")]
    pub(crate) fn begin_together(&self) {
        self.alone.store(0, Relaxed);
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
    /// Who calls it has the right to all rows, or [`Ticks::begin_together`] was called: else another mark may be lost.
    ///
    /// # Safety
    /// 1. `row < len`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn mark(&self, row: usize) {
        debug_assert!(row < self.len());
        // SAFETY: made just now; passed on.
        unsafe {
            match self.marker() {
                Some(marker) => marker.mark(row),
                None => self.mark_together(row),
            }
        }
    }

    /// What it takes to mark rows one by one, until something else is done with the ticks; `None` while several threads may mark at the same time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn marker(&self) -> Option<Marker> {
        let now = self.alone.load(Relaxed);
        let (changed, blocks, groups) = (self.changed.as_ptr(), self.blocks.as_ptr(), self.groups.as_ptr());
        (now != 0).then_some(Marker { now, changed, blocks, groups })
    }

    /// [`Ticks::mark`], where another thread may mark another row at the same time.
    ///
    /// # Safety
    /// 1. `row < len`.
    pub(crate) unsafe fn mark_together(&self, row: usize) {
        debug_assert!(row < self.len());
        let now = self.now.load(Relaxed);
        // SAFETY: in bounds by (1).
        unsafe {
            self.changed.get_unchecked(row).store(now, Relaxed);
            self.mark_block_together(row / BLOCK, 1 << (row % BLOCK), now);
        }
    }

    /// Notes changes of some rows of a block, where another thread may note those of others at the same time.
    ///
    /// # Safety
    /// 1. There is such a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn mark_block_together(&self, at: usize, bits: u64, now: u32) {
        // SAFETY: in bounds by (1); there is a group for each block.
        let (block, group) = unsafe { (self.blocks.get_unchecked(at), self.groups.get_unchecked(at / BLOCK)) };
        if Span::of(block.span.load(Acquire)).latest != now {
            let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            let latest = block.span().latest;
            if latest != now {
                block.marked.store(0, Relaxed);
                group.mark(1 << (at % BLOCK), now);
                // Whoever sees the block open sees what is marked in it as it is from here on.
                block.span.store(Span { latest: now, before: latest }.word(), Release);
            }
        }
        block.marked.fetch_or(bits, Relaxed);
    }

    /// [`Ticks::mark`] for all rows of a range: what is known of a block is written once. Who calls it has the same right.
    ///
    /// # Safety
    /// 1. `start <= end <= len`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn mark_rows(&self, start: usize, end: usize) {
        debug_assert!(start <= end && end <= self.len(), "{start}..{end} of {}", self.len());
        let alone = self.alone.load(Relaxed);
        let now = if alone != 0 { alone } else { self.now.load(Relaxed) };
        let mut first = start;
        while first < end {
            let at = first / BLOCK;
            let behind = end.min((at + 1) * BLOCK);
            let bits = !0 >> (BLOCK - (behind - first)) << (first % BLOCK);
            // SAFETY: in bounds by (1): there is a block for each row, and a group for each block.
            unsafe {
                self.changed.get_unchecked(first..behind).iter().for_each(|tick| tick.store(now, Relaxed));
                if alone == 0 {
                    self.mark_block_together(at, bits, now);
                } else if self.blocks.get_unchecked(at).mark(bits, now) {
                    self.groups.get_unchecked(at / BLOCK).mark(1 << (at % BLOCK), now);
                }
            }
            first = behind;
        }
    }

    /// The blocks of a group in which something may have changed after `since`, as a mask.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn blocks_since(&self, group: usize, since: u32) -> u64 {
        self.groups.get(group).map_or(0, |group| group.since(since).unwrap_or(!0))
    }

    /// The rows of a block that changed after `since`, as a mask.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn changed_since(&self, block: usize, since: u32) -> u64 {
        match self.blocks.get(block).map(|block| block.since(since)) {
            Some(Some(rows)) => rows,
            Some(None) => self.compare(block, |row| self.changed[row].load(Relaxed) > since),
            None => 0,
        }
    }

    #[inline(never)]
    fn compare(&self, block: usize, is_new: impl Fn(usize) -> bool) -> u64 {
        let rows = block * BLOCK..self.len().min((block + 1) * BLOCK);
        rows.enumerate().fold(0, |mask, (bit, row)| mask | u64::from(is_new(row)) << bit)
    }

    /// The rows of a block that arrived after `since`, as a mask.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn added_since(&self, block: usize, since: u32) -> u64 {
        match self.arrivals.get(block) {
            Some(arrival) if *arrival > since => self.compare(block, |row| self.added[row] > since),
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
        if row.is_multiple_of(BLOCK) {
            self.blocks.push(Summary::default());
            self.arrivals.push(0);
            self.groups.resize_with(self.blocks.len().div_ceil(BLOCK), Summary::default);
        }
        self.note(row);
    }

    /// Values arrive in new last rows until there are `len`.
    pub(crate) fn extend_to(&mut self, len: usize, now: u32) {
        let new = len.saturating_sub(self.len());
        self.added.reserve(new);
        self.changed.reserve(new);
        for _ in 0..new {
            self.push(now, now);
        }
    }

    /// Brings what is known of a row's block up to date with the row's ticks, which may be older than those of others.
    fn note(&mut self, row: usize) {
        let (added, changed, at) = (self.added[row], *self.changed[row].get_mut(), row / BLOCK);
        self.arrivals[at] = self.arrivals[at].max(added);
        self.blocks[at].note(1 << (row % BLOCK), changed);
        let latest = self.blocks[at].span().latest;
        self.groups[at / BLOCK].note(1 << (at % BLOCK), latest);
    }

    /// Takes a row out: the last one moves into the hole. Answers when its value arrived and changed.
    pub(crate) fn swap_remove(&mut self, row: usize) -> (u32, u32) {
        let last = self.len() - 1;
        *self.blocks[last / BLOCK].marked.get_mut() &= !(1 << (last % BLOCK));
        let gone = (self.added.swap_remove(row), self.changed.swap_remove(row).into_inner());
        if row < self.len() {
            self.note(row);
        }
        let blocks = self.len().div_ceil(BLOCK);
        if blocks < self.blocks.len() {
            *self.groups[blocks / BLOCK].marked.get_mut() &= !(1 << (blocks % BLOCK));
            self.blocks.truncate(blocks);
            self.arrivals.truncate(blocks);
            self.groups.truncate(blocks.div_ceil(BLOCK));
        }
        gone
    }

    /// Takes out all rows.
    pub(crate) fn clear(&mut self) {
        self.added.clear();
        self.changed.clear();
        self.blocks.clear();
        self.groups.clear();
        self.arrivals.clear();
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
        self.blocks.shrink_to_fit();
        self.groups.shrink_to_fit();
        self.arrivals.shrink_to_fit();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        (self.added.capacity() + self.changed.capacity() + self.arrivals.capacity()) * size_of::<u32>()
            + (self.blocks.capacity() + self.groups.capacity()) * size_of::<Summary>()
    }

    /// The first thing that does not fit together, if any.
    pub(crate) fn fault(&self, len: usize) -> Option<String> {
        let (lens, blocks) = ([self.added.len(), self.changed.len()], [self.arrivals.len(), self.blocks.len()]);
        if lens != [len; 2] || blocks != [len.div_ceil(BLOCK); 2] || self.groups.len() != blocks[0].div_ceil(BLOCK) {
            return Some(format!("{lens:?} ticks in {blocks:?} blocks, {} groups, for {len} rows", self.groups.len()));
        }
        let is_unknown = |row: &usize| {
            let at = row / BLOCK;
            let (block, group) = (&self.blocks[at], &self.groups[at / BLOCK]);
            self.added[*row] > self.arrivals[at]
                || !block.knows(*row, self.changed_at(*row))
                || !group.knows(at, block.span().latest)
        };
        (0..len).find(is_unknown).map(|row| format!("row {row} has ticks that its block does not know"))
    }
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
            match random(9) {
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
                5 if !model.is_empty() => {
                    let start = random(model.len());
                    let end = start + random((model.len() - start).min(3 * BLOCK) + 1);
                    ticks.begin(now);
                    #[cfg(feature = "parallel")]
                    if random(2) == 0 {
                        ticks.begin_together();
                    }
                    // SAFETY: rows there are.
                    unsafe { ticks.mark_rows(start, end) };
                    model[start..end].iter_mut().for_each(|(_, changed)| *changed = now);
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
