//! Prefabs: trees of entities that are described once and made as often as they are needed.
//!
//! ```text
//! Prefab            what a person writes: steps, part by part         with (Mesh, Health), part "left", within "left" …
//!    │ add_prefab, or an edit
//!    ▼
//! Tree              what comes out: base, nested prefabs and own steps laid over each other, one value per component
//!    │ instantiate(n)
//!    ▼
//! entities          part by part, n at a time; then what refers to other parts, for each copy its own
//! ```
//!
//! A prefab is a value, not an entity: so no query, no system and no observer ever sees one.
//!
//! | file | idea |
//! |---|---|
//! | `prefab` | [`Prefab`]: what a person writes |
//! | `pieces` | the value of one component, whatever its type |
//! | `layer` | components that come together, and that are spawned together |
//! | `tree` | a prefab with all that it is based on |
//! | `library` | the prefabs of a world, and which are made of which |
//! | `id` | [`PrefabId`]: asking, copying, renaming, ending |
//! | `world` | [`PrefabWorld`]: adding and finding prefabs, and asking what they made |
//! | `parts` | what instances know of themselves, and how their parts are found |
//! | `spawn` | one part, spawned as often as there are copies |
//! | `copies` | [`Copies`], and how they are made |
//! | `own` | what an instance keeps whatever becomes of its prefab |
//! | `update` | [`PrefabId::set`]: instances follow their prefab |
//! | `refusal` | what is said of prefabs that cannot be |

mod copies;
mod id;
mod layer;
mod library;
mod own;
mod parts;
mod pieces;
#[expect(clippy::module_inception, reason = "the main type of the folder")]
mod prefab;
mod refusal;
mod spawn;
mod tree;
mod update;
mod world;

pub use copies::{CommandPrefabs, Copies};
pub use id::PrefabId;
pub use layer::Components;
pub use parts::{InstanceOf, PartsOfCopy};
pub use prefab::Prefab;
pub use refusal::PrefabError;
pub use world::PrefabWorld;
