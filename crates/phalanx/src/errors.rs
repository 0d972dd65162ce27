//! All error codes: what each means and how to mend it. Those with `S` are of systems, schedules and engines: [`phalanx_schedule::errors`]; those with `N`, `H` and `P` are of
//! scenes, hierarchies and prefabs, in `phalanx_scene::errors`; all others are of the core: [`phalanx_ecs::errors`]. There is nothing else in this module.
//!
//! ```
//! use phalanx::prelude::*;
//!
//! #[derive(Component)] struct Title(&'static str);
//!
//! let mut engine = Engine::new();
//! let orc = engine.world_mut().spawn(());
//! let of_core = engine.world().lookup::<Title>(orc).err().unwrap();
//! assert!(of_core.to_string().starts_with("error[C003]: entity 0v0 has no component `Title`"));
//! let of_schedule = engine.schedule().find("render").unwrap_err();
//! assert!(of_schedule.to_string().starts_with("error[S003]: there is no system `render`"));
//! ```
