//! What a table keeps beside its values, by row, for components that ask for it: ticks of tracked ones, disabled rows of toggles.
//!
//! ```text
//! Position  [ p | p | p ]
//! Health    [ h | h | h ]      #[component(track)]     ticks  [ 4 | 9 | 2 ]
//! Shield    [ s | s | s ]      #[component(toggle)]    off    { row 1 }
//! ```
//!
//! Sides follow the rows through every move. A table without such components has none, and nothing is paid for them.

use super::bits::Bits;
use super::ticks::Ticks;
use crate::component::{ComponentId, Registry};

/// The sides of one table.
#[derive(Default)]
pub(crate) struct Sides {
    ticks: Box<[(ComponentId, Ticks)]>,
    off: Box<[(ComponentId, Bits)]>,
}

fn find<S>(list: &[(ComponentId, S)], component: ComponentId) -> Option<&S> {
    list.iter().find(|(id, _)| *id == component).map(|(_, side)| side)
}

fn find_mut<S>(list: &mut [(ComponentId, S)], component: ComponentId) -> Option<&mut S> {
    list.iter_mut().find(|(id, _)| *id == component).map(|(_, side)| side)
}

impl Sides {
    /// Those of a table with these components, without rows.
    pub(super) fn new(components: &[ComponentId], registry: &Registry) -> Self {
        let with = |flag: fn(&crate::component::ComponentInfo) -> bool| {
            components.iter().copied().filter(move |c| flag(registry.at(*c)))
        };
        Self {
            ticks: with(|info| info.is_tracked()).map(|c| (c, Ticks::default())).collect(),
            off: with(|info| info.is_toggle()).map(|c| (c, Bits::default())).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ticks.is_empty() && self.off.is_empty()
    }

    pub(crate) fn ticks(&self, component: ComponentId) -> Option<&Ticks> {
        find(&self.ticks, component)
    }

    pub(crate) fn ticks_mut(&mut self, component: ComponentId) -> Option<&mut Ticks> {
        find_mut(&mut self.ticks, component)
    }

    pub(crate) fn off(&self, component: ComponentId) -> Option<&Bits> {
        find(&self.off, component)
    }

    pub(crate) fn off_mut(&mut self, component: ComponentId) -> Option<&mut Bits> {
        find_mut(&mut self.off, component)
    }

    /// All rows up to `len` that have no ticks yet arrived now.
    pub(crate) fn extend_to(&mut self, len: usize, now: u32) {
        for (_, ticks) in &mut self.ticks {
            ticks.extend_to(len, now);
        }
    }

    /// A row of `source`, which has `len`, becomes the row `to`, the last one, here; the last row of `source` fills the hole. What the
    /// source does not have arrives now.
    pub(super) fn take_row(&mut self, to: usize, source: &mut Self, row: usize, len: usize, now: u32) {
        for (component, ticks) in &mut self.ticks {
            let (added, changed) =
                source.ticks(*component).map_or((now, now), |old| (old.added_at(row), old.changed_at(row)));
            debug_assert_eq!(ticks.len(), to);
            ticks.push(added, changed);
        }
        for (component, off) in &mut self.off {
            off.set(to, source.off(*component).is_some_and(|old| old.get(row)));
        }
        source.swap_remove(row, len);
    }

    /// Takes a row out of `len`: the last one moves into the hole.
    pub(super) fn swap_remove(&mut self, row: usize, len: usize) {
        for (_, ticks) in &mut self.ticks {
            ticks.swap_remove(row);
        }
        for (_, off) in &mut self.off {
            off.swap_remove(row, len);
        }
    }

    /// Becomes the sides of a table that has taken over all `len` rows of the one with `old` sides.
    pub(super) fn take_over(&mut self, mut old: Self, len: usize, now: u32) {
        for (component, ticks) in &mut self.ticks {
            if let Some(theirs) = old.ticks_mut(*component) {
                std::mem::swap(ticks, theirs);
            }
            ticks.extend_to(len, now);
        }
        for (component, off) in &mut self.off {
            if let Some(theirs) = old.off_mut(*component) {
                std::mem::swap(off, theirs);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.ticks.iter_mut().for_each(|(_, ticks)| ticks.clear());
        self.off.iter_mut().for_each(|(_, off)| off.clear());
    }

    pub(super) fn shrink(&mut self) {
        self.ticks.iter_mut().for_each(|(_, ticks)| ticks.shrink());
        self.off.iter_mut().for_each(|(_, off)| off.shrink());
    }

    /// Makes all ticks smaller by `by`.
    pub(super) fn rebase(&mut self, by: u32) {
        self.ticks.iter_mut().for_each(|(_, ticks)| ticks.rebase(by));
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.ticks.iter().map(|(_, ticks)| ticks.bytes()).sum::<usize>()
            + self.off.iter().map(|(_, off)| off.bytes()).sum::<usize>()
    }

    /// The first thing that does not fit together, if any.
    pub(super) fn fault(&self, len: usize) -> Option<String> {
        let ticks = self.ticks.iter().find_map(|(c, ticks)| ticks.fault(len).map(|fault| (c, fault)));
        let off = || self.off.iter().find_map(|(c, off)| off.fault(len).map(|fault| (c, fault)));
        ticks.or_else(off).map(|(component, fault)| format!("{component:?}: {fault}"))
    }
}
