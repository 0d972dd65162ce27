//! All values of one component, wherever they are.

#![expect(unsafe_code, reason = "shows type-erased values by reference")]

use super::store::Store;
use crate::component::{ComponentId, DynRef, StorageKind};
use std::ptr::NonNull;

/// One value of a component.
pub(crate) struct Found<'w> {
    /// The index of the entity that has it.
    pub(crate) index: u32,
    /// Whether the component is switched off there.
    pub(crate) off: bool,
    pub(crate) value: DynRef<'w>,
}

impl Store {
    /// Shows all values of a registered component: in the order of tables and rows, or of its sparse set. Rows of dead entities are passed over.
    pub(crate) fn each_value<'w>(&'w self, component: ComponentId, mut visit: impl FnMut(Found<'w>)) {
        let info = self.registry.at(component);
        if let StorageKind::Set(set) = info.kind {
            let set = self.sets.get(set);
            for (row, index) in set.owners().enumerate() {
                let off = set.side().is_some_and(|side| side.off.get(row));
                // SAFETY: a row of the set, so a valid value of its component, as long as the store is borrowed.
                let value = unsafe { DynRef::new(info, NonNull::new_unchecked(set.values().cell(row))) };
                visit(Found { index, off, value });
            }
            return;
        }
        for &archetype in self.archetypes_with(component) {
            let table = self.table_of(archetype);
            let column = table.map().column(component);
            let shared = info.is_shared().then(|| table.shared_cells()[column.expect("it is shared").index()]);
            let side = table.sides().get(component);
            for (row, &index) in table.entities().iter().enumerate() {
                if table.dead().get(row) {
                    continue;
                }
                let off = side.is_some_and(|side| side.off.get(row));
                // SAFETY: a row of the table and one of its columns, so a valid value, as long as the store is borrowed; a tag has no bytes, and
                // lies at any aligned place.
                let value = unsafe {
                    let data = match (column, shared) {
                        (_, Some(cell)) => cell.as_ptr(),
                        (Some(column), None) => table.cell(column, row),
                        (None, None) => std::ptr::without_provenance_mut(info.align()),
                    };
                    DynRef::new(info, NonNull::new_unchecked(data))
                };
                visit(Found { index, off, value });
            }
        }
    }
}
