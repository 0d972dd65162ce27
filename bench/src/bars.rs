//! What Phalanx must show: one bar per row and variant.

use crate::harness::rounds::{Line, RowResult};
use crate::workloads::{self, Workload};

/// A limit for one line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// At most so many times the hand-written code.
    Raw(f64),
    /// At most so many times the best peer of the same run.
    BestPeer(f64),
    /// At most 1.05 times the hand-written code and so many nanoseconds.
    Above(f64),
    /// At most so many nanoseconds per item.
    Nanoseconds(f64),
    /// At most so many bytes per entity.
    Bytes(f64),
}

/// All bars: row, variant, limit.
const BARS: &[(&Workload, &str, Bar)] = &[
    (&workloads::SIMPLE_INSERT, "", Bar::Raw(1.4)),
    (&workloads::SIMPLE_INSERT_ROWS, "", Bar::Raw(1.6)),
    (&workloads::SIMPLE_ITER, "", Bar::Raw(1.03)),
    (&workloads::SIMPLE_ITER, "flat", Bar::Raw(0.45)),
    (&workloads::FRAG_ITER, "", Bar::Raw(1.05)),
    (&workloads::FRAG_ITER, "table", Bar::Raw(1.05)),
    (&workloads::HEAVY_COMPUTE, "", Bar::Raw(1.02)),
    (&workloads::ADD_REMOVE, "sparse", Bar::BestPeer(1.0)),
    (&workloads::ADD_REMOVE, "table", Bar::Raw(10.0)),
    (&workloads::ADD_REMOVE_5COLS, "sparse", Bar::BestPeer(1.0)),
    (&workloads::ADD_REMOVE_5COLS, "table", Bar::Raw(16.0)),
    (&workloads::DESPAWN, "", Bar::Raw(1.9)),
    (&workloads::SPAWN_ONE, "", Bar::Raw(1.6)),
    (&workloads::RANDOM_GET, "", Bar::BestPeer(1.05)),
    (&workloads::RANDOM_GET_MUT, "", Bar::BestPeer(1.05)),
    (&workloads::ITER_1M, "", Bar::Raw(1.03)),
    (&workloads::ITER_1M, "flat", Bar::Raw(0.95)),
    (&workloads::PAR_ITER_1M, "", Bar::Raw(1.03)),
    (&workloads::FILTERED_ITER, "", Bar::Raw(1.03)),
    (&workloads::SPARSE_ITER, "", Bar::Raw(1.02)),
    (&workloads::BULK_ADD, "", Bar::Raw(1.3)),
    (&workloads::CHANGED_ITER, "", Bar::Raw(3.0)),
    (&workloads::COMMANDS, "", Bar::Raw(1.2)),
    (&workloads::COMMANDS_BATCH, "", Bar::Raw(1.7)),
    (&workloads::OBSERVED, "", Bar::Raw(1.02)),
    (&workloads::TOGGLE_ITER, "", Bar::Raw(1.3)),
    (&workloads::COLLECT, "", Bar::Raw(2.0)),
    (&workloads::SHARED_ITER, "", Bar::Raw(1.1)),
    (&workloads::SHARED_EDIT, "", Bar::Raw(1.3)),
    (&workloads::SCHEDULE, "", Bar::Raw(1.06)),
    (&workloads::EMPTY_SYSTEMS_100, "", Bar::Raw(4.0)),
    (&workloads::SYSTEMS_1000, "", Bar::Above(10.0)),
    (&workloads::SYSTEMS_CHAIN_1000, "", Bar::Above(10.0)),
    (&workloads::SYSTEMS_ASLEEP_9000, "", Bar::Above(10.0)),
    (&workloads::SYSTEMS_ONE_HEAVY, "", Bar::Above(10.0)),
    (&workloads::HIERARCHY, "", Bar::Raw(1.2)),
    (&workloads::HIERARCHY, "written", Bar::Raw(1.2)),
    (&workloads::HIERARCHY_1PCT, "", Bar::Raw(0.03)),
    (&workloads::HIERARCHY_1PCT, "leaves", Bar::Raw(0.03)),
    (&workloads::HIERARCHY_1PCT, "in_all", Bar::Raw(0.03)),
    (&workloads::TRANSFORMS, "", Bar::BestPeer(1.0)),
    (&workloads::TRANSFORMS_RANDOM, "", Bar::BestPeer(1.0)),
    (&workloads::TRANSFORMS_1PCT, "", Bar::BestPeer(1.0)),
    (&workloads::TRANSFORMS_WIDE, "", Bar::BestPeer(1.0)),
    (&workloads::TRANSFORMS_DEEP, "", Bar::BestPeer(1.0)),
    (&workloads::REPARENT, "", Bar::Nanoseconds(60.0)),
    (&workloads::SCENE_WALK, "", Bar::Raw(1.02)),
    (&workloads::SCENE_WALK, "system", Bar::Raw(1.02)),
    (&workloads::ROLES_400, "half", Bar::Raw(2.0)),
    (&workloads::ROLES_400, "tenth", Bar::Raw(2.0)),
    (&workloads::ROLES_400, "hundredth", Bar::Raw(2.0)),
    (&workloads::ADD_MATCHING, "", Bar::Nanoseconds(2.0)),
    (&workloads::ADD_MATCHING, "ten_tables", Bar::Nanoseconds(2.0)),
    (&workloads::PREFAB, "", Bar::Raw(1.5)),
    (&workloads::MEMORY, "", Bar::Bytes(40.0)),
];

