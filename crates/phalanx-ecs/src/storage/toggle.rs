//! Components switched off and on: a bit per row, nothing moves.

use super::store::Store;
use crate::component::{ComponentId, StorageKind};
use crate::entity::Location;

impl Store {
    /// Switches a component of a live entity off or on; answers whether it was on, or nothing if the entity does not have it or it is no toggle.
    pub(crate) fn switch(&mut self, index: u32, at: Location, component: ComponentId, on: bool) -> Option<bool> {
        // Tracked components have sides too.
        let info = self.registry.info(component).filter(|info| info.is_toggle())?;
        match info.kind {
            StorageKind::Set(set) => {
                let set = self.sets.get_mut(set);
                let row = set.row(index)?;
                set.side_mut().map(|side| !side.off.set(row, !on))
            }
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => {
                let side = self.tables[at.table.index()].sides_mut().get_mut(component)?;
                Some(!side.off.set(at.row.index(), !on))
            }
        }
    }

    /// Whether a component of a live entity is there and on.
    pub(crate) fn is_on(&self, index: u32, at: Location, component: ComponentId) -> bool {
        let Some(info) = self.registry.info(component) else { return false };
        match info.kind {
            StorageKind::Set(set) => {
                let set = self.sets.get(set);
                set.row(index).is_some_and(|row| !set.side().is_some_and(|side| side.off.get(row)))
            }
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => {
                let table = &self.tables[at.table.index()];
                let side = table.sides().get(component);
                table.map().contains(component) && !side.is_some_and(|side| side.off.get(at.row.index()))
            }
        }
    }
}
