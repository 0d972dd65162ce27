//! Public behaviour of the scene layer.

mod hierarchy;
mod hierarchy_model;
mod relations;
mod scenes;
mod scenes_model;
mod transforms;
