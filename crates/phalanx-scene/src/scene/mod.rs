//! Scenes: who takes part, and which systems serve them, when.
//!
//! ```text
//! a frame       every scene's clock passes on; it says how many steps are due
//! a pass        scenes with a step due:  "level"  60 Hz, step 3     "map"  every frame
//!               systems of these whose nodes are there, of all scenes side by side
//! again         while a scene has another step due
//! ```
//!
//! All systems of all scenes are in one group of the engine. Which of them run is worked out at the start of a pass.
//!
//! | file | idea |
//! |---|---|
//! | `id` | [`SceneId`]; names, and members |
//! | `ending` | emptying and deleting |
//! | `site` | where nodes come and go, for as long as it is the same |
//! | `scenes` | [`Scenes`]: all scenes of a world, a resource |
//! | `gates` | whether a system may run in this pass |
//! | `world` | making and finding scenes |
//! | `clock` | pace, time scale, pause; activation; the scene's own time |
//! | `planning` | for which scene a system is being planned |
//! | `systems` | adding systems, their order, and why one does not run |
//! | `leftovers` | systems that outlive their scene |
//! | `pass` | which scenes step, and who wakes and sleeps |
//! | `refusal` | what is said of scenes that are not there, or are there already |

mod clock;
mod ending;
mod gates;
mod id;
mod leftovers;
mod pass;
mod planning;
mod refusal;
mod scenes;
mod site;
mod systems;
mod world;

pub use clock::SceneTime;
pub use ending::Leaving;
pub use id::SceneId;
pub use pass::{SystemSlept, SystemWoke};
pub(crate) use planning::{note_wait, planned_scene};
pub use refusal::{NameTaken, NoSuchScene, SceneSystemError};
pub use scenes::Scenes;
pub(crate) use scenes::Slot;
pub(crate) use site::Site;
pub use systems::Doing;
pub use world::SceneWorld;