impl Bar {
    /// The bar of this row and variant, where there is one.
    pub fn of(workload: &Workload, variant: &str) -> Option<Self> {
        let found = BARS.iter().find(|(row, of_variant, _)| *row == workload && *of_variant == variant);
        found.map(|&(_, _, bar)| bar)
    }

    /// The limit in words.
    pub fn limit(self, row: &RowResult) -> String {
        match self {
            Self::Raw(limit) => format!("<= {limit:.2} x raw"),
            Self::BestPeer(limit) => {
                format!("<= {limit:.2} x best peer ({})", row.best_peer.as_deref().unwrap_or("none ran"))
            }
            Self::Above(limit) => format!("<= {limit:.0} ns above 1.05 x raw"),
            Self::Nanoseconds(limit) => format!("<= {limit:.0} ns"),
            Self::Bytes(limit) => format!("<= {limit:.0} bytes"),
        }
    }

    /// The figure that the limit is about, or `None` when this run cannot tell.
    pub fn figure(self, line: &Line) -> Option<f64> {
        match self {
            Self::Raw(_) => Some(line.x_raw),
            Self::BestPeer(_) => line.x_peer,
            // What the hand-written code took, by the ratio of pairs: medians of both may be of different moments.
            Self::Above(_) => Some(line.median - 1.05 * line.median / line.x_raw),
            Self::Nanoseconds(_) | Self::Bytes(_) => Some(line.median),
        }
    }

    /// Whether the line meets this bar, or `None` when this run cannot tell.
    pub fn is_met(self, line: &Line) -> Option<bool> {
        let (Self::Raw(limit)
        | Self::BestPeer(limit)
        | Self::Above(limit)
        | Self::Nanoseconds(limit)
        | Self::Bytes(limit)) = self;
        self.figure(line).map(|figure| figure <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::{BARS, Bar};
    use crate::workloads;

    #[test]
    fn every_row_has_a_bar() {
        for workload in workloads::ALL {
            assert!(BARS.iter().any(|(row, _, _)| *row == workload), "no bar for {}", workload.name);
        }
    }

    #[test]
    fn a_variant_has_its_own_bar() {
        assert_eq!(Bar::of(&workloads::SIMPLE_ITER, "flat"), Some(Bar::Raw(0.45)));
        assert_eq!(Bar::of(&workloads::SIMPLE_ITER, ""), Some(Bar::Raw(1.03)));
        assert_eq!(Bar::of(&workloads::SIMPLE_ITER, "other"), None);
    }
}
