//! `Location`: the table and the row an entity is in.

/// The number of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(u32);

impl TableId {
    /// No table has these numbers: pages of locations say other things with them.
    pub(super) const RESERVED: [Self; 2] = [Self(u32::MAX), Self(u32::MAX - 1)];

    /// The table with this number, which is below `u32::MAX - 1`.
    #[inline]
    pub const fn new(number: u32) -> Self {
        debug_assert!(number < u32::MAX - 1, "too many tables");
        Self(number)
    }

    /// The number, to index with.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub(super) u32);

impl Row {
    /// The row with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, to index with.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an entity is: a table, and a row of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The table that holds the entity.
    pub table: TableId,
    /// Its row, valid until the next removal from that table.
    pub row: Row,
}

impl Location {
    /// The location `rows` further down the same table.
    #[inline]
    pub(crate) fn down(self, rows: u32) -> Self {
        Self { table: self.table, row: Row(self.row.0.wrapping_add(rows)) }
    }
}
