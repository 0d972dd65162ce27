//! Operations on entities and their components, one by one, in batches, and through queues.

use super::book::Row;
use super::driver::Driver;
use super::ops::{Op, Way};
use super::parts::{
    BATCHES, Charge, Heat, Hidden, Kit, Label, Named, Part, Team, charge, heat, label, team, transform, with_batch,
};
use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, CommandNodes, Kinship, Place, Transform, WorldTransform};

/// Of whom something is done that is done to all of a kind.
fn is_of(of: u8) -> fn(&Row) -> bool {
    match of {
        0 => |row| row.charge.is_some(),
        1 => |row| row.team.is_some(),
        2 => |row| row.hidden,
        3 => |row| row.heat.is_some() && row.label.is_none(),
        4 => |row| row.parent.is_some() && row.hidden,
        _ => |row| !row.children.is_empty() && row.team.is_none() && row.label.is_none(),
    }
}

/// Calls a generic method of a world for the same of them.
macro_rules! for_of {
    ($of:expr, $world:expr, $method:ident::<$bundle:ty>($($argument:expr),*)) => {
        match $of {
            0 => $world.$method::<With<Charge>, $bundle>($($argument),*),
            1 => $world.$method::<With<Team>, $bundle>($($argument),*),
            2 => $world.$method::<With<Hidden>, $bundle>($($argument),*),
            3 => $world.$method::<(With<Heat>, Without<Label>), $bundle>($($argument),*),
            4 => $world.$method::<(With<ChildOf>, With<Hidden>), $bundle>($($argument),*),
            _ => $world.$method::<(With<phalanx_scene::Parent>, Without<Team>, Without<Label>), $bundle>($($argument),*),
        }
    };
}

impl Driver {
    pub fn spawn(&mut self, kit: Kit, value: u32, parent: Option<Entity>) {
        let mut bundle = BundleBuilder::new();
        kit.parts().for_each(|part| part.add_to(&mut bundle, value));
        if let Some(parent) = parent {
            bundle.add(ChildOf(parent));
        }
        let entity = self.world().spawn_dyn(bundle).expect("it can be");
        self.book.born_with(entity, kit, value);
        self.touched.push(entity);
        if let Some(parent) = parent {
            self.book.attach(entity, parent, Place::Last);
        }
    }

