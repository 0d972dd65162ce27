//! Moving an entity to another store: its values change hands, and none is cloned or dropped but shared ones.
//!
//! ```text
//! a shared value     an equal one is there      nobody else has it here     others have it here
//! the other store    the entity gets that one   the value moves             a clone is made
//! this store         it is dropped with the     nothing stays               it stays with them
//!                    last entity that has it
//! ```

#![expect(unsafe_code, reason = "moves type-erased values between two stores")]

use super::archetype::{ArchetypeId, SharedValue};
use super::store::Store;
use crate::component::{Cloning, ComponentId, Panics, RegisterError, StorageKind};
use crate::entity::{EntitiesFull, Entity, Location, NoSuchEntity};

/// Why an entity stayed where it was.
pub(crate) enum TransferRefusal {
    Dead(NoSuchEntity),
    Full(EntitiesFull),
    /// The other store knows a run-time type of the same name with another layout.
    Type(RegisterError),
    /// Other entities have the same value of a shared component, and it cannot be cloned.
    Shared(ComponentId),
}

/// How a shared value gets into another store.
#[derive(Clone, Copy)]
enum How {
    /// There is an equal one.
    Found,
    /// Nobody else has it here.
    Moves,
    /// Others have it here.
    Cloned(Cloning),
}

/// A shared value of an entity that moves.
struct Travelling {
    mine: SharedValue,
    /// Component and number in the other store.
    component: ComponentId,
    number: u32,
    how: How,
}

/// An entity that can move to another store: what it has is known there, has room, and its shared values are found or made.
pub(crate) struct Transfer {
    entity: Entity,
    /// Each of its components, here and there.
    pairs: Vec<(ComponentId, ComponentId)>,
    travelling: Vec<Travelling>,
    /// What stays behind, and is gone then.
    left_out: Vec<ComponentId>,
    /// Where it goes.
    target: ArchetypeId,
    /// Its handle there.
    new: Entity,
}

/// Components that travel, here and there, and those that stay behind.
type Paired = (Vec<(ComponentId, ComponentId)>, Vec<ComponentId>);

impl Transfer {
    /// The handle that the entity will have there.
    pub(crate) fn arrives_as(&self) -> Entity {
        self.new
    }

    /// The id there of a component that the entity has, unless it stays behind.
    pub(crate) fn adopted(&self, mine: ComponentId) -> Option<ComponentId> {
        self.pairs.iter().find(|(here, _)| *here == mine).map(|(_, there)| *there)
    }
}

impl Store {
    /// What stays behind of an entity that moves to another store, and what travels.
    fn parted(&self, entity: Entity, at: Location) -> (Vec<ComponentId>, Vec<ComponentId>) {
        let all = self.components_of(entity.index(), at);
        let left_out: Vec<_> = all.iter().copied().filter(|c| self.registry.at(*c).left_out_of_moves).collect();
        // A tag stays behind with what it depends on.
        let left_out = self.with_dependents(&left_out);
        all.into_iter().partition(|mine| left_out.contains(mine))
    }

    /// What travels of an entity that moves to another store; nothing if it is not alive.
    pub(crate) fn travelling(&self, entity: Entity) -> Vec<ComponentId> {
        self.entities.locate(entity).map_or_else(Vec::new, |at| self.parted(entity, at).1)
    }

    /// The type of each component of an entity here and in another store, where it is registered if it is new.
    fn pair_types(
        &self,
        entity: Entity,
        at: Location,
        other: &mut Self,
        caller: &'static std::panic::Location<'static>,
    ) -> Result<Paired, TransferRefusal> {
        let mut pairs = Vec::new();
        let (left_out, travelling) = self.parted(entity, at);
        for mine in travelling {
            let theirs = other.with_registry(|registry| registry.adopt(&self.registry, mine, caller));
            pairs.push((mine, theirs.map_err(TransferRefusal::Type)?));
        }
        Ok((pairs, left_out))
    }

    /// Looks for the shared values of an entity in another store, and how those that are not there can get there. Runs somebody's code (`Hash`, `Eq`).
    fn seek_shared(
        &self,
        at: Location,
        pairs: &[(ComponentId, ComponentId)],
        other: &mut Self,
    ) -> Result<Vec<Travelling>, TransferRefusal> {
        let archetype = &self.archetypes[self.tables[at.table.index()].archetype().index()];
        let mut travelling = Vec::new();
        for &(mine, component) in pairs {
            let Some(from) = archetype.value_of(mine) else { continue };
            let (pool, info) = (self.pool(mine), self.registry.at(mine));
            // SAFETY: a value that an entity has, of a type that both stores describe alike.
            let number = unsafe { other.pool_mut(component).seek(pool.cell(from).as_ptr()) };
            let how = if !other.pool(component).is_fresh() {
                How::Found
            } else if pool.rows(from) == 1 {
                How::Moves
            } else {
                match info.cloning {
                    Cloning::Never => return Err(TransferRefusal::Shared(mine)),
                    cloning => How::Cloned(cloning),
                }
            };
            travelling.push(Travelling { mine: SharedValue { component: mine, number: from }, component, number, how });
        }
        Ok(travelling)
    }

