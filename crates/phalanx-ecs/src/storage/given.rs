//! New rows for ids that were handed out before.

#![expect(unsafe_code, reason = "writes values into rows that are not part of a table yet")]

use super::bundles::{DuplicateInBundle, EdgeId, Way};
use super::spawn::{NewRows, Unplaced, WritePlain};
use super::store::Store;
use super::table::row_of;
use crate::bundle::BundleParts;
use crate::component::Panics;
use crate::entity::{Entity, Ids, Location, TableId};
use std::mem::ManuallyDrop;

impl Store {
    /// Whether spawning a bundle is nothing but writing its values: so it runs no code of anybody's.
    pub(crate) fn spawns_plainly<P: BundleParts>(&mut self) -> Result<bool, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        Ok(self.bundles.way(bundle) == Way::Typed && self.spawns_by_column(bundle))
    }

    /// Whether [`Store::spawn_given_fast`] will do.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn spawns_fast<P: BundleParts>(&self) -> bool {
        self.bundles.insert_shortcut::<P>(self.nothing()).is_some()
    }

    /// Only for bundles that spawn plainly.
    fn spawn_edge<P: BundleParts>(&mut self) -> Result<EdgeId, DuplicateInBundle> {
        let id = self.bundle::<P>()?;
        Ok(self.insert_edge(self.nothing(), id))
    }

    /// Spawns one entity with a reserved id, if that is nothing but writing bytes to where the last one of its kind went; else hands the bundle back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn spawn_given_fast<P: BundleParts>(&mut self, entity: Entity, parts: P) -> Result<(), P> {
        let Some(shortcut) = self.bundles.insert_shortcut::<P>(self.nothing()) else { return Err(parts) };
        // SAFETY: the target is a table of this store. There is room, and the parts, which are all there is to the row, are written as soon as it is part of the
        // table; nothing in between can panic.
        unsafe {
            let table = self.tables.get_unchecked_mut(shortcut.target.index());
            table.reserve_one();
            self.entities.enliven(&Ids::One(entity));
            let mut parts = ManuallyDrop::new(parts);
            let row = table.commit_row(entity.index());
            self.entities.set_location(entity.index(), Location { table: shortcut.target, row });
            let mut write = WritePlain { targets: &shortcut.parts, next: 0, table, row: row.index() };
            P::each_part(&raw mut *parts, &mut write);
        }
        Ok(())
    }

    /// Spawns one entity with a reserved id. Keeps panics of drops; if something else panics, the entity is gone again.
    pub(crate) fn spawn_given_one<P: BundleParts>(
        &mut self,
        entity: Entity,
        parts: P,
        panics: &mut Panics,
    ) -> Result<(), (DuplicateInBundle, P)> {
        let bundle = match self.bundle::<P>() {
            Ok(bundle) => bundle,
            Err(duplicate) => return Err((duplicate, parts)),
        };
        let edge = self.typed_edge(bundle, 1);
        self.entities.enliven(&Ids::One(entity));
        self.spawn_one_of_many(bundle, edge, entity, parts, panics);
        Ok(())
    }

    /// Spawns entities with reserved ids, as many as there are bundles; answers how many. Only for bundles that spawn plainly. If the iterator panics,
    /// nothing is spawned. Room is made for `following` more.
    pub(crate) fn spawn_given<P: BundleParts>(
        &mut self,
        ids: &[Ids],
        count: usize,
        following: usize,
        bundles: impl Iterator<Item = P>,
    ) -> Result<usize, DuplicateInBundle> {
        let edge = self.spawn_edge::<P>()?;
        let edge = self.bundles.edge(edge);
        assert!(edge.sets.is_empty() && edge.missing.is_empty(), "asked for before");
        let table = edge.target_table;
        let table_ref = &mut self.tables[table.index()];
        table_ref.reserve(count.saturating_add(following));
        let mut rows = NewRows { first: table_ref.len(), written: 0, table: table_ref };
        let columns = rows.columns::<P>(&edge.parts);
        // In here nothing is called but the iterator: so what the rows have in common stays in registers.
        for parts in bundles.take(count) {
            let mut parts = ManuallyDrop::new(parts);
            // SAFETY: the parts are ours, and there is room for `count` rows in every column.
            unsafe { P::write_row(&raw mut *parts, columns, rows.first + rows.written) };
            rows.written += 1;
        }
        let written = rows.written;
        let mut left = written;
        let used = || {
            ids.iter().map_while(move |ids| {
                let part = match ids {
                    _ if left == 0 => return None,
                    Ids::One(entity) => (Ids::One(*entity), 1),
                    Ids::Fresh(range) => {
                        let most = u32::try_from(left).map_or(range.end, |left| range.start.saturating_add(left));
                        let range = range.start..most.min(range.end);
                        (Ids::Fresh(range.clone()), range.len())
                    }
                };
                left -= part.1;
                Some(part.0)
            })
        };
        used().for_each(|ids| self.entities.enliven(&ids));
        // From here on the rows belong to the table.
        rows.written = 0;
        drop(rows);
        used().for_each(|ids| self.adopt_given(table, &ids));
        self.tables[table.index()].settle_sides(self.era.now());
        Ok(written)
    }

    /// Makes rows that were written behind the last one of a table its own.
    fn adopt_given(&mut self, table: TableId, ids: &Ids) {
        let table_ref = &mut self.tables[table.index()];
        // SAFETY: the caller wrote the rows, so there is room for them.
        unsafe {
            match ids {
                Ids::One(entity) => {
                    let row = table_ref.commit_row(entity.index());
                    self.entities.set_location(entity.index(), Location { table, row });
                }
                Ids::Fresh(range) => {
                    let row = row_of(table_ref.len());
                    table_ref.commit_rows(range.clone());
                    self.entities.set_location_range(range.start, range.end - range.start, Location { table, row });
                }
            }
        }
    }

    /// These reserved ids will not come to life.
    pub(crate) fn give_up_each(&mut self, entities: &[Entity]) {
        for entity in entities {
            self.entities.give_up(&Ids::One(*entity));
        }
    }

    /// Spawns entities with reserved ids, one per bundle of an iterator; answers how many. If something panics there are none, and the ids are given up.
    pub(crate) fn spawn_given_one_by_one<P: BundleParts>(
        &mut self,
        entities: &[Entity],
        bundles: impl Iterator<Item = P>,
    ) -> Result<usize, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        let (mut panics, mut rows) = (Panics::default(), Unplaced(Vec::new()));
        panics.catch(|| rows.0.extend(bundles.take(entities.len())));
        if panics.any() {
            self.give_up_each(entities);
            drop(rows);
            panics.resume();
            return Ok(0);
        }
        let edge = self.typed_edge(bundle, rows.0.len());
        let (mut done, count) = (0, rows.0.len());
        let mut rest = std::mem::take(&mut rows.0).into_iter();
        for parts in rest.by_ref() {
            let mut placed = false;
            panics.catch(|| {
                self.entities.enliven(&Ids::One(entities[done]));
                let mut superfluous = Panics::default();
                self.spawn_one_of_many(bundle, edge, entities[done], parts, &mut superfluous);
                superfluous.resume();
                placed = true;
            });
            if !placed {
                break;
            }
            done += 1;
        }
        if done < count {
            // One whose constructor panicked is gone already. If it was the drop of a value that an equal one made superfluous, it has its row.
            let placed = done + usize::from(self.entities.is_alive(entities[done]));
            for entity in &entities[..placed] {
                panics.catch(|| self.despawn(*entity).expect("spawned just now"));
            }
            // Those after it never came.
            self.give_up_each(&entities[done + 1..]);
        }
        rows.0 = rest.collect();
        drop(rows);
        panics.resume();
        Ok(done)
    }
}
