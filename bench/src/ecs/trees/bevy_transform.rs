//! `bevy_transform`: its systems, as its plugin puts them in order.

use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Entity, IntoScheduleConfigs, QueryState, World};
use bevy_ecs::schedule::{Schedule, SingleThreadedExecutor};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::systems::{
    StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms,
};

use super::shapes::NOBODY;
use super::transforms::{ALL, Trees, place_of};
use crate::harness::{Cases, Digest};

struct Nodes {
    world: World,
    /// Run in a row, which they must; inside they use all threads.
    schedule: Schedule,
    query: QueryState<&'static mut Transform>,
    changed: Vec<Entity>,
}

fn transform_of(i: usize) -> Transform {
    let (translation, rotation) = place_of(i);
    let mut transform = Transform::from_translation(translation.into());
    [transform.rotation.x, transform.rotation.y, transform.rotation.z, transform.rotation.w] = rotation;
    transform
}

fn build_with(trees: Trees, optimizations: StaticTransformOptimizations) -> Nodes {
    let (shape, changed) = trees.make();
    let (mut world, mut entities) = (World::new(), Vec::<Entity>::with_capacity(shape.len()));
    for (node, above) in shape.into_iter().enumerate() {
        entities.push(if above == NOBODY {
            world.spawn(transform_of(node)).id()
        } else {
            world.spawn((transform_of(node), ChildOf(entities[above as usize]))).id()
        });
    }
    world.insert_resource(optimizations);
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain());
    let query = world.query();
    let mut nodes = Nodes { world, schedule, query, changed: changed.into_iter().map(|node| entities[node]).collect() };
    propagate(&mut nodes);
    nodes
}

fn shift(transform: &mut Transform) {
    transform.translation.z += 1.0;
}

fn ready(Nodes { world, query, changed, .. }: &mut Nodes) {
    if changed.is_empty() {
        query.iter_mut(world).for_each(|mut transform| shift(&mut transform));
    }
    let mut query = query.query_mut(world);
    for &entity in &*changed {
        shift(&mut query.get_mut(entity).expect("alive"));
    }
}

fn propagate(nodes: &mut Nodes) {
    nodes.schedule.run(&mut nodes.world);
    nodes.world.clear_trackers();
}

/// As it is by default; and, as it advises where much moves, without looking for trees in which nothing has changed.
pub fn register(cases: &mut Cases) {
    for trees in ALL {
        let digest = |nodes: &mut Nodes| {
            let mut placed = nodes.world.query::<&GlobalTransform>();
            Digest::of(placed.iter(&nodes.world).map(|placed| placed.affine().to_cols_array()))
        };
        let build = move || build_with(trees, StaticTransformOptimizations::Enabled);
        cases.readied(trees.workload, "", build, ready, propagate, digest);
        let build = move || build_with(trees, StaticTransformOptimizations::Disabled);
        cases.readied(trees.workload, "dynamic", build, ready, propagate, digest);
    }
}
