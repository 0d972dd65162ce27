//! 20 types of nodes in 20 scenes: 400 roles, each of which is had by a part of 10,000 entities, drawn at random for each role.
//!
//! ```text
//! variant      an entity has a role with a chance of    a walk of one role meets
//! half         1/2                                      5,000 of 10,000
//! tenth        1/10                                     1,000
//! hundredth    1/100                                      100
//! reclaimed    as `tenth`, after `World::reclaim`
//! ```
//!
//! A run walks all 400, each with a query of its own that is kept. The plain query walks 400 times as many entities that have just these components: all that
//! there are in its world, side by side.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phalanx_ecs::{Entity, Prepared, WithDyn, World};
use phalanx_scene::{Node, SceneId, SceneWorld as _};

use crate::components::{Position, Random, Velocity, movers};
use crate::harness::{Cases, Digest};
use crate::workloads;

const ENTITIES: usize = 10_000;
const SCENES: usize = 20;

/// Variants, and one of how many entities has a role.
const DENSITIES: [(&str, usize); 4] = [("half", 2), ("tenth", 10), ("hundredth", 100), (RECLAIMED, 10)];
/// Where tables without entities have been deleted.
const RECLAIMED: &str = "reclaimed";

/// There are never more tables than this, whatever the combinations are: 256 for sets of roles, and those that all go through while roles are added.
const MOST_TABLES: usize = 700;

/// How often a node was met, as all have the same velocity.
fn digest(world: &mut World, one_of: usize) -> Digest {
    let steps: f32 =
        world.query::<(&Position, &Velocity)>().iter().map(|(position, velocity)| position.y / velocity.y).sum();
    // As shares of what must be, so that all variants end in one state.
    Digest::of([steps / (workloads::ROLES_400.items * ENTITIES / one_of) as f32])
}

pub fn queries(cases: &mut Cases) {
    type Walk = (World, Vec<Prepared<(&'static mut Position, &'static Velocity)>>);
    for (variant, one_of) in DENSITIES {
        let build = move || -> Walk {
            let mut world = World::new();
            world.spawn_batch(movers(ENTITIES / one_of));
            (world, (0..workloads::ROLES_400.items).map(|_| Prepared::new()).collect())
        };
        let walk = |(world, queries): &mut Walk| {
            for query in queries {
                query.on(world).for_each(|(position, velocity)| position.step(velocity));
            }
        };
        cases.lasting(&workloads::ROLES_400, variant, build, walk, move |(world, _)| digest(world, one_of));
    }
}

/// A walk of a role.
type WalkRole = Box<dyn FnMut(&mut World)>;
type Roles = (World, Vec<WalkRole>);

/// Declares the types of nodes, and what gives them to entities.
macro_rules! roles {
    ($($name:ident)+) => {
        $(
            #[derive(Node)]
            struct $name<'w> {
                position: &'w mut Position,
                velocity: &'w Velocity,
            }
        )+

        /// Gives entities all roles of a scene; `draw` says who gets the next.
        fn give(world: &mut World, scene: SceneId, mut draw: impl FnMut() -> Vec<Entity>, walks: &mut Vec<WalkRole>) {
            $(
                let nodes = draw();
                let new = scene.add_nodes::<$name<'_>>(world, &nodes).expect("they fit");
                assert_eq!(new, nodes.len(), "each is drawn once");
                let mut all: Prepared<$name<'static>, WithDyn> = scene.prepare(world).expect("it is there");
                walks.push(Box::new(move |world| {
                    all.on(world).for_each(|$name { position, velocity }| position.step(velocity));
                }));
            )+
        }

    };
}

roles! { R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17 R18 R19 }

fn spawn(one_of: usize) -> Roles {
    let (mut world, mut random, mut walks) = (World::new(), Random::default(), Vec::new());
    let mut entities = world.spawn_batch(movers(ENTITIES)).to_vec();
    for scene in 0..SCENES {
        let scene = world.create_scene(&format!("scene {scene}")).expect("a name of its own");
        // The first of a list that is shuffled as far as they go.
        let draw = || {
            let nodes = ENTITIES / one_of;
            (0..nodes).for_each(|at| entities.swap(at, at + random.below(ENTITIES - at)));
            entities[..nodes].to_vec()
        };
        give(&mut world, scene, draw, &mut walks);
    }
    (world, walks)
}

thread_local! {
    /// What was made for each variant. Once in a run: to give so many roles takes seconds.
    static MADE: RefCell<HashMap<&'static str, Rc<RefCell<Roles>>>> = RefCell::default();
}

/// The roles of a variant; says how many tables they are in when they are made.
fn roles(variant: &'static str, one_of: usize) -> Rc<RefCell<Roles>> {
    let make = || {
        let (mut world, walks) = spawn(one_of);
        if variant == RECLAIMED {
            world.reclaim();
        }
        let tables = world.stats().tables;
        assert!(tables <= MOST_TABLES, "{tables} tables");
        eprintln!("{}/{variant}: {tables} tables", workloads::ROLES_400.name);
        Rc::new(RefCell::new((world, walks)))
    };
    MADE.with_borrow_mut(|made| Rc::clone(made.entry(variant).or_insert_with(make)))
}

/// Columns that all roles share, and the rows that have each.
struct ByHand {
    positions: Vec<Position>,
    velocities: Vec<Velocity>,
    roles: Vec<Vec<u32>>,
}

pub fn by_hand(cases: &mut Cases) {
    for (variant, one_of) in DENSITIES.into_iter().filter(|(variant, _)| *variant != RECLAIMED) {
        let build = move || {
            let mut random = Random::default();
            let mut rows: Vec<u32> = (0..).take(ENTITIES).collect();
            let mut draw = || {
                let nodes = ENTITIES / one_of;
                (0..nodes).for_each(|at| rows.swap(at, at + random.below(ENTITIES - at)));
                let mut drawn = rows[..nodes].to_vec();
                drawn.sort_unstable();
                drawn
            };
            let roles = (0..workloads::ROLES_400.items).map(|_| draw()).collect();
            let (positions, velocities) = movers(ENTITIES).unzip();
            ByHand { positions, velocities, roles }
        };
        let walk = |ByHand { positions, velocities, roles }: &mut ByHand| {
            for role in &*roles {
                role.iter().for_each(|row| positions[*row as usize].step(&velocities[*row as usize]));
            }
        };
        let digest = move |ByHand { positions, velocities, .. }: &mut ByHand| {
            let steps: f32 = positions.iter().zip(velocities).map(|(position, velocity)| position.y / velocity.y).sum();
            Digest::of([steps / (workloads::ROLES_400.items * ENTITIES / one_of) as f32])
        };
        cases.lasting(&workloads::ROLES_400, variant, build, walk, digest);
    }
}

pub fn nodes(cases: &mut Cases) {
    for (variant, one_of) in DENSITIES {
        let walk = |roles: &mut Rc<RefCell<Roles>>| {
            let (world, walks) = &mut *roles.borrow_mut();
            walks.iter_mut().for_each(|walk| walk(world));
        };
        cases.lasting(
            &workloads::ROLES_400,
            variant,
            move || roles(variant, one_of),
            walk,
            move |roles| digest(&mut roles.borrow_mut().0, one_of),
        );
    }
}
