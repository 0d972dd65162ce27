//! Resources: values of which a world has at most one each.
//!
//! | file | idea |
//! |---|---|
//! | `kind` | [`Resource`]: what can be one |
//! | `store` | [`Resources`]: where they are, and since when |
//! | `res_mut` | [`ResMut`]: writing, and saying so |
//! | `reader` | [`ResourceReader`]: what is new to whom |
//!
//! Nothing here knows entities, tables or the world; the `World`'s own methods are in `world/resources`.

mod kind;
mod reader;
mod res_mut;
mod store;

pub use kind::Resource;
pub use reader::ResourceReader;
pub use res_mut::ResMut;
pub use store::ResourceInfo;
pub(crate) use store::{Resources, name_of};
