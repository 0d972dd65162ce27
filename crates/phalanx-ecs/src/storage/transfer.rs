//! Moving an entity to another store: its values change hands, none is cloned or dropped.

#![expect(unsafe_code, reason = "moves type-erased values between two stores")]

use super::store::Store;
use crate::component::{ComponentId, RegisterError, StorageKind};
use crate::entity::{EntitiesFull, Entity, Location, NoSuchEntity};

/// Why an entity stayed where it was.
pub(crate) enum TransferRefusal {
    Dead(NoSuchEntity),
    Full(EntitiesFull),
    /// The other store knows a run-time type of the same name with another layout.
    Type(RegisterError),
}

impl Store {
    /// Whether an entity can be moved into another store; registers its types there.
    #[track_caller]
    pub(crate) fn check_transfer(&self, entity: Entity, other: &mut Self) -> Result<(), TransferRefusal> {
        let caller = std::panic::Location::caller();
        let at = self.locate(entity).map_err(TransferRefusal::Dead)?;
        for mine in self.components_of(entity.index(), at) {
            let theirs = other.with_registry(|registry| registry.adopt(&self.registry, mine, caller));
            theirs.map_err(TransferRefusal::Type)?;
        }
        other.entities.check_room(1).map_err(TransferRefusal::Full)
    }

    /// Moves an entity, with all it has, into another store; answers its handle there.
    #[track_caller]
    pub(crate) fn transfer(&mut self, entity: Entity, other: &mut Self) -> Result<Entity, TransferRefusal> {
        let caller = std::panic::Location::caller();
        let at = self.locate(entity).map_err(TransferRefusal::Dead)?;
        let index = entity.index();
        let mut pairs: Vec<(ComponentId, ComponentId)> = Vec::new();
        for mine in self.components_of(index, at) {
            let theirs = other.with_registry(|registry| registry.adopt(&self.registry, mine, caller));
            pairs.push((mine, theirs.map_err(TransferRefusal::Type)?));
        }
        let target = other.archetype(pairs.iter().map(|(_, theirs)| *theirs).collect());
        let table = other.archetypes[target.index()].table;
        // Room comes before the id: making it can panic.
        other.tables[table.index()].reserve_one();
        other.reserve_sets(&pairs.iter().map(|(_, theirs)| *theirs).collect::<Vec<_>>());
        let new = other.entities.alloc().map_err(TransferRefusal::Full)?;
        // From here on nothing panics: bytes move, nobody's code runs.
        for &(mine, theirs) in &pairs {
            let info = other.registry.at(theirs);
            let place = match info.kind {
                StorageKind::Tag => continue,
                StorageKind::Set(set) => other.sets.prepare(set, new.index()),
                StorageKind::Column => {
                    let table = &other.tables[table.index()];
                    let column = table.map().column(theirs).expect("the target has it");
                    // SAFETY: a column of this table, which has room for one more row.
                    unsafe { table.cell(column, table.len()) }
                }
            };
            let source = self.cell_dyn(index, at, mine).expect("the entity has it").as_ptr();
            // SAFETY: both stores describe the same type; the value is taken out of this store below, without dropping it.
            unsafe { place.copy_from_nonoverlapping(source, info.size()) };
            if let StorageKind::Set(set) = info.kind {
                // SAFETY: prepared and written just now.
                unsafe { other.sets.commit(set, new.index(), other.era.now()) };
            }
        }
        // SAFETY: there is room, and every column of the row was written.
        let row = unsafe { other.tables[table.index()].commit_row(new.index()) };
        other.tables[table.index()].settle_sides(other.era.now());
        other.entities.set_location(new.index(), Location { table, row });

        let sets: Vec<_> = self.sets.of(index).collect();
        for set in sets {
            self.sets.take(set, index, |_| ());
        }
        // SAFETY: the row is the entity's, and its values have been moved away.
        let moved = unsafe { self.tables[at.table.index()].take_row(at.row.index()) };
        self.tables[at.table.index()].drop_sides(at.row.index());
        if let Some(moved) = moved {
            self.entities.set_location(moved, at);
        }
        let _ = self.entities.free(entity);
        Ok(new)
    }
}
