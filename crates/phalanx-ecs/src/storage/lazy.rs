//! Rows that stay behind when their entity dies, and are collected later.
//!
//! ```text
//! entities  [  7  |  2  |  9  |  4  ]
//! dead      {        2              }      walks pass over row 1; its values are dropped when it is collected
//! ```
//!
//! The index of such an entity is not used again before its row is gone, so no location can be mistaken for another's.

#![expect(unsafe_code, reason = "drops and takes out rows")]

use super::archetype::ArchetypeId;
use super::store::Store;
use super::table::{Table, row_of};
use crate::component::Panics;
use crate::entity::{Entities, Entity, Location, NoSuchEntity, NotAliveReason, TableId};

/// A row whose entity is dead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DeadRow {
    table: u32,
    row: u32,
}

/// Why `entity` is not alive. Only for handles that are not.
pub(crate) fn why_not(entities: &Entities, tables: &[Table], entity: Entity) -> NoSuchEntity {
    let (mut why, index) = (entities.why(entity), entity.index());
    if let NotAliveReason::Despawned { now, reused: false } = why.reason {
        // Where an index was last is kept until it is somewhere else; so see who is there now.
        let Location { table, row } = entities.location_at(index);
        let (table, row) = (tables.get(table.index()), row.index());
        if table.is_some_and(|table| table.entities().get(row) == Some(&index) && table.dead().get(row)) {
            why.reason = NotAliveReason::Uncollected { now };
        }
    }
    why
}

impl Store {
    /// Ends an entity and leaves its row. Sparse values are dropped at once.
    pub(crate) fn despawn_lazy(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let at = self.locate(entity)?;
        self.entities.end_uncollected(entity.index());
        let table = &mut self.tables[at.table.index()];
        if table.dead().ones() == 0 {
            // Moving rows out of this table is more than moving bytes now.
            self.bundles.forget_shortcuts();
        }
        table.set_dead(at.row.index());
        self.may_have_gaps = true;
        let mut panics = Panics::default();
        self.sets.remove_all(entity.index(), &mut panics);
        panics.resume();
        Ok(())
    }

    /// Why `entity` is not alive. Only for handles that are not.
    #[cold]
    #[inline(never)]
    pub(crate) fn why(&self, entity: Entity) -> NoSuchEntity {
        why_not(&self.entities, &self.tables, entity)
    }

    /// All rows that wait to be collected, in order of tables and rows.
    pub(crate) fn dead_rows(&self) -> Vec<DeadRow> {
        let tables = self.tables.iter().enumerate().filter(|(_, table)| table.dead().ones() > 0);
        let number = |at: usize| u32::try_from(at).expect("tables and rows are below 2³²");
        let rows = tables.flat_map(|(at, table)| table.dead().iter().map(move |row| (at, row)));
        rows.map(|(table, row)| DeadRow { table: number(table), row: number(row) }).collect()
    }

    /// How many rows there are, dead ones included.
    pub(crate) fn rows(&self) -> usize {
        self.tables.iter().map(Table::len).sum()
    }

    /// Collects rows that wait for it, which are in order. Goes from the last one to the first, until `go_on` says no; answers how many.
    pub(crate) fn collect_rows(&mut self, rows: Vec<DeadRow>, mut go_on: impl FnMut() -> bool) -> usize {
        debug_assert!(rows.is_sorted());
        let (mut panics, mut collected) = (Panics::default(), 0);
        // From the end: then the row that fills a hole is none of those still to go.
        for DeadRow { table, row } in rows.into_iter().rev() {
            if !go_on() {
                break;
            }
            self.collect_row(TableId::new(table), row as usize, &mut panics);
            collected += 1;
        }
        self.may_have_gaps = self.tables.iter().any(Table::has_gaps);
        panics.resume();
        collected
    }

    fn collect_row(&mut self, table_id: TableId, row: usize, panics: &mut Panics) {
        let table = &mut self.tables[table_id.index()];
        assert!(table.dead().get(row), "the row waits to be collected");
        let (archetype, index) = (table.archetype(), table.entities()[row]);
        // SAFETY: a row of the table, whose values nobody can see; it is dropped once and then taken out.
        let moved = unsafe {
            table.drop_row(row, panics);
            table.take_row(row)
        };
        table.drop_sides(row);
        if let Some(moved) = moved {
            self.entities.set_location(moved, Location { table: table_id, row: row_of(row) });
        }
        self.entities.release_collected(index);
        self.leave(archetype, ArchetypeId::EMPTY, 1, panics);
    }

    /// Collects all rows of a table that wait for it, and keeps panics of drops.
    pub(super) fn collect_table(&mut self, table: TableId, panics: &mut Panics) {
        if self.tables[table.index()].has_gaps() {
            let mut rows: Vec<usize> = self.tables[table.index()].dead().iter().collect();
            // From the end: then the row that fills a hole is none of those still to go.
            rows.reverse();
            for row in rows {
                self.collect_row(table, row, panics);
            }
            self.may_have_gaps = self.tables.iter().any(Table::has_gaps);
        }
    }
}
