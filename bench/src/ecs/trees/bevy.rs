//! bevy: `ChildOf` and `Children`, walked from the root by queries.

use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::prelude::{Entity, Has, Query, With, Without, World};
use bevy_ecs::system::SystemState;

use super::shapes::{NOBODY, Shape, ten_by_ten};
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

type Node = (Entity, &'static Local, &'static mut Placed, Has<Children>);
type Queries = SystemState<(
    Query<'static, 'static, Entity, (With<Local>, Without<ChildOf>)>,
    Query<'static, 'static, &'static Children>,
    Query<'static, 'static, Node>,
)>;

struct Nodes {
    world: World,
    queries: Queries,
    /// Whose children are still to be placed.
    open: Vec<(Entity, Placed)>,
}

pub fn spawn(shape: &Shape) -> (World, Vec<Entity>) {
    let (mut world, mut entities) = (World::new(), Vec::<Entity>::with_capacity(shape.len()));
    for (node, &above) in shape.iter().enumerate() {
        let row = (Local::of(node), Placed::default());
        entities.push(if above == NOBODY {
            world.spawn(row).id()
        } else {
            world.spawn((row, ChildOf(entities[above as usize]))).id()
        });
    }
    (world, entities)
}

fn build() -> Nodes {
    let mut world = spawn(&ten_by_ten()).0;
    let queries = SystemState::new(&mut world);
    Nodes { world, queries, open: Vec::new() }
}

fn shift(nodes: &mut Nodes) {
    nodes.world.query::<&mut Local>().iter_mut(&mut nodes.world).for_each(|mut local| local.shift());
}

fn place(Nodes { world, queries, open }: &mut Nodes) {
    let (roots, children, mut nodes) = queries.get_mut(world).expect("valid");
    for root in &roots {
        let (_, local, mut placed, _) = nodes.get_mut(root).expect("alive");
        *placed = Placed::alone(local);
        open.push((root, *placed));
    }
    while let Some((parent, above)) = open.pop() {
        let below = children.get(parent).expect("has children");
        let mut below = nodes.iter_many_mut(below).matched();
        while let Some((node, local, mut placed, has_children)) = below.fetch_next() {
            *placed = Placed::under(&above, local);
            if has_children {
                open.push((node, *placed));
            }
        }
    }
}

pub fn register(cases: &mut Cases) {
    super::bevy_transform::register(cases);
    super::reparent::bevy::register(cases);
    let digest = |nodes: &mut Nodes| Digest::of(nodes.world.query::<&Placed>().iter(&nodes.world));
    cases.readied(&workloads::HIERARCHY, "", build, shift, place, digest);
    let both = |nodes: &mut Nodes| {
        shift(nodes);
        place(nodes);
    };
    cases.lasting(&workloads::HIERARCHY, "written", build, both, digest);
}
