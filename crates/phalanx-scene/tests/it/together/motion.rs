//! Operations on transforms; frames of the engine; and copies, of entities, trees and prefabs.

use super::book::{Book, Row};
use super::compare;
use super::driver::Driver;
use super::frames::{Newcomers, frame, update};
use super::ops::{Motion, Op, Pick, Way};
use super::parts::{Born, Part, transform, turn, vector};
use super::prefabs::{CHANGED, changed, pieces};
use super::random::Random;
use glam::{Quat, Vec3};
use phalanx_ecs::{Entity, World};
use phalanx_scene::{CommandPrefabs, Kinship, Place, PrefabWorld, Transform, Transforms, propagate};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// By how much.
struct By(Vec3, Quat, Vec3);

impl By {
    fn of(value: u32) -> Self {
        let mut random = Random(value.into());
        Self(vector(&mut random), turn(&mut random), Vec3::ONE + vector(&mut random) * 0.02)
    }

    fn change(&self, motion: Motion, transform: &mut Transform) {
        match motion {
            Motion::Translate => transform.translation += self.0,
            Motion::Rotate => transform.rotation = self.1 * transform.rotation,
            Motion::Scale => transform.scale *= self.2,
            // Back from where long ways have led.
            Motion::Edit => *transform = Transform { translation: self.0, rotation: self.1, scale: self.2 },
        }
    }
}

impl Driver {
    /// Answers whether places follow at once.
    pub fn shift(&mut self, op: Op) -> bool {
        match op {
            Op::Shift { who, motion, value } => {
                let Some(who) = self.pick(who) else { return true };
                let by = By::of(value);
                let world = self.engine.world_mut();
                let done = match motion {
                    Motion::Translate => world.translate(who, by.0),
                    Motion::Rotate => world.rotate(who, by.1),
                    Motion::Scale => world.scale(who, by.2),
                    Motion::Edit => world.edit_transform(who, |transform| by.change(motion, transform)),
                };
                let transform = &mut self.book.row_mut(who).transform;
                assert_eq!(done.is_ok(), transform.is_some(), "{who}: {done:?}");
                if let Some(transform) = transform {
                    by.change(motion, transform);
                }
            }
            Op::ShiftAll { who, motion, value } => {
                let some = self.pick_some(who);
                let by = By::of(value);
                let world = self.engine.world_mut();
                let done = match motion {
                    Motion::Translate => world.translate_all(&some, by.0),
                    Motion::Rotate => world.rotate_all(&some, by.1),
                    Motion::Scale => world.scale_all(&some, by.2),
                    Motion::Edit => world.edit_transforms(&some, |transform| by.change(motion, transform)),
                };
                assert_eq!(done.len(), some.len());
                for (entity, done) in some.into_iter().zip(done) {
                    let transform = self.book.rows.get_mut(&entity).and_then(|row| row.transform.as_mut());
                    assert_eq!(done.is_ok(), transform.is_some(), "{entity}: {done:?}");
                    if let Some(transform) = transform {
                        by.change(motion, transform);
                    }
                }
            }
            Op::Write { who, value } => {
                let Some(who) = self.pick(who) else { return true };
                let written = self.world().get_mut::<Transform>(who).map(|written| *written = transform(value));
                assert_eq!(written.is_some(), self.book.row(who).transform.is_some(), "{who}");
                if written.is_some() {
                    self.book.row_mut(who).transform = Some(transform(value));
                }
                return false;
            }
            Op::WriteAll => {
                self.world().query::<&mut Transform>().for_each(|transform| transform.translation.z -= 0.5);
                for row in self.book.rows.values_mut() {
                    row.transform.iter_mut().for_each(|transform| transform.translation.z -= 0.5);
                }
                return false;
            }
            Op::Propagate => {
                propagate(self.world());
                self.book.propagate();
                assert_eq!(propagate(self.world()), 0, "all was done");
            }
            _ => unreachable!("{op:?}"),
        }
        true
    }

