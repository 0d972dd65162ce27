//! Roles of entities in scenes.
//!
//! ```text
//! Drawn, in scene 0   ─► tag "Drawn@0"   depends on Mesh and Place: it goes when one of them goes, on every route
//! Drawn, in scene 1   ─► tag "Drawn@1"
//!
//! {Mesh, Place, Drawn@0}: table 3          a system of scene 0 walks whole tables
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `kind` | [`Node`]: a role as a type |
//! | `kinds` | the roles a world knows, what they need, and their tags |
//! | `crowd` | entities whose roles are many |
//! | `edit` | becoming a node and ceasing to be one, one by one and in bulk |
//! | `left` | [`NodeLeft`]: who has ceased to be one |
//! | `commands` | the same as `edit`, queued |
//! | `nodes` | [`Nodes`]: the nodes of a scene, as a system gets them |
//! | `refusal` | who cannot become what, and how that is said |

mod commands;
mod crowd;
mod edit;
mod kind;
mod kinds;
mod left;
mod nodes;
mod refusal;

pub use commands::CommandNodes;
pub(crate) use crowd::leave;
pub(crate) use edit::tagged;
pub use kind::Node;
pub(crate) use kinds::{KindId, Kinds};
pub use left::NodeLeft;
pub use nodes::{MaybeNodes, Nodes};
pub use refusal::NodeError;
