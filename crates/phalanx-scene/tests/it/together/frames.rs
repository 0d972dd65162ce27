//! The naive frame: which scenes take a step, which systems are awake, and what these do to whom, one after the other.
//!
//! ```text
//! frame   clocks pass ─► pass: scenes with a step due ─► systems whose roles are there, as they were added ─► what they queued ─► next pass … ─► places
//! ```

use super::book::{Book, Row};
use super::parts::{Born, Kind, Part};
use super::stage::Stage;
use super::systems::What;
use phalanx_ecs::Entity;
use phalanx_scene::{Place, SceneId};
use std::collections::HashMap;

/// What a system has queued.
enum Queued {
    Bear { parent: Entity, heat: u32, scene: SceneId },
    Shed { heat: u32, born: Born },
    Cull(Entity),
    Hide(Entity),
    Empty { scene: SceneId, despawns: bool },
    Close(SceneId),
}

/// Entities that came in a frame. The book has names of its own for them until it is seen which they really are.
#[derive(Default)]
pub struct Newcomers {
    next: u32,
    list: Vec<Entity>,
}

impl Newcomers {
    /// A name that no entity of a world has.
    fn name(&mut self) -> Entity {
        self.next += 1;
        let name = Entity::from_parts(u32::MAX - 1 - self.next, 7).expect("a generation");
        self.list.push(name);
        name
    }

    /// Who they really are: children by their place among those of their parent, others by where they were born. Those that ended in the same frame stay unknown.
    pub fn real_names(
        self,
        book: &Book,
        children: impl Fn(Entity) -> Vec<Entity>,
        born: &HashMap<Born, Entity>,
    ) -> HashMap<Entity, Entity> {
        let mut names = HashMap::new();
        // A parent came before its child.
        for name in self.list {
            let Some(row) = book.rows.get(&name) else { continue };
            let real = if let Some(born_at) = row.born {
                born.get(&born_at).copied()
            } else {
                let parent = row.parent.expect("it is a child");
                let at = book.row(parent).children.iter().position(|child| *child == name).expect("of its parent");
                let parent = names.get(&parent).copied().unwrap_or(parent);
                children(parent).get(at).copied()
            };
            names.insert(name, real.unwrap_or_else(|| panic!("somebody did not come: {row:?}")));
        }
        names
    }
}

/// A frame of so many milliseconds.
pub fn frame(book: &mut Book, stage: &mut Stage, millis: u64, new: &mut Newcomers) {
    for scene in stage.scenes.iter_mut().filter(|scene| scene.active) {
        scene.clock.pass(millis);
        scene.clock.ask(std::mem::take(&mut scene.asked));
    }
    loop {
        let steps = |scene: &mut super::stage::Scene| (scene.active && scene.clock.begin_step()).then_some(scene.id);
        let stepping: Vec<SceneId> = stage.scenes.iter_mut().filter_map(steps).collect();
        if stepping.is_empty() {
            break;
        }
        pass(book, stage, &stepping, new);
    }
    book.propagate();
}

/// A step of one scene, which somebody asked for.
pub fn update(book: &mut Book, stage: &mut Stage, scene: SceneId, new: &mut Newcomers) {
    let updated = stage.scene_mut(scene);
    if updated.active {
        updated.clock.ask(1);
        if updated.clock.begin_step() {
            pass(book, stage, &[scene], new);
        }
    }
}

fn pass(book: &mut Book, stage: &mut Stage, stepping: &[SceneId], new: &mut Newcomers) {
    let mut awake = Vec::new();
    for (at, system) in stage.systems.iter_mut().enumerate().filter(|(_, system)| stepping.contains(&system.scene)) {
        let waits_for = system.what.waits_for();
        let is_awake = waits_for.iter().all(|kind| !book.nodes(system.scene, *kind).is_empty());
        if system.awake.replace(is_awake) != Some(is_awake) && !waits_for.is_empty() {
            stage.told.push((system.scene, system.id, is_awake));
        }
        if is_awake {
            awake.push(at);
        }
    }
    let mut queue = Vec::new();
    for at in awake {
        stage.systems[at].runs += 1;
        stage.runs += 1;
        let (what, scene) = (stage.systems[at].what, stage.systems[at].scene);
        run(book, stage, what, scene, &mut queue);
    }
    for queued in queue {
        apply(book, stage, queued, new);
    }
}

fn heat(row: &Row) -> u32 {
    row.heat.expect("the role needs it")
}

