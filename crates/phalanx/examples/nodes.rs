//! Entities take roles in a scene, and systems serve them: a system whose role nobody has waits, and joins when somebody takes it.
//!
//! `cargo run -p phalanx --features scene --example nodes`

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::needless_pass_by_value,
    reason = "an example, not a library"
)]

use phalanx::prelude::*;
use phalanx::{Node, Nodes, SceneWorld};

#[derive(Component)]
pub struct Mesh(pub &'static str);

#[derive(Component)]
pub struct Place(pub f32);

#[derive(Component)]
pub struct Velocity(pub f32);

/// What is drawn has a mesh and a place.
#[derive(Node)]
pub struct RenderNode<'w> {
    pub mesh: &'w Mesh,
    pub place: &'w Place,
}

/// What moves has a place and a velocity.
#[derive(Node)]
pub struct PhysicsNode<'w> {
    pub place: &'w mut Place,
    pub velocity: &'w Velocity,
}

/// The systems that ran, in order.
#[derive(Resource, Default)]
pub struct Ran(pub Vec<&'static str>);

pub fn physics(mut nodes: Nodes<PhysicsNode>, mut ran: ResMut<Ran>) {
    ran.0.push("Physics");
    nodes.for_each(|node| node.place.0 += node.velocity.0);
}

pub fn render(nodes: Nodes<RenderNode>, mut ran: ResMut<Ran>) {
    ran.0.push("Render");
    for node in &nodes {
        assert!(!node.mesh.0.is_empty() && node.place.0.is_finite());
    }
}

/// Runs a frame, and says which systems ran in it.
pub fn frame(engine: &mut Engine) -> phalanx::Result<String> {
    engine.run_frames(1)?;
    let ran = std::mem::take(&mut engine.world_mut().resource_mut::<Ran>()?.0);
    Ok(if ran.is_empty() { "nothing".into() } else { ran.join(", then ") })
}

fn main() -> phalanx::Result {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Ran::default());
    let level = engine.world_mut().create_scene("level")?;
    level.add(&mut engine, render)?;
    level.add(&mut engine, physics)?;
    level.order(&mut engine, physics, render)?;
    println!("a frame of an empty scene: {}", frame(&mut engine)?);

    let house = engine.world_mut().spawn((Name::new("House"), Mesh("house")));
    if let Err(refused) = level.add_node::<RenderNode>(engine.world_mut(), house) {
        println!("\na render node for a house that has only a mesh:\n{refused}");
    }
    engine.world_mut().insert(house, Place(0.0))?;
    level.add_node::<RenderNode>(engine.world_mut(), house)?;
    println!("\nnow that it has a place it is one; the next frame: {}", frame(&mut engine)?);
    println!("and Physics? {}", level.explain(&mut engine, physics)?);

    let ball = engine.world_mut().spawn((Place(0.0), Velocity(1.0)));
    level.add_node::<PhysicsNode>(engine.world_mut(), ball)?;
    println!("\na physics node arrives; the next frame: {}", frame(&mut engine)?);

    engine.world_mut().remove::<Velocity>(ball)?;
    println!("it loses its velocity, and with it the role; the next frame: {}", frame(&mut engine)?);
    Ok(())
}
