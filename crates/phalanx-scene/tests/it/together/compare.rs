//! What the world is, against the book.

use super::driver::{Care, Driver};
use super::parts::{Born, Charge, Heat, Hidden, Kind, Label, Team, for_kind};
use super::stage::{Scene, System};
use super::systems::Sums;
use glam::Affine3A;
use phalanx_ecs::{Entity, EventReader};
use phalanx_scene::{Doing, InstanceOf, Kinship, Parent, PrefabWorld, SceneId, SceneWorld, Transform, WorldTransform};
use std::collections::BTreeSet;
use std::time::Duration;

/// Those who were meant, and what was told.
pub fn a_little(driver: &mut Driver) {
    assert_eq!(driver.engine.world().alive(), driver.book.alive.len(), "how many are alive");
    for entity in driver.touched.iter().copied() {
        row(driver, entity);
    }
    told(driver);
    runs(driver);
}

pub fn all(driver: &mut Driver) {
    let world = driver.engine.world();
    assert_eq!(world.alive(), driver.book.alive.len(), "how many are alive");
    assert_eq!(world.entities().count(), driver.book.rows.len());
    for entity in driver.book.alive.iter().chain(&driver.touched).copied() {
        row(driver, entity);
    }
    prefabs(driver);
    let ids: Vec<SceneId> = driver.stage.scenes.iter().map(|scene| scene.id).collect();
    assert_eq!(world.scenes(), ids);
    driver.stage.scenes.iter().for_each(|of| scene(driver, of));
    assert!(driver.stage.gone.iter().all(|gone| !gone.is_there(world)));
    runs(driver);
    doings(driver);
    told(driver);
    driver.world().update_events();
}

fn bits(affine: Affine3A) -> [u32; 12] {
    affine.to_cols_array().map(f32::to_bits)
}

fn transform_bits(transform: &Transform) -> [u32; 10] {
    let Transform { translation, rotation, scale } = transform;
    let mut all = translation.to_array().into_iter().chain(rotation.to_array()).chain(scale.to_array());
    std::array::from_fn(|_| all.next().expect("ten numbers").to_bits())
}

fn row(driver: &Driver, entity: Entity) {
    let (world, book) = (driver.engine.world(), &driver.book);
    let Some(row) = book.rows.get(&entity) else {
        return assert!(!world.is_alive(entity), "{entity} is alive");
    };
    assert!(world.is_alive(entity), "{entity} is not alive");
    assert_eq!(world.get::<Heat>(entity).map(|heat| heat.0), row.heat, "heat of {entity}");
    assert_eq!(world.get::<Label>(entity).map(|label| &label.0), row.label.as_ref(), "label of {entity}");
    assert_eq!(world.get::<Charge>(entity).map(|charge| charge.0), row.charge, "charge of {entity}");
    assert_eq!(world.get::<Team>(entity).map(|team| team.0), row.team, "team of {entity}");
    assert_eq!(world.has::<Hidden>(entity), row.hidden, "whether {entity} is hidden");
    assert_eq!(world.get::<Born>(entity), row.born.as_ref(), "{entity}");
    let transform = world.get::<Transform>(entity);
    assert_eq!(
        transform.map(transform_bits),
        row.transform.as_ref().map(transform_bits),
        "transform of {entity}: {transform:?}, {:?}",
        row.transform
    );
    let place = world.get::<WorldTransform>(entity).map(WorldTransform::affine);
    assert_eq!(place.map(bits), row.place.map(bits), "place of {entity}: {place:?}, {:?}", row.place);
    assert_eq!(world.parent(entity), row.parent, "parent of {entity}");
    assert!(world.children(entity).eq(row.children.iter().copied()), "children of {entity}");
    assert!(world.children(entity).rev().eq(row.children.iter().rev().copied()), "children of {entity}, backwards");
    assert_eq!(world.has::<Parent>(entity), !row.children.is_empty(), "whether {entity} is a parent");
    assert_eq!(world.prefab_of(entity), row.copy_of.map(|copy| copy.0), "what {entity} is a copy of");
    assert_eq!(world.path_of(entity).as_deref(), row.copy_of.map(|copy| copy.1), "which part {entity} is");
    let roles: BTreeSet<(SceneId, Kind)> =
        world.roles_of(entity).into_iter().map(|(scene, name)| (scene, Kind::of_name(name))).collect();
    assert_eq!(roles, row.roles, "roles of {entity}");
}

fn prefabs(driver: &Driver) {
    let world = driver.engine.world();
    for id in driver.prefabs {
        let instances: BTreeSet<Entity> = id.instances(world).into_iter().collect();
        let tops = driver.book.all(|row| row.copy_of == Some((id, "")));
        assert_eq!(instances, tops.into_iter().collect(), "instances of {id}");
    }
    let copies = driver.book.all(|row| row.copy_of.is_some());
    assert_eq!(world.read::<&InstanceOf>().count(), copies.len());
}

