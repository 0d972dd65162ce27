//! The invariants of the store, checked one by one. Slow, and meant for tests and for those who suspect a bug.

use super::store::Store;
use crate::component::StorageKind;

impl Store {
    /// Checks every invariant; the error names the first that is broken.
    pub(crate) fn validate(&self) -> Result<(), String> {
        self.entities.validate()?;
        if !self.may_have_gaps && self.tables.iter().any(super::Table::has_gaps) {
            return Err("a table has dead rows, and the store does not know it".into());
        }
        let mut rows = 0;
        for (at, archetype) in self.archetypes.iter().enumerate() {
            let table = &self.tables[archetype.table.index()];
            if table.archetype().index() != at {
                return Err(format!(
                    "archetype {at} names table {:?}, which names {:?}",
                    archetype.table,
                    table.archetype()
                ));
            }
            if !archetype.components.is_sorted() {
                return Err(format!("the components of archetype {at} are not sorted"));
            }
            let mut columns = table.columns().iter();
            for &component in &archetype.components {
                match self.registry.at(component).kind {
                    StorageKind::Set(_) => return Err(format!("archetype {at} names a sparse component")),
                    StorageKind::Tag | StorageKind::Shared(_) => {}
                    StorageKind::Column => {
                        if columns.next().map(super::column::Column::component) != Some(component) {
                            return Err(format!("the columns of archetype {at} are not those of its components"));
                        }
                    }
                }
                if !table.map().contains(component) {
                    return Err(format!("the map of archetype {at} lacks {component:?}"));
                }
            }
            if columns.next().is_some() {
                return Err(format!("archetype {at} has a column too many"));
            }
            if let Some(fault) = self.broken_dependency(table.archetype()) {
                return Err(format!("in archetype {at}: {fault}"));
            }
            if table.len() > table.capacity() {
                return Err(format!("the table of archetype {at} has more rows than room"));
            }
            if let Some(fault) = table.sides().fault(table.len()) {
                return Err(format!("beside the table of archetype {at}: {fault}"));
            }
            for (row, &index) in table.entities().iter().enumerate() {
                if table.dead().get(row) {
                    if self.entities.is_index_alive(index) {
                        return Err(format!(
                            "row {row} of archetype {at} waits to be collected, but index {index} is alive"
                        ));
                    }
                    continue;
                }
                if !self.entities.is_index_alive(index) {
                    return Err(format!("row {row} of archetype {at} belongs to index {index}, which is dead"));
                }
                let location = self.entities.location_at(index);
                if location.table != archetype.table || location.row.index() != row {
                    return Err(format!(
                        "index {index} is in row {row} of archetype {at}, but its location is {location:?}"
                    ));
                }
            }
            if let Some(fault) = table.dead().fault(table.len()) {
                return Err(format!("dead rows of archetype {at}: {fault}"));
            }
            rows += table.len() - table.dead().ones();
        }
        if rows != self.entities.len() {
            return Err(format!("{} entities are alive, but tables have {rows} rows", self.entities.len()));
        }
        let mut uses = vec![0_u32; self.tables.len()];
        let used = self.archetypes.iter().map(|archetype| archetype.table);
        for table in used.chain(self.vacant.iter().copied()) {
            match uses.get_mut(table.index()) {
                Some(count) => *count += 1,
                None => return Err(format!("there is no table {table:?}")),
            }
        }
        if let Some(at) = uses.iter().position(|count| *count != 1) {
            return Err(format!("table {at} is used or vacant {} times, and not once", uses[at]));
        }
        if !self.signature_map_agrees() {
            return Err("the map of signatures does not agree with the archetypes".into());
        }
        if let Some(fault) = self.fault_in_pools() {
            return Err(fault);
        }
        self.sets.validate(|index| self.entities.is_index_alive(index))
    }
}
