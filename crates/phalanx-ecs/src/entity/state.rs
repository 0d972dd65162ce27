//! What the next ids depend on, as numbers.

use super::entities::Entities;

impl Entities {
    /// Who is alive, which generations the others have reached, and in which order indices are used again: equal numbers mean equal ids, now
    /// and from now on.
    pub(crate) fn state(&self) -> impl Iterator<Item = u64> + '_ {
        let stamps = self.stamps.iter().map(|stamp| stamp.get().into());
        let free = self.free.iter().map(u64::from);
        [self.stamps.len() as u64].into_iter().chain(stamps).chain([self.free.len() as u64]).chain(free)
    }
}
