//! Operations on scenes: how they come and end, their time, and the systems that serve them.

use super::driver::Driver;
use super::ops::Op;
use super::stage::System;
use super::systems::What;
use phalanx_scene::{Leaving, SceneId, SceneWorld};

impl Driver {
    pub fn change_scenes(&mut self, op: Op) {
        let whither = match op {
            Op::Create { systems } => {
                if let Some(name) = self.stage.scenes.first().map(|scene| scene.name.clone()) {
                    assert!(self.world().create_scene(&name).is_err(), "{name} is taken");
                }
                self.create_scene();
                let scene = self.stage.scenes.last().expect("made just now").id;
                for (at, what) in What::ALL.into_iter().enumerate() {
                    if systems >> at & 1 == 1 {
                        self.add_system(scene, what);
                    }
                }
                return;
            }
            Op::RemoveSystem { at } => return self.remove_system(at.into()),
            Op::Delete { whither, .. }
            | Op::Clear { whither, .. }
            | Op::Pause { whither, .. }
            | Op::Activate { whither, .. }
            | Op::SetBeat { whither, .. }
            | Op::SetScale { whither, .. }
            | Op::AskSteps { whither, .. }
            | Op::Rename { whither }
            | Op::AddSystem { whither, .. } => whither,
            _ => unreachable!("{op:?}"),
        };
        let Some((scene, is_there)) = self.scene(whither) else { return };
        if is_there { self.change_scene(scene, op) } else { self.be_refused(scene, op) }
    }

    fn change_scene(&mut self, scene: SceneId, op: Op) {
        let name = self.new_name();
        let (world, stage) = (self.engine.world_mut(), self.stage.scene_mut(scene));
        match op {
            Op::Pause { pauses, .. } => {
                let done = if pauses { scene.pause(world) } else { scene.play(world) };
                done.expect("it is there");
                stage.clock.paused = pauses;
            }
            Op::Activate { active, .. } => {
                let done = if active { scene.activate(world) } else { scene.deactivate(world) };
                done.expect("it is there");
                stage.active = active;
            }
            Op::SetBeat { beat, .. } => {
                scene.set_pace(world, beat.pace()).expect("it is there").expect("a pace");
                stage.clock.set_beat(beat);
            }
            Op::SetScale { scale, .. } => {
                scene.set_time_scale(world, scale.into()).expect("it is there");
                stage.clock.scale = scale.into();
            }
            Op::AskSteps { steps, .. } => {
                scene.step(world, steps.into()).expect("it is there");
                stage.asked += u64::from(steps);
            }
            Op::Rename { .. } => {
                scene.rename(world, &name).expect("it is there").expect("a new name");
                stage.name = name;
            }
            Op::AddSystem { what, .. } => self.add_system(scene, what),
            Op::Clear { despawns, .. } => {
                let leaving = if despawns { Leaving::Despawn } else { Leaving::Keep };
                let cleared = scene.clear(world, leaving).expect("it is there");
                assert_eq!(cleared, self.book.members(scene).len());
                self.book.cleared(scene, despawns);
            }
            Op::Delete { with_systems, .. } => self.delete_scene(scene, with_systems),
            _ => unreachable!("{op:?}"),
        }
    }

    /// Nothing can be done about a scene that is no more.
    fn be_refused(&mut self, scene: SceneId, op: Op) {
        let engine = &mut self.engine;
        let world = engine.world_mut();
        let done = match op {
            Op::Pause { pauses: true, .. } => scene.pause(world),
            Op::Pause { pauses: false, .. } => scene.play(world),
            Op::Activate { active: true, .. } => scene.activate(world),
            Op::Activate { active: false, .. } => scene.deactivate(world),
            Op::SetBeat { beat, .. } => scene.set_pace(world, beat.pace()).map(|_| ()),
            Op::SetScale { scale, .. } => scene.set_time_scale(world, scale.into()),
            Op::AskSteps { steps, .. } => scene.step(world, steps.into()),
            Op::Rename { .. } => scene.rename(world, "nobody").map(|_| ()),
            Op::AddSystem { what, .. } => return assert!(what.add(engine, scene).is_err(), "{scene}"),
            Op::Clear { .. } => scene.clear(world, Leaving::Despawn).map(|_| ()),
            Op::Delete { with_systems: true, .. } => scene.delete_from(engine),
            Op::Delete { with_systems: false, .. } => scene.delete(world),
            _ => unreachable!("{op:?}"),
        };
        assert!(done.is_err(), "{scene} is gone");
    }

    pub fn delete_scene(&mut self, scene: SceneId, with_systems: bool) {
        let systems = scene.systems(self.world()).expect("it is there");
        if with_systems {
            scene.delete_from(&mut self.engine).expect("it is there");
            let schedule = self.engine.schedule();
            assert!(systems.iter().all(|system| !schedule.contains(*system)), "{scene}");
        } else {
            scene.delete(self.world()).expect("it is there");
        }
        self.book.cleared(scene, true);
        self.stage.deleted(scene);
    }

    /// Lets a system serve a scene that it does not serve yet.
    pub fn add_system(&mut self, scene: SceneId, what: What) {
        if self.stage.systems.iter().all(|system| (system.scene, system.what) != (scene, what)) {
            let id = what.add(&mut self.engine, scene).expect("no conflict");
            self.stage.systems.push(System { id, scene, what, runs: 0, awake: None });
        }
    }

    fn remove_system(&mut self, at: usize) {
        let Some(at) = at.checked_rem(self.stage.systems.len()) else { return };
        let system = self.stage.systems.remove(at);
        system.scene.remove(&mut self.engine, system.id).expect("it serves the scene");
        assert!(system.scene.remove(&mut self.engine, system.id).is_err(), "it is gone");
    }
}
