//! Does an operation to the engine's world and to the book, and compares what they answer and what they are.

use super::book::Book;
use super::ops::{Op, Pick, Several, Where, Whither};
use super::parts::Heat;
use super::random::Random;
use super::stage::Stage;
use super::story::{Deeds, End};
use super::systems::{Sums, What, place_all};
use super::{compare, prefabs};
use phalanx_ecs::prelude::*;
use phalanx_scene::{
    ChildOf, NodeLeft, Place, PrefabId, SceneId, SceneWorld, Scenes, SystemSlept, SystemWoke, TransformMode, propagate,
};
use phalanx_schedule::Engine;
use std::collections::HashSet;

/// How a story goes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// How many entities there are at most after an operation.
    pub crowd: usize,
    /// How many entities there are at first.
    pub first: u32,
    /// How many sets of roles have a table each.
    pub role_sets: usize,
    /// Whether places follow at once, or wait to be propagated.
    pub immediate: bool,
    /// Whether somebody is told who becomes whose child: then other ways are taken.
    pub observed: bool,
    /// On how many threads systems run side by side; never, if there are none.
    pub threads: usize,
}

impl Config {
    pub fn of(random: &mut Random) -> Self {
        Self {
            crowd: [12, 60, 60, 60, 250, 250, 800][random.below(7)],
            first: 0,
            role_sets: [256, 256, 30, 4, 0][random.below(5)],
            immediate: random.once_in(4),
            observed: random.once_in(3),
            threads: 0,
        }
    }
}

/// How much is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// Everything after each operation.
    Thorough,
    /// A little after each operation, everything after some of them.
    Usual,
    /// Everything in the end.
    Quiet,
}

/// Everything is compared after so many operations, and validated.
const EVERY: u64 = 4;
const VALIDATED: u64 = 16;

pub struct Driver {
    pub engine: Engine,
    pub book: Book,
    pub stage: Stage,
    pub prefabs: [PrefabId; 2],
    pub config: Config,
    pub care: Care,
    pub left: EventReader<NodeLeft>,
    pub slept: EventReader<SystemSlept>,
    pub woke: EventReader<SystemWoke>,
    /// Everybody who was ever in the book, by their real names.
    pub known: HashSet<Entity>,
    /// Who was meant by the operation.
    pub touched: Vec<Entity>,
    pub names: u32,
    pub deeds: Deeds,
    done: u64,
}

impl Driver {
    pub fn new(config: Config, care: Care) -> Self {
        let mut engine = Engine::new();
        threads(&mut engine, config.threads);
        let world = engine.world_mut();
        world.insert_resource(Sums::default());
        world.init_resource::<Scenes>().set_most_role_sets(config.role_sets);
        if config.immediate {
            world.insert_resource(TransformMode::Immediate);
        }
        if config.observed {
            world.observe::<ChildOf>(Act::Insert, |_| ());
            world.observe::<Heat>(Act::Remove, |_| ());
        }
        let prefabs = prefabs::add(world);
        let mut driver = Self {
            engine,
            book: Book::default(),
            stage: Stage::default(),
            prefabs,
            config,
            care,
            left: EventReader::new(),
            slept: EventReader::new(),
            woke: EventReader::new(),
            known: HashSet::new(),
            touched: Vec::new(),
            names: 0,
            deeds: Deeds::default(),
            done: 0,
        };
        driver.create_scene();
        let first = driver.stage.scenes[0].id;
        driver.add_system(first, What::Count);
        driver.engine.add(place_all).expect("a system").to("Places");
        driver.engine.order_groups("Scenes", "Places").expect("no circle");
        driver.populate();
        driver
    }

    /// Those who are there from the beginning, in a tree that is wide and not deep.
    fn populate(&mut self) {
        let mut random = Random(self.config.first.into());
        for value in 0..self.config.first {
            let parent = self.book.alive.get(random.below(1 + self.book.alive.len() / 3)).copied();
            let kit = super::parts::Kit(0b010_0001 | if value % 5 == 0 { 0b000_1110 } else { 0 });
            self.spawn(kit, value, parent);
        }
        propagate(self.world());
        self.book.propagate();
    }

    pub fn world(&mut self) -> &mut World {
        self.engine.world_mut()
    }

    // -------------------------------------------------------------------------------------------- who is meant

    /// Somebody who is alive.
    pub fn pick(&mut self, pick: Pick) -> Option<Entity> {
        let all = &self.book.alive;
        let end = if pick.early { all.len().min(8) } else { all.len() };
        let picked = all.get((pick.at as usize).checked_rem(end)?).copied();
        self.touched.extend(picked);
        picked
    }

    pub fn pick_some(&self, who: Several) -> Vec<Entity> {
        let mut random = Random(who.seed.into());
        let chosen = |_: &&Entity| random.once_in(who.one_in.into());
        let mut some: Vec<Entity> = self.book.alive.iter().filter(chosen).copied().collect();
        if let (true, Some(dead)) = (who.with_dead, self.book.dead.back()) {
            some.push(*dead);
        }
        some
    }

    pub fn are_alive(&self, entities: &[Entity]) -> bool {
        entities.iter().all(|entity| self.book.is_alive(*entity))
    }

