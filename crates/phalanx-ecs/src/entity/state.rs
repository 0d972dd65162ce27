//! What the next ids depend on, as numbers.

use super::entities::Entities;

impl Entities {
    /// Who is alive, which generations the others have reached, and in which order indices are used again: equal numbers mean equal ids, now
    /// and from now on.
    pub(crate) fn state(&self) -> impl Iterator<Item = u64> + '_ {
        let stamps = self.stamps.iter().map(|stamp| stamp.get().into());
        let free = self.free.iter().map(u64::from);
        // Indices set aside that were never handed out come before any other.
        let gaps = self.reservations.gaps.iter().flat_map(|gap| [gap.start.into(), gap.end.into()]);
        let counts = [self.stamps.len(), self.free.len(), self.reservations.gaps.len()];
        counts.into_iter().map(|count| count as u64).chain(stamps).chain(free).chain(gaps)
    }

    /// The indices that wait to be used again, in order.
    pub(crate) fn waiting(&self) -> Vec<u32> {
        self.free.iter().collect()
    }
}
