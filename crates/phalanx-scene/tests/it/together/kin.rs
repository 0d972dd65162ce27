//! Operations on parents and children, and on who ends with whom.

use super::driver::Driver;
use super::ops::{Op, Way};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Collection, Sampling};
use phalanx_scene::{ChildOf, Kinship, Parent, Place};

impl Driver {
    /// Answers whether places follow at once.
    pub fn relate(&mut self, op: Op) -> bool {
        match op {
            Op::Attach { child, parent, place, dead } => {
                let (Some(child), Some(mut parent)) = (self.pick(child), self.pick(parent)) else { return true };
                if let Some(gone) = self.book.dead.back().filter(|_| dead) {
                    parent = *gone;
                    assert!(self.world().attach(child, parent).is_err(), "{parent} has ended");
                    return true;
                }
                let place = self.place(place, child, parent);
                let refused = self.book.is_above(child, parent);
                let attached = self.world().attach_at(child, parent, place);
                assert_eq!(attached.is_err(), refused, "{child} below {parent}: {attached:?}");
                self.deeds.refused += usize::from(refused);
                if !refused {
                    self.book.attach(child, parent, place);
                }
            }
            Op::AttachAll { children, parent } => {
                let Some(parent) = self.pick(parent) else { return true };
                let children = self.pick_some(children);
                let possible =
                    self.are_alive(&children) && !children.iter().any(|child| self.book.is_above(*child, parent));
                let attached = self.world().attach_all(&children, parent);
                assert_eq!(attached.is_ok(), possible, "{children:?} below {parent}: {attached:?}");
                if possible {
                    for child in children {
                        self.book.attach(child, parent, Place::Last);
                    }
                }
            }
            Op::InsertChildOf { child, parent, kit, value } => {
                let (Some(child), Some(parent)) = (self.pick(child), self.pick(parent)) else { return true };
                let refused = self.book.is_above(child, parent);
                let mut bundle = BundleBuilder::new();
                kit.parts().for_each(|part| part.add_to(&mut bundle, value));
                bundle.add(ChildOf(parent));
                let inserted = self.world().insert_bundle_dyn(child, bundle);
                assert_eq!(inserted.is_err(), refused, "{child} below {parent}: {inserted:?}");
                if !refused {
                    self.book.give_all(child, kit, value);
                    self.book.attach(child, parent, Place::Last);
                }
                return false;
            }
            Op::Detach { who } => {
                let Some(who) = self.pick(who) else { return true };
                let detached = self.world().detach(who).expect("alive");
                assert_eq!(detached, self.book.detach(who), "{who}");
            }
            Op::DetachChildren { who, by_removal } => {
                let Some(who) = self.pick(who) else { return true };
                let count = self.book.detach_children(who);
                if by_removal {
                    assert_eq!(self.world().remove::<Parent>(who).expect("alive"), usize::from(count > 0));
                } else {
                    assert_eq!(self.world().detach_children(who).expect("alive"), count);
                }
            }
            _ => unreachable!("{op:?}"),
        }
        true
    }

    /// Answers whether places follow at once.
    pub fn end(&mut self, op: Op) -> bool {
        match op {
            Op::Despawn { who, way } => {
                let Some(who) = self.pick(who) else { return true };
                if way == Way::Direct {
                    self.world().despawn(who).expect("alive");
                } else {
                    let mut commands = self.world().commands();
                    commands.despawn(who);
                    self.world().apply(&mut commands).expect("alive");
                }
                self.book.gone(&[who]);
            }
            Op::DespawnAlone { who } => {
                let Some(who) = self.pick(who) else { return true };
                self.world().despawn_alone(who).expect("alive");
                self.book.detach_children(who);
                self.book.gone(&[who]);
            }
            Op::DespawnLazily { who, collect } => {
                let Some(who) = self.pick(who) else { return true };
                self.world().despawn_lazy(who).expect("alive");
                match collect {
                    0 => self.world().collect(Collection::Exact),
                    1 => self.world().collect(Sampling { live_in_a_row: 2 }),
                    _ => 0,
                };
                self.book.gone(&[who]);
            }
            Op::DespawnBatch { who } => {
                let some = self.pick_some(who);
                // Those that end with others of them are not alive any more, and so are not counted.
                let below = |entity: &Entity| self.book.way_up(*entity).skip(1).any(|above| some.contains(&above));
                let ends_with_others = some.iter().any(|entity| self.book.is_alive(*entity) && below(entity));
                let possible = self.are_alive(&some);
                let ended = self.world().despawn_batch(&some);
                assert!(ended.is_err() || possible, "{some:?}");
                assert!(ended.is_ok() || !possible || ends_with_others, "{some:?}: {ended:?}");
                self.book.gone(&some);
            }
            Op::DespawnWhere { of } => {
                let all = if of == 0 {
                    self.world().clear();
                    self.book.alive.clone()
                } else if of % 2 == 0 {
                    self.world().despawn_where::<(With<super::parts::Hidden>, With<super::parts::Charge>)>();
                    self.book.all(|row| row.hidden && row.charge.is_some())
                } else {
                    self.world().despawn_where::<(With<super::parts::Team>, With<super::parts::Label>)>();
                    self.book.all(|row| row.team.is_some() && row.label.is_some())
                };
                self.book.gone(&all);
            }
            _ => unreachable!("{op:?}"),
        }
        true
    }
}