    /// A place among the children of a parent, beside one that is not the child itself.
    pub fn place(&self, place: Where, child: Entity, parent: Entity) -> Place {
        let siblings = self.book.row(parent).children.iter().copied().filter(|sibling| *sibling != child);
        let siblings: Vec<Entity> = siblings.collect();
        let beside = |at: u32| (at as usize).checked_rem(siblings.len()).map(|at| siblings[at]);
        match place {
            Where::First => Place::First,
            Where::Last => Place::Last,
            Where::Before(at) => beside(at).map_or(Place::Last, Place::Before),
            Where::After(at) => beside(at).map_or(Place::First, Place::After),
        }
    }

    /// The scene that is meant, and whether it is there. There may be none.
    pub fn scene(&self, whither: Whither) -> Option<(SceneId, bool)> {
        match whither {
            Whither::Scene(at) => {
                let at = usize::from(at).checked_rem(self.stage.scenes.len())?;
                Some((self.stage.scenes[at].id, true))
            }
            Whither::Gone => Some((*self.stage.gone.last()?, false)),
        }
    }

    // ------------------------------------------------------------------------------------------------ one step

    pub fn apply(&mut self, op: Op) {
        self.touched.clear();
        let at_once = self.act(op);
        if self.config.immediate {
            self.book.propagate();
            if !at_once {
                propagate(self.world());
            }
        }
        self.done += 1;
        self.look();
        self.keep_small();
    }

    /// Answers whether all places must be right afterwards, if they follow at once.
    fn act(&mut self, op: Op) -> bool {
        match op {
            Op::Spawn { .. }
            | Op::SpawnBatch { .. }
            | Op::Insert { .. }
            | Op::InsertKit { .. }
            | Op::Remove { .. }
            | Op::InsertBatch { .. }
            | Op::RemoveBatch { .. }
            | Op::InsertWhere { .. }
            | Op::RemoveWhere { .. }
            | Op::Queue { .. } => self.edit(op),
            Op::Despawn { .. }
            | Op::DespawnAlone { .. }
            | Op::DespawnLazily { .. }
            | Op::DespawnBatch { .. }
            | Op::DespawnWhere { .. } => return self.end(op),
            Op::Attach { .. }
            | Op::AttachAll { .. }
            | Op::InsertChildOf { .. }
            | Op::Detach { .. }
            | Op::DetachChildren { .. } => return self.relate(op),
            Op::Clone { .. } | Op::CloneTree { .. } | Op::Travel { .. } | Op::Instantiate { .. } => self.copy(op),
            Op::Join { .. }
            | Op::JoinSome { .. }
            | Op::JoinMatching { .. }
            | Op::Leave { .. }
            | Op::LeaveSome { .. }
            | Op::Move { .. }
            | Op::Ask { .. } => self.change_roles(op),
            Op::Shift { .. } | Op::ShiftAll { .. } | Op::Write { .. } | Op::WriteAll | Op::Propagate => {
                return self.shift(op);
            }
            Op::Frame { .. } | Op::Update { .. } => self.run(op),
            Op::Reclaim => _ = self.world().reclaim(),
            _ => self.change_scenes(op),
        }
        false
    }

    fn look(&mut self) {
        match self.care {
            Care::Quiet => {}
            Care::Usual if !self.done.is_multiple_of(EVERY) => compare::a_little(self),
            _ => compare::all(self),
        }
        if self.care == Care::Thorough || self.care == Care::Usual && self.done.is_multiple_of(VALIDATED) {
            self.engine.world().validate().unwrap_or_else(|broken| panic!("{broken}"));
        }
    }

    /// Lets some go if they are too many.
    fn keep_small(&mut self) {
        let mut random = Random(self.done);
        while self.book.alive.len() > self.config.crowd {
            let entity = self.book.alive[random.below(self.book.alive.len())];
            self.world().despawn(entity).expect("alive");
            self.book.gone(&[entity]);
        }
        while self.stage.scenes.len() > 6 {
            let last = self.stage.scenes[5].id;
            self.delete_scene(last, random.once_in(2));
        }
        if self.config.immediate {
            self.book.propagate();
        }
    }

    /// Compares everything, and answers what the world is in the end.
    pub fn finish(mut self) -> End {
        propagate(self.world());
        self.book.propagate();
        compare::all(&mut self);
        self.engine.world().validate().unwrap_or_else(|broken| panic!("{broken}"));
        self.deeds.runs = self.stage.runs;
        End { sum: self.engine.world().checksum(), alive: self.engine.world().alive(), deeds: self.deeds }
    }

    /// Names for new scenes.
    pub fn new_name(&mut self) -> String {
        self.names += 1;
        format!("scene {}", self.names)
    }

    pub fn create_scene(&mut self) {
        let name = self.new_name();
        let scene = self.world().create_scene(&name).expect("a new name");
        self.stage.created(scene, name);
    }
}

/// Lets systems run side by side, or never.
#[cfg(feature = "parallel")]
fn threads(engine: &mut Engine, threads: usize) {
    use phalanx_schedule::Threads;
    let Some(threads) = Some(threads).filter(|threads| *threads > 0) else {
        return engine.schedule_mut().set_threads(Threads::Never);
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    engine.schedule_mut().set_threads(Threads::Always);
    engine.schedule_mut().set_pool(std::sync::Arc::new(pool));
}

#[cfg(not(feature = "parallel"))]
fn threads(_: &mut Engine, _: usize) {}
