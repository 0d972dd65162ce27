//! Public behaviour of the scene layer.

#![allow(clippy::needless_pass_by_value, reason = "arguments of systems are taken by value")]

mod hierarchy;
mod hierarchy_mended;
mod hierarchy_model;
mod hierarchy_trees;
mod instances_mended;
mod prefabs;
mod prefabs_mended;
mod prefabs_model;
mod relations;
mod scenes;
mod scenes_exchanged;
mod scenes_mended;
mod scenes_mended_again;
mod scenes_model;
mod together;
mod transforms;
mod transforms_model;
mod transforms_now;
