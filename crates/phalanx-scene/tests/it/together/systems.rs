//! The systems that serve scenes, as the engine runs them. What each of them means is in `frames`, once more, by hand.
//!
//! What they do depends on no order among the nodes, and what they queue minds that others may have queued an end before.

use super::parts::{Born, Charged, Heat, Hidden, Kind, Label, Moving, Named, Seen, Warm};
use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Leaving, MaybeNodes, Nodes, SceneId, SceneSystemError, SceneTime, propagate};
use phalanx_schedule::{Engine, SystemId};

/// What systems count together.
#[derive(Resource, Clone, Copy, Default, PartialEq, Debug)]
pub struct Sums {
    pub heat: u64,
    pub looks: u64,
    pub counted: u64,
}

/// A system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Heat,
    Shout,
    Load,
    Drift,
    Look,
    Melt,
    Count,
    Bear,
    Shed,
    Cull,
    Hide,
    Empty,
    Close,
}

impl What {
    pub const ALL: [Self; 13] = [
        Self::Heat,
        Self::Shout,
        Self::Load,
        Self::Drift,
        Self::Look,
        Self::Melt,
        Self::Count,
        Self::Bear,
        Self::Shed,
        Self::Cull,
        Self::Hide,
        Self::Empty,
        Self::Close,
    ];

    /// The roles without which it sleeps.
    pub fn waits_for(self) -> &'static [Kind] {
        match self {
            Self::Heat | Self::Cull => &[Kind::Warm],
            Self::Shout | Self::Shed => &[Kind::Named],
            Self::Load => &[Kind::Charged],
            Self::Drift => &[Kind::Moving],
            Self::Look | Self::Bear | Self::Hide => &[Kind::Seen],
            Self::Melt => &[Kind::Seen, Kind::Charged],
            Self::Count | Self::Empty | Self::Close => &[],
        }
    }

    pub fn add(self, engine: &mut Engine, scene: SceneId) -> Result<SystemId, SceneSystemError> {
        let system = match self {
            Self::Heat => scene.add(engine, heat),
            Self::Shout => scene.add(engine, shout),
            Self::Load => scene.add(engine, load),
            Self::Drift => scene.add(engine, drift),
            Self::Look => scene.add(engine, look),
            Self::Melt => scene.add(engine, melt),
            Self::Count => scene.add(engine, count),
            Self::Bear => scene.add(engine, bear),
            Self::Shed => scene.add(engine, shed),
            Self::Cull => scene.add(engine, cull),
            Self::Hide => scene.add(engine, hide),
            Self::Empty => scene.add(engine, empty),
            Self::Close => scene.add(engine, close),
        };
        Ok(system?.id())
    }
}

fn heat(mut nodes: Nodes<'_, Warm<'_>>) {
    let warm = |node: Warm<'_>| node.heat.0 = (node.heat.0 * 3 + 1) % 1009;
    #[cfg(feature = "parallel")]
    nodes.par_for_each(warm);
    #[cfg(not(feature = "parallel"))]
    nodes.for_each(warm);
}

fn shout(nodes: Nodes<'_, Named<'_>>) {
    for node in nodes {
        if node.label.0.len() > 8 {
            node.label.0.clear();
        }
        node.label.0.push(if node.heat.is_some_and(|heat| heat.0 % 2 == 1) { '!' } else { '.' });
    }
}

fn load(nodes: Nodes<'_, Charged<'_>>) {
    for node in nodes {
        node.charge.0 = node.charge.0 * 2 % 511 + u32::try_from(node.label.0.len()).expect("short");
    }
}

fn drift(mut nodes: Nodes<'_, Moving<'_>, Without<Hidden>>) {
    let drift = |node: Moving<'_>| {
        node.transform.translation.x += 0.25;
        if let Some(team) = node.team {
            node.transform.translation.y -= if team.0 == 0 { 0.5 } else { 0.125 };
        }
    };
    #[cfg(feature = "parallel")]
    nodes.par_for_each(drift);
    #[cfg(not(feature = "parallel"))]
    nodes.for_each(drift);
}

fn look(nodes: Nodes<'_, Seen<'_>>, mut sums: ResMut<'_, Sums>) {
    sums.heat += nodes.iter().map(|node| u64::from(node.heat.0)).sum::<u64>();
    sums.looks += 1;
}

fn melt(seen: Nodes<'_, Seen<'_>>, charged: Nodes<'_, Charged<'_>>) {
    let sum = seen.iter().map(|node| node.heat.0).sum::<u32>() % 257;
    for node in charged {
        node.charge.0 ^= sum;
    }
}

fn count(scene: SceneId, nodes: MaybeNodes<'_, Warm<'_>>, time: SceneTime, mut sums: ResMut<'_, Sums>) {
    let _ = scene;
    sums.counted += 1 + time.count() + 10 * nodes.count() as u64;
}

fn bear(scene: SceneId, nodes: Nodes<'_, Seen<'_>>, commands: &mut Commands) {
    for node in nodes {
        let (parent, heat) = (node.entity, node.heat.0);
        if heat % 8 == 3 {
            commands.run(move |world| {
                if world.is_alive(parent) {
                    let child = world.spawn((Heat(heat / 2), ChildOf(parent)));
                    // The scene may have ended.
                    let _ = scene.add_node::<Warm>(world, child);
                }
            });
        }
    }
}

fn shed(scene: SceneId, nodes: Nodes<'_, Named<'_>>, time: SceneTime, commands: &mut Commands) {
    let count = nodes.count();
    if count % 4 == 1 {
        let heat = Heat(u32::try_from(count).expect("few"));
        let new = commands.spawn((heat, Label("shed".into()), Born { scene, step: time.count() }));
        commands.run(move |world| {
            let _ = scene.add_node::<Named>(world, new);
        });
    }
}

fn cull(nodes: Nodes<'_, Warm<'_>>, all: Query<'_, (Entity, &Label)>, commands: &mut Commands) {
    // Those that are ripe by their label, if anybody in the scene is warm.
    let _ = nodes;
    for (entity, label) in &all {
        if label.0.len() == 7 {
            commands.run(move |world| {
                // It may have ended with another of them.
                let _ = world.despawn(entity);
            });
        }
    }
}

fn hide(nodes: Nodes<'_, Seen<'_>>, commands: &mut Commands) {
    for node in nodes {
        if node.heat.0 % 16 == 5 {
            let entity = node.entity;
            commands.run(move |world| {
                let _ = world.insert(entity, Hidden);
            });
        }
    }
}

fn empty(scene: SceneId, nodes: MaybeNodes<'_, Seen<'_>>, time: SceneTime, commands: &mut Commands) {
    if time.count() % 32 == 9 {
        let leaving = if nodes.count().is_multiple_of(2) { Leaving::Despawn } else { Leaving::Keep };
        commands.run(move |world| scene.clear(world, leaving));
    }
}

fn close(scene: SceneId, time: SceneTime, commands: &mut Commands) {
    if time.count() % 128 == 77 {
        commands.run(move |world| scene.delete(world));
    }
}

/// The last system of a frame.
pub fn place_all(world: &mut World) {
    propagate(world);
}
