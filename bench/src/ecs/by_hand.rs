//! Hand-written loops for rows whose `raw` is Phalanx itself: over exactly the rows of columns that must be visited, which a list names that was made before. Nothing is looked for, noted or
//! checked: what is left is what the work costs where those rows lie.

use super::{scenes, trees};
use crate::harness::Cases;

pub fn register(cases: &mut Cases) {
    trees::by_hand(cases);
    scenes::by_hand(cases);
}