fn run(book: &mut Book, stage: &mut Stage, what: What, scene: SceneId, queue: &mut Vec<Queued>) {
    let step = stage.scene(scene).clock.count - 1;
    match what {
        What::Heat => {
            for node in book.nodes(scene, Kind::Warm) {
                let row = book.row_mut(node);
                row.heat = Some((heat(row) * 3 + 1) % 1009);
            }
        }
        What::Shout => {
            for node in book.nodes(scene, Kind::Named) {
                let row = book.row_mut(node);
                let sound = if row.heat.is_some_and(|heat| heat % 2 == 1) { '!' } else { '.' };
                let label = row.label.as_mut().expect("the role needs it");
                if label.len() > 8 {
                    label.clear();
                }
                label.push(sound);
            }
        }
        What::Load => {
            for node in book.nodes(scene, Kind::Charged) {
                let row = book.row_mut(node);
                let length = row.label.as_ref().expect("the role needs it").len();
                row.charge = row.charge.map(|charge| charge * 2 % 511 + u32::try_from(length).expect("short"));
            }
        }
        What::Drift => {
            for node in book.nodes(scene, Kind::Moving) {
                let row = book.row_mut(node);
                if row.hidden {
                    continue;
                }
                let transform = row.transform.as_mut().expect("the role needs it");
                transform.translation.x += 0.25;
                if let Some(team) = row.team {
                    transform.translation.y -= if team == 0 { 0.5 } else { 0.125 };
                }
            }
        }
        What::Look => {
            let sum: u64 = book.nodes(scene, Kind::Seen).iter().map(|node| u64::from(heat(book.row(*node)))).sum();
            stage.sums.heat += sum;
            stage.sums.looks += 1;
        }
        What::Melt => {
            let sum: u32 = book.nodes(scene, Kind::Seen).iter().map(|node| heat(book.row(*node))).sum();
            for node in book.nodes(scene, Kind::Charged) {
                let row = book.row_mut(node);
                row.charge = row.charge.map(|charge| charge ^ (sum % 257));
            }
        }
        What::Count => stage.sums.counted += 1 + step + 10 * book.nodes(scene, Kind::Warm).len() as u64,
        What::Bear => {
            for parent in book.nodes(scene, Kind::Seen) {
                let heat = heat(book.row(parent));
                if heat % 8 == 3 {
                    queue.push(Queued::Bear { parent, heat: heat / 2, scene });
                }
            }
        }
        What::Shed => {
            let count = book.nodes(scene, Kind::Named).len();
            if count % 4 == 1 {
                let heat = u32::try_from(count).expect("few");
                queue.push(Queued::Shed { heat, born: Born { scene, step } });
            }
        }
        What::Cull => {
            let ripe = book.all(|row| row.label.as_ref().is_some_and(|label| label.len() == 7));
            queue.extend(ripe.into_iter().map(Queued::Cull));
        }
        What::Hide => {
            let ripe = book.nodes(scene, Kind::Seen).into_iter().filter(|node| heat(book.row(*node)) % 16 == 5);
            queue.extend(ripe.map(Queued::Hide));
        }
        What::Empty => {
            if step % 32 == 9 {
                let despawns = book.nodes(scene, Kind::Seen).len().is_multiple_of(2);
                queue.push(Queued::Empty { scene, despawns });
            }
        }
        What::Close => {
            if step % 128 == 77 {
                queue.push(Queued::Close(scene));
            }
        }
    }
}

fn apply(book: &mut Book, stage: &mut Stage, queued: Queued, new: &mut Newcomers) {
    match queued {
        Queued::Bear { parent, heat, scene } => {
            if book.is_alive(parent) {
                let child = new.name();
                book.born(child, Row { heat: Some(heat), ..Row::default() });
                book.attach(child, parent, Place::Last);
                if stage.is_there(scene) {
                    book.join(scene, Kind::Warm, child);
                }
            }
        }
        Queued::Shed { heat, born } => {
            let shed = new.name();
            let row = Row { heat: Some(heat), label: Some("shed".into()), born: Some(born), ..Row::default() };
            book.born(shed, row);
            if stage.is_there(born.scene) {
                book.join(born.scene, Kind::Named, shed);
            }
        }
        Queued::Cull(entity) => book.gone(&[entity]),
        Queued::Hide(entity) => {
            if book.is_alive(entity) {
                book.give(entity, Part::Hidden, 0);
            }
        }
        Queued::Empty { scene, despawns } => book.cleared(scene, despawns),
        Queued::Close(scene) => {
            book.cleared(scene, true);
            stage.deleted(scene);
        }
    }
}
