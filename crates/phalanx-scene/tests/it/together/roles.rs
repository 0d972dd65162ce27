//! Operations on roles: one by one, in batches, for all that can, from scene to scene, and who is refused.

use super::driver::Driver;
use super::ops::{Op, Way};
use super::parts::{Kind, Warm, for_kind};
use phalanx_ecs::Entity;
use phalanx_scene::{CommandNodes, MaybeNodes, Node, SceneId, SceneWorld};

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

impl Driver {
    pub fn change_roles(&mut self, op: Op) {
        match op {
            Op::Join { whither, kind, who, way } => {
                let (Some((scene, is_there)), Some(who)) = (self.scene(whither), self.pick(who)) else { return };
                let possible = is_there && self.book.row(who).fits(kind);
                self.deeds.refused += usize::from(!possible);
                if way == Way::Direct {
                    let joined = for_kind!(kind, scene, add_node(self.world(), who));
                    assert_eq!(joined.is_ok(), possible, "{who} as {kind:?} in {scene}: {joined:?}");
                    if possible {
                        assert_eq!(joined.ok(), Some(self.book.join(scene, kind, who)));
                    }
                } else {
                    let mut commands = self.world().commands();
                    for_kind!(kind, commands, add_node(scene, who));
                    let applied = self.world().apply(&mut commands);
                    assert_eq!(applied.is_ok(), possible, "{who} as {kind:?} in {scene}: {applied:?}");
                    if possible {
                        self.book.join(scene, kind, who);
                    }
                }
            }
            Op::JoinSome { whither, kind, who, fitting, way } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let mut some = self.pick_some(who);
                if fitting {
                    some.retain(|entity| self.book.rows.get(entity).is_none_or(|row| row.fits(kind)));
                }
                let fits = |entity: &Entity| self.book.rows.get(entity).is_some_and(|row| row.fits(kind));
                let possible = is_there && some.iter().all(fits);
                let joined = if way == Way::Direct {
                    for_kind!(kind, scene, add_nodes(self.world(), &some)).ok()
                } else {
                    let mut commands = self.world().commands();
                    for_kind!(kind, commands, add_nodes(scene, &some));
                    let count = some.iter().filter(|entity| !self.has(scene, kind, **entity)).count();
                    self.world().apply(&mut commands).is_ok().then_some(count)
                };
                assert_eq!(joined.is_some(), possible, "{some:?} as {kind:?} in {scene}");
                if possible {
                    let new = some.iter().filter(|entity| self.book.join(scene, kind, **entity)).count();
                    assert_eq!(joined, Some(new));
                }
            }
            Op::JoinMatching { whither, kind, way } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let all = self.book.all(|row| row.fits(kind));
                if way == Way::Direct {
                    let joined = for_kind!(kind, scene, add_matching(self.world()));
                    assert_eq!(joined.is_ok(), is_there, "{kind:?} in {scene}: {joined:?}");
                    let new = all.iter().filter(|entity| !self.has(scene, kind, **entity)).count();
                    assert!(joined.is_ok_and(|joined| joined == new) || !is_there, "{kind:?} in {scene}");
                } else {
                    let mut commands = self.world().commands();
                    for_kind!(kind, commands, add_matching(scene));
                    assert_eq!(self.world().apply(&mut commands).is_ok(), is_there, "{kind:?} in {scene}");
                }
                for entity in all.into_iter().filter(|_| is_there) {
                    self.book.join(scene, kind, entity);
                }
            }
            Op::Leave { whither, kind, who, way } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                // One that has the role, if there is one.
                let nodes = self.book.nodes(scene, kind);
                let node = nodes.get((who.at as usize).checked_rem(nodes.len()).unwrap_or(0)).copied();
                let Some(who) = node.or_else(|| self.pick(who)) else { return };
                self.touched.push(who);
                if way == Way::Direct {
                    let left = for_kind!(kind, scene, remove_node(self.world(), who));
                    assert_eq!(left.is_ok(), is_there, "{left:?}");
                    let lost = self.book.lose(who, |role, _| *role == (scene, kind));
                    assert!(left.is_ok_and(|left| left == (lost > 0)) || !is_there, "{who}, {kind:?} in {scene}");
                } else {
                    let mut commands = self.world().commands();
                    for_kind!(kind, commands, remove_node(scene, who));
                    assert_eq!(self.world().apply(&mut commands).is_ok(), is_there);
                    self.book.lose(who, |role, _| *role == (scene, kind));
                }
            }
            Op::LeaveSome { whither, kind, who } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let some = self.pick_some(who);
                let possible = is_there && self.are_alive(&some);
                let left = for_kind!(kind, scene, remove_nodes(self.world(), &some));
                assert_eq!(left.is_ok(), possible, "{left:?}");
                if possible {
                    let lost: usize =
                        some.iter().map(|entity| self.book.lose(*entity, |role, _| *role == (scene, kind))).sum();
                    assert_eq!(left.ok(), Some(lost));
                }
            }
            Op::Move { from, to, who, copies } => {
                let (Some((from, from_there)), Some((to, to_there))) = (self.scene(from), self.scene(to)) else {
                    return;
                };
                let some = self.pick_some(who);
                let possible = from_there && to_there && self.are_alive(&some);
                let world = self.world();
                let done = if copies { from.copy_nodes(world, &some, to) } else { from.move_nodes(world, &some, to) };
                assert_eq!(done.is_ok(), possible, "from {from} to {to}: {done:?}");
                if possible {
                    let count = self.move_in_book(from, to, &some, copies);
                    assert_eq!(done.ok(), Some(count), "from {from} to {to}");
                }
            }
            Op::Ask { whither, kind } => {
                let Some((scene, is_there)) = self.scene(whither) else { return };
                let nodes = self.book.nodes(scene, kind);
                let prepared = for_kind!(kind, self, prepared(scene));
                assert_eq!(prepared, is_there.then_some(nodes.len()), "{kind:?} in {scene}");
                let in_scene = for_kind!(kind, self.world(), nodes_of()).into_iter().filter(|node| node.0 == scene);
                assert_eq!(in_scene.count(), nodes.len(), "{kind:?} in {scene}");
                let warm = self.book.nodes(scene, Kind::Warm).iter().map(|node| self.book.row(*node).heat).collect();
                let asked = |nodes: MaybeNodes<'_, Warm<'_>>| nodes.into_iter().map(|node| Some(node.heat.0)).collect();
                let found: Result<Vec<Option<u32>>, _> =
                    scene.run_once(self.world(), asked).map(|ran| ran.expect("no conflict"));
                assert_eq!(found.is_ok(), is_there, "{scene}");
                assert_eq!(sorted(found.unwrap_or_default()), sorted(warm), "heat in {scene}");
            }
            _ => unreachable!("{op:?}"),
        }
    }

    /// How many a prepared query finds, if the scene is there.
    fn prepared<N: Node + 'static>(&mut self, scene: SceneId) -> Option<usize> {
        let world = self.world();
        let mut query = scene.prepare::<N>(world).ok()?;
        Some(query.on(world).count())
    }

    fn has(&self, scene: SceneId, kind: Kind, entity: Entity) -> bool {
        self.book.rows.get(&entity).is_some_and(|row| row.roles.contains(&(scene, kind)))
    }

    /// Answers how many roles came, or went if they move.
    fn move_in_book(&mut self, from: SceneId, to: SceneId, some: &[Entity], copies: bool) -> usize {
        let (mut came, mut went) = (0, 0);
        for entity in some {
            let roles = self.book.row(*entity).roles.clone();
            for (_, kind) in roles.iter().filter(|role| role.0 == from) {
                came += usize::from(self.book.join(to, *kind, *entity));
            }
            if !copies && from != to {
                went += self.book.lose(*entity, |role, _| role.0 == from);
            }
        }
        if copies { came } else { went }
    }
}