    pub fn run(&mut self, op: Op) {
        match op {
            Op::Frame { millis, again } => {
                for _ in 0..=again {
                    let mut new = Newcomers::default();
                    self.engine
                        .run_frame(Duration::from_millis(millis.into()))
                        .unwrap_or_else(|fault| panic!("{fault}"));
                    frame(&mut self.book, &mut self.stage, millis.into(), &mut new);
                    self.meet(new);
                    // Events are not kept for long.
                    compare::told(self);
                }
            }
            Op::Update { whither } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let updated = scene.update(&mut self.engine);
                assert_eq!(updated.is_ok(), is_there, "{scene}");
                if let Ok(updated) = updated {
                    updated.unwrap_or_else(|fault| panic!("{fault}"));
                    let mut new = Newcomers::default();
                    update(&mut self.book, &mut self.stage, scene, &mut new);
                    self.meet(new);
                }
            }
            _ => unreachable!("{op:?}"),
        }
    }

    /// Learns who it was that came in a frame.
    fn meet(&mut self, new: Newcomers) {
        let world = self.engine.world();
        let all = world.read::<(Entity, &Born)>();
        let born = all.iter().filter(|(entity, _)| !self.book.is_alive(*entity));
        let born: HashMap<Born, Entity> = born.map(|(entity, born)| (*born, entity)).collect();
        let names = new.real_names(&self.book, |parent| world.children(parent).collect(), &born);
        self.book.rename(&names);
        self.touched.extend(names.values());
        self.deeds.born += names.len();
    }

    pub fn copy(&mut self, op: Op) {
        match op {
            Op::Clone { who } => {
                let Some(who) = self.pick(who) else { return };
                let copy = self.world().clone_entity(who).expect("all can be copied");
                self.book.copied(who, copy);
                self.touched.push(copy);
            }
            Op::CloneTree { who } => {
                let Some(who) = self.pick(who) else { return };
                let originals = self.book.below(who);
                if originals.len() > self.config.crowd / 2 {
                    return;
                }
                let copy = self.world().clone_tree(who).expect("all can be copied");
                let copies: Vec<Entity> = self.world().descendants(copy).collect();
                assert_eq!(copies.len(), originals.len(), "below {who} and its copy {copy}");
                self.book.copied(who, copy);
                let names: HashMap<Entity, Entity> =
                    originals.iter().copied().zip(copies.iter().copied()).chain([(who, copy)]).collect();
                for (original, copy) in originals.into_iter().zip(copies) {
                    let parent = self.book.row(original).parent.expect("it is below somebody");
                    self.book.copied(original, copy);
                    self.book.attach(copy, names[&parent], Place::Last);
                }
            }
            Op::Travel { who } => {
                let Some(who) = self.pick(who) else { return };
                self.travel(who);
            }
            Op::Instantiate { prefab, count, below, changed, way } => {
                self.instantiate(prefab.into(), count.into(), below, changed, way);
            }
            _ => unreachable!("{op:?}"),
        }
    }

    /// A tree goes to another world and comes back: what is of this world alone has stayed behind.
    fn travel(&mut self, who: Entity) {
        let mut there = World::new();
        let names = std::iter::once(who).chain(self.book.below(who)).collect::<Vec<_>>();
        let rows: Vec<Row> = names.iter().map(|name| self.book.row(*name).clone()).collect();
        let arrived = self.world().move_tree(who, &mut there).expect("all can move");
        assert_eq!(there.alive(), names.len(), "with {who}");
        self.book.gone(&[who]);
        let back = there.move_tree(arrived, self.world()).expect("all can move");
        assert_eq!(there.alive(), 0);
        there.validate().unwrap_or_else(|broken| panic!("{broken}"));
        let new: Vec<Entity> = std::iter::once(back).chain(self.world().descendants(back)).collect();
        assert_eq!(new.len(), names.len(), "with {who}");
        let names: HashMap<Entity, Entity> = names.into_iter().zip(new.iter().copied()).collect();
        for (entity, row) in new.into_iter().zip(rows) {
            let parent = row.parent.filter(|_| entity != back);
            let row = Row { parent: None, children: Vec::new(), roles: BTreeSet::new(), copy_of: None, ..row };
            self.book.born(entity, row);
            if let Some(parent) = parent {
                self.book.attach(entity, names[&parent], Place::Last);
            }
        }
    }

    fn instantiate(&mut self, prefab: usize, count: usize, below: Option<Pick>, is_changed: bool, way: Way) {
        let id = self.prefabs[prefab];
        let parent = below.and_then(|below| self.pick(below));
        let mut copies = id.copies(count);
        if let Some(parent) = parent {
            copies = copies.below(parent);
        }
        if is_changed {
            copies = copies.changed(changed());
        }
        let tops: Vec<Entity> = if way == Way::Direct {
            copies.make(self.world()).expect("all can be")
        } else {
            let mut commands = self.world().commands();
            commands.instantiate(copies);
            self.world().apply(&mut commands).expect("all can be");
            let is_new = |entity: &Entity| !self.book.is_alive(*entity);
            let world = self.engine.world();
            match parent {
                Some(parent) => world.children(parent).filter(is_new).collect(),
                None => id.instances(world).into_iter().filter(is_new).collect(),
            }
        };
        assert_eq!(tops.len(), count, "copies of {id}");
        for top in tops {
            add_copy(&mut self.book, prefab, self.engine.world(), top, is_changed, id);
            if let Some(parent) = parent {
                self.book.attach(top, parent, Place::Last);
            }
            self.touched.push(top);
        }
    }
}

/// Writes down a copy of a prefab, whose parts the world knows by their paths.
fn add_copy(book: &mut Book, prefab: usize, world: &World, top: Entity, is_changed: bool, id: phalanx_scene::PrefabId) {
    let mut entities: Vec<Entity> = Vec::new();
    for piece in pieces(prefab) {
        let part = world.part_of(top, piece.path).unwrap_or_else(|| panic!("{top} has no part {:?}", piece.path));
        let mut row = Row { copy_of: Some((id, piece.path)), ..Row::default() };
        piece.kit.parts().for_each(|part| row.set(part, piece.value));
        if is_changed && part == top {
            CHANGED.0.parts().for_each(|part: Part| row.set(part, CHANGED.1));
        }
        book.born(part, row);
        if let Some(above) = piece.below {
            book.attach(part, entities[above], Place::Last);
        }
        entities.push(part);
    }
}