    /// Collects the rows of the dead that have the same value of a shared component as an entity, if nobody else has it; answers whether there were any.
    pub(crate) fn collect_dead_holders(&mut self, entity: Entity, component: ComponentId) -> bool {
        let Some(at) = self.entities.locate(entity) else { return false };
        let archetype = self.tables[at.table.index()].archetype();
        let Some(number) = self.archetypes[archetype.index()].value_of(component) else { return false };
        let holders = self.pool(component).archetypes(number).to_vec();
        let mut living = 0;
        for holder in &holders {
            let table = self.table_of(*holder);
            living += table.len() - table.dead().ones();
        }
        if living > 1 || self.pool(component).rows(number) == living {
            return false;
        }
        let mut panics = Panics::default();
        for holder in holders {
            self.collect_table(self.archetypes[holder.index()].table, &mut panics);
        }
        panics.resume();
        true
    }

    /// Does all that moving an entity into another store can be refused for and that runs somebody's code (`Hash`, `Eq`, `Clone`). Nobody sees anything of it
    /// in either store; [`Store::complete_transfer`] follows, before anything else is done to the other one.
    #[track_caller]
    pub(crate) fn prepare_transfer(&self, entity: Entity, other: &mut Self) -> Result<Transfer, TransferRefusal> {
        let caller = std::panic::Location::caller();
        let at = self.locate(entity).map_err(TransferRefusal::Dead)?;
        // Before types are made known and a table is made that would then stay empty.
        other.entities.check_room(1).map_err(TransferRefusal::Full)?;
        let (pairs, left_out) = self.pair_types(entity, at, other, caller)?;
        let travelling = self.seek_shared(at, &pairs, other)?;
        let values: Vec<SharedValue> =
            travelling.iter().map(|t| SharedValue { component: t.component, number: t.number }).collect();
        let target = other.archetype(pairs.iter().map(|(_, theirs)| *theirs).collect(), &values);
        let table = other.archetypes[target.index()].table;
        // Room comes before the id: making it can panic.
        other.tables[table.index()].reserve_one();
        other.reserve_sets(&pairs.iter().map(|(_, theirs)| *theirs).collect::<Vec<_>>());
        let new = other.entities.alloc().map_err(TransferRefusal::Full)?;
        if let Err(panics) = self.clone_shared(&travelling, other) {
            // The id was never seen by anybody.
            let _ = other.entities.free(new);
            panics.resume();
            unreachable!("a clone panicked");
        }
        Ok(Transfer { entity, pairs, travelling, left_out, target, new })
    }

    /// Moves an entity, with all it has, into another store. A shared value that others have too stays, and is cloned if there is no equal
    /// one in the other store. No components have come or gone in either store since this was prepared for them; values may have changed.
    pub(crate) fn complete_transfer(&mut self, transfer: Transfer, other: &mut Self) {
        let Transfer { entity, pairs, travelling, left_out, target, new } = transfer;
        let at = self.entities.locate(entity).expect("alive when this was prepared");
        let (index, table) = (entity.index(), other.archetypes[target.index()].table);
        // From here on nothing panics: bytes move, nobody's code runs.
        for value in &travelling {
            let (from, to) = (self.pool(value.mine.component).cell(value.mine.number), other.pool_mut(value.component));
            // SAFETY: the place of a fresh value gets it now, or a clone was written to it above; one that moves is forgotten here below.
            unsafe {
                if matches!(value.how, How::Moves) {
                    let size = self.registry.at(value.mine.component).size();
                    to.cell(value.number).as_ptr().copy_from_nonoverlapping(from.as_ptr(), size);
                }
                to.settle_in_place();
            }
        }
        for &(mine, theirs) in &pairs {
            let info = other.registry.at(theirs);
            let place = match info.kind {
                StorageKind::Tag | StorageKind::Shared(_) => continue,
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
        let mut panics = Panics::default();
        other.shift(ArchetypeId::EMPTY, target, 1, &mut panics);

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
        for value in travelling {
            if matches!(value.how, How::Moves) {
                self.pool_mut(value.mine.component).forget(value.mine.number);
            }
        }
        self.leave(self.tables[at.table.index()].archetype(), ArchetypeId::EMPTY, 1, &mut panics);
        for component in left_out {
            let info = self.registry.at(component);
            if let (StorageKind::Tag, Some(drop)) = (info.kind, info.drop) {
                // SAFETY: a tag has no bytes, and the entity that had it is gone: it is dropped this once. All else that stays behind has nothing to drop.
                panics.catch(|| unsafe { drop(std::ptr::without_provenance_mut(info.align()), 1) });
            }
        }
        panics.resume();
    }

    /// Writes clones of shared values that stay here to their places in another store, where nobody sees them yet: all of them, or none if one panics.
    fn clone_shared(&self, travelling: &[Travelling], other: &Self) -> Result<(), Panics> {
        let mut panics = Panics::default();
        let mut made: Vec<&Travelling> = Vec::new();
        for value in travelling {
            let How::Cloned(cloning) = value.how else { continue };
            let (pool, size) = (self.pool(value.mine.component), self.registry.at(value.mine.component).size());
            let (from, to) =
                (pool.cell(value.mine.number).as_ptr(), other.pool(value.component).cell(value.number).as_ptr());
            // SAFETY: a valid value, and a place for one that holds none.
            panics.catch(|| unsafe {
                match cloning {
                    Cloning::By(clone) => clone(from, to),
                    Cloning::Bytes | Cloning::Never => to.copy_from_nonoverlapping(from, size),
                }
            });
            if panics.any() {
                for value in made {
                    if let Some(drop) = other.registry.at(value.component).drop {
                        // SAFETY: written above, and nobody knows of it.
                        panics.catch(|| unsafe { drop(other.pool(value.component).cell(value.number).as_ptr(), 1) });
                    }
                }
                return Err(panics);
            }
            made.push(value);
        }
        Ok(())
    }
}