    pub fn edit(&mut self, op: Op) {
        match op {
            Op::Spawn { kit, value, below } => {
                let parent = below.and_then(|below| self.pick(below));
                self.spawn(kit, value, parent);
            }
            Op::SpawnBatch { batch, count, value, below } => {
                let parent = below.and_then(|below| self.pick(below));
                let world = self.engine.world_mut();
                let values = value..value + u32::from(count);
                let new: Vec<Entity> = with_batch!(batch, make => match parent {
                    None => world.spawn_batch(values.clone().map(make)).to_vec(),
                    Some(parent) => world.spawn_batch(values.clone().map(|value| (make(value), ChildOf(parent)))).to_vec(),
                });
                assert_eq!(new.len(), usize::from(count));
                for (entity, value) in new.into_iter().zip(values) {
                    self.book.born_with(entity, BATCHES[batch], value);
                    if let Some(parent) = parent {
                        self.book.attach(entity, parent, Place::Last);
                    }
                }
            }
            Op::Insert { who, part, value, way } => {
                let Some(who) = self.pick(who) else { return };
                if way == Way::Direct {
                    part.insert(self.world(), who, value).expect("alive");
                } else {
                    self.queue_insert(who, part, value);
                }
                self.book.give(who, part, value);
            }
            Op::InsertKit { who, kit, value } => {
                let Some(who) = self.pick(who) else { return };
                let mut bundle = BundleBuilder::new();
                kit.parts().for_each(|part| part.add_to(&mut bundle, value));
                self.world().insert_bundle_dyn(who, bundle).expect("alive");
                self.book.give_all(who, kit, value);
            }
            Op::Remove { who, part, way } => {
                let Some(who) = self.pick(who) else { return };
                if way == Way::Direct {
                    let had = self.book.row(who).has(part);
                    assert_eq!(part.remove(self.world(), who).expect("alive"), usize::from(had), "{part:?} of {who}");
                } else {
                    self.queue_remove(who, part);
                }
                self.book.take(who, part);
            }
            Op::InsertBatch { who, batch, value } => {
                let some = self.pick_some(who);
                let end = value + u32::try_from(some.len()).expect("few");
                let world = self.engine.world_mut();
                let inserted = with_batch!(batch, make => world.insert_batch(&some, (value..end).map(make)));
                let possible = self.are_alive(&some);
                assert_eq!(inserted.is_ok(), possible, "{inserted:?}");
                if possible {
                    for (entity, value) in some.into_iter().zip(value..) {
                        self.book.give_all(entity, BATCHES[batch], value);
                    }
                }
            }
            Op::RemoveBatch { who, batch } => {
                let some = self.pick_some(who);
                let world = self.engine.world_mut();
                let removed = match batch {
                    0 => world.remove_batch::<(Heat, Label)>(&some),
                    1 => world.remove_batch::<(Transform, Heat)>(&some),
                    2 => world.remove_batch::<(Charge, Label, Hidden)>(&some),
                    _ => world.remove_batch::<(Team, Heat, Transform, Charge)>(&some),
                };
                let possible = self.are_alive(&some);
                assert_eq!(removed.is_ok(), possible, "{removed:?}");
                if possible {
                    assert_eq!(removed.ok(), Some(self.take_all(&some, BATCHES[batch])));
                }
            }
            Op::InsertWhere { of, batch, value } => {
                let all = self.book.all(is_of(of));
                let world = self.engine.world_mut();
                let count = match batch {
                    0 => for_of!(of, world, insert_where::<(Heat, Label)>((heat(value), label(value)))),
                    1 => for_of!(of, world, insert_where::<(Transform, Heat)>((transform(value), heat(value)))),
                    2 => for_of!(
                        of,
                        world,
                        insert_where::<(Charge, Label, Hidden)>((charge(value), label(value), Hidden))
                    ),
                    _ => for_of!(
                        of,
                        world,
                        insert_where::<(Team, Heat, Transform, Charge)>((
                            team(value),
                            heat(value),
                            transform(value),
                            charge(value)
                        ))
                    ),
                };
                assert_eq!(count, all.len(), "how many of {of}");
                for entity in all {
                    self.book.give_all(entity, BATCHES[batch], value);
                }
            }
            Op::RemoveWhere { of, batch } => {
                let all = self.book.all(is_of(of));
                let world = self.engine.world_mut();
                let count = match batch {
                    0 => for_of!(of, world, remove_where::<(Heat, Label)>()),
                    1 => for_of!(of, world, remove_where::<(Transform, Heat)>()),
                    2 => for_of!(of, world, remove_where::<(Charge, Label, Hidden)>()),
                    _ => for_of!(of, world, remove_where::<(Team, Heat, Transform, Charge)>()),
                };
                let removed = self.take_all(&all, BATCHES[batch]);
                assert_eq!(count, removed, "how many of {of}");
            }
            Op::Queue { one, two, whither, value } => {
                let (Some(one), Some(two)) = (self.pick(one), self.pick(two)) else { return };
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let circular = self.book.is_above(one, two);
                let mut commands = self.world().commands();
                let new = commands.spawn((heat(value), label(value), ChildOf(two)));
                commands.add_node::<Named>(scene, new);
                commands.insert(one, (charge(value), Hidden));
                commands.remove::<Heat>(one);
                commands.insert(new, transform(value));
                commands.run(move |world| world.attach(one, new));
                let applied = self.world().apply(&mut commands);
                assert_eq!(applied.is_ok(), is_there && !circular, "{applied:?}");
                self.book.born_with(new, Kit(0b000_0011), value);
                self.book.attach(new, two, Place::Last);
                if is_there {
                    self.book.join(scene, super::parts::Kind::Named, new);
                }
                self.book.give_all(one, Kit(0b001_0100), value);
                self.book.take(one, Part::Heat);
                self.book.give(new, Part::Transform, value);
                if !circular {
                    self.book.attach(one, new, Place::Last);
                }
            }
            _ => unreachable!("{op:?}"),
        }
    }

    /// Takes parts from some; answers how many there were.
    fn take_all(&mut self, some: &[Entity], kit: Kit) -> usize {
        let mut taken = 0;
        for entity in some {
            for part in kit.parts() {
                taken += usize::from(self.book.row(*entity).has(part));
                self.book.take(*entity, part);
            }
        }
        taken
    }

    fn queue_insert(&mut self, who: Entity, part: Part, value: u32) {
        let mut commands = self.world().commands();
        match part {
            Part::Heat => commands.insert(who, heat(value)),
            Part::Label => commands.insert(who, label(value)),
            Part::Charge => commands.insert(who, charge(value)),
            Part::Team => commands.insert(who, team(value)),
            Part::Hidden => commands.insert(who, Hidden),
            Part::Transform => commands.insert(who, transform(value)),
            Part::Place => commands.insert(who, WorldTransform::default()),
        }
        self.world().apply(&mut commands).expect("alive");
    }

    fn queue_remove(&mut self, who: Entity, part: Part) {
        let mut commands = self.world().commands();
        match part {
            Part::Heat => commands.remove::<Heat>(who),
            Part::Label => commands.remove::<Label>(who),
            Part::Charge => commands.remove::<Charge>(who),
            Part::Team => commands.remove::<Team>(who),
            Part::Hidden => commands.remove::<Hidden>(who),
            Part::Transform => commands.remove::<Transform>(who),
            Part::Place => commands.remove::<WorldTransform>(who),
        }
        self.world().apply(&mut commands).expect("alive");
    }
}
