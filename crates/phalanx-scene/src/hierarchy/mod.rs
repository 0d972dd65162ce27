//! Parents and children.
//!
//! ```text
//! component ChildOf(parent)   on every child: what others insert, remove and query
//! tag Parent                  on every parent: so that it hears of its own end
//! resource Hierarchy          one link per entity, by index: parent, first and last child, both neighbours
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `links` | [`Hierarchy`]: the links, and how they are cut and tied |
//! | `walk` | iterators along the links |
//! | `child_of` | [`ChildOf`] and [`Parent`]: what they do by themselves when they come and go |
//! | `attach` | how entities become children: the links first, then what others see of them |
//! | `endings` | who ends with whom, by descent and by other ways, all at once |
//! | `forest` | trees that are cut and joined often, for the search for circles |
//! | `follower` | who is told at once that entities have other parents |
//! | `refusal` | who cannot be whose child, and how that is said |
//! | `kinship` | [`Kinship`]: what a world can do with all that |
//! | `trees` | whole trees, copied, left without their top, and moved to another world |

mod attach;
mod child_of;
mod endings;
mod follower;
mod forest;
mod kinship;
mod links;
mod refusal;
mod trees;
mod walk;

pub use child_of::{ChildOf, Parent};
pub(crate) use endings::{Endings, Way, end_all};
pub(crate) use follower::Follower;
pub use kinship::{Kinship, Place};
pub use links::Hierarchy;
pub use refusal::HierarchyError;
pub(crate) use refusal::why;
pub use walk::{Ancestors, Children, Descendants, Levels};
