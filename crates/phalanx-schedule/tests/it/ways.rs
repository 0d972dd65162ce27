//! In a row; and side by side, where there are threads.

use phalanx_schedule::Schedule;
#[cfg(feature = "parallel")]
use phalanx_schedule::Threads;

/// How a schedule runs systems that do not get in each other's way.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    InRow,
    #[cfg(feature = "parallel")]
    SideBySide,
}

/// All there are.
pub const WAYS: &[Way] = &[
    Way::InRow,
    #[cfg(feature = "parallel")]
    Way::SideBySide,
];

impl Way {
    #[cfg(feature = "parallel")]
    pub fn set(self, schedule: &mut Schedule) {
        schedule.set_threads(match self {
            Self::InRow => Threads::Never,
            Self::SideBySide => Threads::Always,
        });
    }

    #[cfg(not(feature = "parallel"))]
    pub fn set(self, schedule: &mut Schedule) {
        let (Self::InRow, _) = (self, schedule);
    }
}