fn scene(driver: &Driver, scene: &Scene) {
    let (world, book, id) = (driver.engine.world(), &driver.book, scene.id);
    assert_eq!((id.name(world).expect("it is there"), world.find_scene(&scene.name)), (&*scene.name, Some(id)));
    assert_eq!(id.is_active(world), Ok(scene.active), "{id}");
    assert_eq!(id.is_paused(world), Ok(scene.clock.paused), "{id}");
    assert_eq!(id.elapsed(world), Ok(Duration::from_millis(scene.clock.now)), "time of {id}: {:?}", scene.clock);
    let members: BTreeSet<Entity> = id.members(world).into_iter().collect();
    assert_eq!(members, book.members(id).into_iter().collect(), "members of {id}");
    for kind in Kind::ALL {
        let nodes = for_kind!(kind, id, nodes(world));
        let distinct: BTreeSet<Entity> = nodes.iter().copied().collect();
        assert_eq!(distinct.len(), nodes.len(), "{kind:?} in {id}: somebody is there twice");
        assert_eq!(distinct, book.nodes(id, kind).into_iter().collect(), "{kind:?} in {id}");
    }
    let deepest = members.iter().map(|member| book.way_up(*member).count() - 1).max();
    assert_eq!(id.deepest_level(world), deepest, "{id}");
    let systems = driver.stage.systems.iter().filter(|system| system.scene == id).map(|system| system.id);
    assert_eq!(id.systems(world), Ok(systems.collect()), "systems of {id}");
}

fn runs(driver: &Driver) {
    for System { id, runs, what, scene, .. } in &driver.stage.systems {
        let found = driver.engine.schedule().info(*id).expect("it is there").runs;
        assert_eq!(found, *runs, "runs of {what:?} in {scene}");
    }
    assert_eq!(driver.engine.world().resource::<Sums>().ok(), Some(&driver.stage.sums));
}

/// What the engine says of each system, and why it does not run.
fn doings(driver: &mut Driver) {
    for System { id, what, scene, .. } in &driver.stage.systems {
        let of = driver.stage.scene(*scene);
        let is_absent = |kind: &&Kind| driver.book.nodes(*scene, **kind).is_empty();
        let absent: BTreeSet<&str> = what.waits_for().iter().filter(is_absent).map(|kind| kind.name()).collect();
        let doing = scene.explain(&mut driver.engine, *id).expect("it serves the scene");
        let agrees = match &doing {
            Doing::Inactive { .. } => !of.active,
            _ if !of.active => false,
            Doing::Waits { nodes, .. } => nodes.iter().copied().collect::<BTreeSet<_>>() == absent,
            _ if !absent.is_empty() => false,
            Doing::Paused { .. } => of.clock.paused,
            _ if of.clock.paused => false,
            Doing::Still { .. } => of.clock.stands_still(),
            Doing::Manual { .. } => of.clock.is_manual() && !of.clock.stands_still(),
            Doing::Runs => !of.clock.stands_still() && !of.clock.is_manual(),
            _ => false,
        };
        assert!(agrees, "{what:?} in {scene}: {doing}; {of:?}, {absent:?}");
    }
}

/// Roles that were lost, and systems that woke and slept. Of those who came and went in one frame nobody knows the name.
pub fn told(driver: &mut Driver) {
    if driver.care == Care::Quiet {
        // Nobody has listened.
        return;
    }
    driver.known.extend(&driver.book.alive);
    let (known, world) = (&driver.known, driver.engine.world());
    let name = |entity: Entity| known.contains(&entity).then_some(entity);
    let told = driver.left.read(world).map(|left| (left.scene, Kind::of_name(left.node), name(left.entity)));
    let mut told: Vec<_> = told.collect();
    let lost = driver.book.left.drain(..).map(|(scene, kind, entity)| (scene, kind, name(entity)));
    let mut lost: Vec<_> = lost.collect();
    told.sort();
    lost.sort();
    driver.deeds.lost += lost.len();
    assert_eq!(told, lost, "what was told of roles that were lost");
    let woke = driver.woke.read(world).map(|woke| (woke.scene, woke.system, true));
    let mut told: Vec<_> = woke.collect();
    told.extend(driver.slept.read(world).map(|slept| (slept.scene, slept.system, false)));
    let mut expected = std::mem::take(&mut driver.stage.told);
    told.sort();
    expected.sort();
    driver.deeds.woken += expected.len();
    assert_eq!(told, expected, "who woke and slept");
    assert_eq!((missed(&mut driver.left), missed(&mut driver.woke)), (0, 0));
}

fn missed<E: phalanx_ecs::Event>(reader: &mut EventReader<E>) -> u64 {
    reader.missed()
}
