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
//! | `id` | [`SceneId`]; names, and ending |
//! | `scenes` | [`Scenes`]: all scenes of a world, a resource |
//! | `gates` | whether a system may run in this pass |
//! | `world` | making and finding scenes |
//! | `clock` | pace, time scale, pause; activation; the scene's own time |
//! | `planning` | for which scene a system is being planned |
//! | `systems` | adding systems, their order, and why one does not run |
//! | `pass` | which scenes step, and who wakes and sleeps |
//! | `refusal` | what is said of scenes that are not there, or are there already |

mod clock;
mod gates;
mod id;
mod pass;
mod planning;
mod refusal;
mod scenes;
mod systems;
mod world;

pub use clock::SceneTime;
pub use id::{Leaving, SceneId};
pub use pass::{SystemSlept, SystemWoke};
pub(crate) use planning::{note_wait, planned_scene};
pub use refusal::{NameTaken, NoSuchScene, SceneSystemError};
pub use scenes::Scenes;
pub(crate) use scenes::{Slot, Stage};
pub use systems::Doing;
pub use world::SceneWorld;
