//! Random prefabs, nested, derived, changed and copied, compared with a naive book: for each instance, by path, which entity it is and what it has.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Kinship, Prefab, PrefabId, PrefabWorld};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Component, Clone, Copy)]
struct A(u32);
#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
struct B(u32);
#[derive(Component, Clone, Copy, PartialEq, Eq, Hash)]
#[component(shared)]
struct C(u32);
#[derive(Component, Clone, Copy)]
struct Link(Entity);

/// `A`, `B` and `C` by their position; `Link` is the fourth.
const LINK: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn of<T: Clone>(&mut self, all: impl IntoIterator<Item = T>) -> Option<T> {
        let all: Vec<T> = all.into_iter().collect();
        if all.is_empty() { None } else { Some(all[self.below(all.len())].clone()) }
    }

    fn number(&mut self) -> u32 {
        u32::try_from(self.below(5)).unwrap()
    }
}

// ----------------------------------------------------------------------------------------------------- naive prefabs

type Changes = BTreeMap<usize, Option<u32>>;

#[derive(Clone, Default)]
struct Def {
    base: Option<PrefabId>,
    own: Changes,
    parts: Vec<(String, Def)>,
    within: Vec<(String, Changes)>,
    /// Target and what it refers to.
    binds: Vec<(String, String)>,
    edits: Vec<(String, usize, Option<u32>)>,
}

/// What a prefab says of a part: values by component, and the path that its link refers to.
#[derive(Clone, Default, PartialEq, Debug)]
struct Said {
    values: BTreeMap<usize, u32>,
    link: Option<String>,
}

/// By path. Those above come first.
type Flat = BTreeMap<String, Said>;

fn join(above: &str, below: &str) -> String {
    match (above, below) {
        ("", below) => below.to_owned(),
        (above, "") => above.to_owned(),
        (above, below) => format!("{above}/{below}"),
    }
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

fn is_below(path: &str, top: &str) -> bool {
    top.is_empty() || path == top || path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
}

fn change(said: &mut Said, changes: &Changes) {
    for (component, value) in changes {
        match value {
            Some(value) => _ = said.values.insert(*component, *value),
            None => _ = said.values.remove(component),
        }
    }
}

impl Def {
    fn flat(&self, known: &BTreeMap<PrefabId, Def>) -> Option<Flat> {
        let mut flat = match self.base {
            Some(base) => known.get(&base)?.flat(known)?,
            None => Flat::from([(String::new(), Said::default())]),
        };
        change(flat.get_mut("").unwrap(), &self.own);
        for (name, part) in &self.parts {
            if flat.contains_key(name) {
                return None;
            }
            for (path, mut said) in part.flat(known)? {
                said.link = said.link.map(|link| join(name, &link));
                flat.insert(join(name, &path), said);
            }
        }
        for (path, changes) in &self.within {
            change(flat.get_mut(path)?, changes);
        }
        for (target, link) in &self.binds {
            flat.get_mut(target)?.link = Some(link.clone());
        }
        for (path, component, value) in &self.edits {
            change(flat.get_mut(path)?, &BTreeMap::from([(*component, *value)]));
        }
        Some(flat)
    }

    fn uses(&self, id: PrefabId, known: &BTreeMap<PrefabId, Def>) -> bool {
        let base = self.base.is_some_and(|base| base == id || known[&base].uses(id, known));
        base || self.parts.iter().any(|(_, part)| part.uses(id, known))
    }

    fn names(&self, id: PrefabId) -> bool {
        self.base == Some(id) || self.parts.iter().any(|(_, part)| part.names(id))
    }

    fn prefab(&self) -> Prefab {
        let mut prefab = with(self.base.map_or_else(Prefab::new, Prefab::from), &self.own);
        for (name, part) in &self.parts {
            prefab = prefab.part(name.clone(), part.prefab());
        }
        for (path, changes) in &self.within {
            prefab = prefab.within(path.clone(), with(Prefab::new(), changes));
        }
        for (target, link) in self.binds.iter().cloned() {
            prefab = prefab.bind_in(target, move |parts| Link(parts[&*link]));
        }
        prefab
    }
}

fn with(prefab: Prefab, changes: &Changes) -> Prefab {
    changes.iter().fold(prefab, |prefab, (component, value)| match (component, value) {
        (0, Some(value)) => prefab.with(A(*value)),
        (1, Some(value)) => prefab.with((B(*value),)),
        (_, Some(value)) => prefab.with(C(*value)),
        (0, None) => prefab.without::<A>(),
        (1, None) => prefab.without::<B>(),
        (_, None) => prefab.without::<C>(),
    })
}

// --------------------------------------------------------------------------------------------------- naive instances

#[derive(Clone)]
struct Part {
    entity: Entity,
    values: BTreeMap<usize, u32>,
    link: Option<Entity>,
    own: BTreeSet<usize>,
}

#[derive(Clone)]
struct Instance {
    prefab: PrefabId,
    parts: BTreeMap<String, Part>,
}

impl Instance {
    fn entity(&self, path: &str) -> Option<Entity> {
        self.parts.get(path).map(|part| part.entity)
    }

    /// What changes when the prefab does. New parts have no entity yet: a placeholder that nobody else has, by path. `None` if that cannot be.
    fn follow(&mut self, before: &Flat, now: &Flat, mut place: impl FnMut(&str) -> Entity) -> Option<()> {
        let was = self.clone();
        for (path, said) in now {
            if before.contains_key(path) || self.parts.contains_key(path) || !self.parts.contains_key(above(path)) {
                continue;
            }
            let (entity, values) = (place(path), said.values.clone());
            self.parts.insert(path.clone(), Part { entity, values, link: None, own: BTreeSet::new() });
        }
        let all = self.clone();
        for (path, said) in now {
            let Some(part) = self.parts.get_mut(path) else { continue };
            let link = |link: &String| if now.contains_key(link) { Some(all.entity(link)) } else { None };
            let Some(old) = before.get(path) else {
                if !was.parts.contains_key(path)
                    && let Some(target) = &said.link
                {
                    part.link = link(target)?;
                }
                continue;
            };
            for component in 0..LINK {
                let (old, new) = (old.values.get(&component), said.values.get(&component));
                let has = part.values.get(&component);
                if old != new && has == old && !part.own.contains(&component) {
                    match new {
                        Some(new) => _ = part.values.insert(component, *new),
                        None => _ = part.values.remove(&component),
                    }
                }
            }
            if part.own.contains(&LINK) {
                continue;
            }
            let follows = match &old.link {
                Some(old) => part.link.is_some() && part.link == was.entity(old) && before.contains_key(old),
                None => part.link.is_none(),
            };
            match &said.link {
                _ if !follows => {}
                None => part.link = None,
                // Who refers to what its copy has lost is left alone.
                Some(target) if old.link.as_ref() != Some(target) || before.keys().ne(now.keys()) => {
                    part.link = link(target)?.or(part.link);
                }
                Some(_) => {}
            }
        }
        let gone: Vec<&String> = before.keys().filter(|path| !now.contains_key(*path)).collect();
        self.parts.retain(|path, _| !gone.iter().any(|gone| is_below(path, gone)));
        Some(())
    }
}

// -------------------------------------------------------------------------------------------------------------- both

#[derive(Default)]
struct Model {
    world: World,
    prefabs: BTreeMap<PrefabId, Def>,
    instances: Vec<Instance>,
    /// Parts that left their instance.
    strays: Vec<Part>,
    added: usize,
}

impl Model {
    fn def(&self, random: &mut Random, depth: usize) -> Def {
        let base = if random.below(3) == 0 { random.of(self.prefabs.keys().copied()) } else { None };
        let mut def = Def { base, own: changes(random), ..Def::default() };
        for _ in 0..if depth == 0 { 0 } else { random.below(3) } {
            let name = random.of(["a", "b", "c"]).unwrap().to_owned();
            def.parts.push((name, self.def(random, depth - 1)));
        }
        if depth == 2 {
            for _ in 0..random.below(2) {
                let path = self.path(random, &def);
                def.within.push((path, changes(random)));
            }
            for _ in 0..random.below(3) {
                let link = (self.path(random, &def), self.path(random, &def));
                def.binds.push(link);
            }
        }
        def
    }

    fn path(&self, random: &mut Random, def: &Def) -> String {
        def.flat(&self.prefabs).and_then(|flat| random.of(flat.into_keys())).unwrap_or_default()
    }

    /// Whether a prefab can be this; what comes of it.
    fn flat(&self, def: &Def) -> Option<Flat> {
        def.flat(&self.prefabs)
    }

    fn step(&mut self, random: &mut Random) {
        let prefab = random.of(self.prefabs.keys().copied());
        match (random.below(17), prefab) {
            (0..=1, _) | (_, None) => {
                let def = self.def(random, 2);
                let flat = self.flat(&def);
                if flat.as_ref().is_some_and(|flat| flat.len() > 40) {
                    return;
                }
                self.added += 1;
                let added = self.world.add_prefab(&format!("prefab {}", self.added), def.prefab());
                assert_eq!(added.is_ok(), flat.is_some(), "{added:?}");
                if let Ok(id) = added {
                    self.prefabs.insert(id, def);
                }
            }
            (2..=3, Some(id)) => {
                let mut def = self.def(random, 2);
                if random.below(2) == 0 {
                    // Much stays as it was.
                    let old = self.prefabs[&id].clone();
                    def = Def { edits: Vec::new(), own: changes(random), ..old };
                }
                self.change(id, def, |world, def| id.set(world, def.prefab()));
            }
            (4..=5, Some(id)) => {
                let mut def = self.prefabs[&id].clone();
                let path = if random.below(8) == 0 { "nowhere".to_owned() } else { self.path(random, &def) };
                let (component, value) = (random.below(LINK), random.number());
                let value = (random.below(3) > 0).then_some(value);
                def.edits.retain(|(other, of, _)| (other, *of) != (&path, component));
                def.edits.push((path.clone(), component, value));
                self.change(id, def, |world, _| match (component, value) {
                    (0, Some(value)) => id.insert(world, path, A(value)),
                    (1, Some(value)) => id.insert(world, path, B(value)),
                    (_, Some(value)) => id.insert(world, path, (C(value),)),
                    (0, None) => id.remove::<A>(world, path),
                    (1, None) => id.remove::<B>(world, path),
                    (_, None) => id.remove::<C>(world, path),
                });
            }
            (6..=8, Some(id)) => self.instantiate(random, id),
            (9, Some(id)) => {
                let used = self.prefabs.iter().any(|(user, def)| *user != id && def.names(id));
                assert_eq!(id.delete(&mut self.world).is_err(), used);
                if !used {
                    self.prefabs.remove(&id);
                    let (gone, rest) = std::mem::take(&mut self.instances).into_iter().partition(|i| i.prefab == id);
                    self.instances = rest;
                    let gone: Vec<Instance> = gone;
                    self.strays.extend(gone.into_iter().flat_map(|instance| instance.parts.into_values()));
                }
            }
            (act, _) => self.disturb(random, act),
        }
    }

    fn change(
        &mut self,
        id: PrefabId,
        def: Def,
        act: impl FnOnce(&mut World, &Def) -> Result<(), phalanx_scene::PrefabError>,
    ) {
        let mut known = self.prefabs.clone();
        known.insert(id, def.clone());
        // A circle has no end; so it is looked for first.
        let circle = def.names(id) || def.uses(id, &self.prefabs);
        let mut flats = BTreeMap::new();
        let mut possible = !circle;
        for (of, def) in known.iter().filter(|_| !circle) {
            let (before, now) = (self.flat(&self.prefabs[of]).unwrap(), def.flat(&known));
            possible &= now.is_some();
            if now.as_ref().is_some_and(|now| now.len() > 40) {
                return;
            }
            flats.insert(*of, (before, now));
        }
        let mut instances = self.instances.clone();
        // Entities that are to come, until they are there.
        let (mut next, mut places) = (0, Vec::new());
        for (at, instance) in instances.iter_mut().enumerate() {
            if !possible {
                break;
            }
            let (before, now) = &flats[&instance.prefab];
            let followed = instance.follow(before, now.as_ref().unwrap(), |path| {
                next += 1;
                let place = Entity::from_parts(u32::MAX - 1 - next, 7).unwrap();
                places.push((place, at, path.to_owned()));
                place
            });
            possible &= followed.is_some();
        }
        let done = act(&mut self.world, &def);
        assert_eq!(done.is_ok(), possible, "{done:?}");
        if !possible {
            return;
        }
        self.prefabs = known;
        let real: BTreeMap<Entity, Entity> = places
            .iter()
            .map(|(place, at, path)| (*place, self.world.part_of(instances[*at].parts[""].entity, path).unwrap()))
            .collect();
        let real = |entity: Entity| real.get(&entity).copied().unwrap_or(entity);
        for part in instances.iter_mut().flat_map(|instance| instance.parts.values_mut()) {
            (part.entity, part.link) = (real(part.entity), part.link.map(real));
        }
        self.instances = instances;
    }

    fn instantiate(&mut self, random: &mut Random, id: PrefabId) {
        let count = random.below(3);
        let (mut own, mut flat) = (Def::default(), self.flat(&self.prefabs[&id]).unwrap());
        if random.below(3) == 0 {
            own.own = changes(random);
            let path = random.of(flat.keys().cloned()).unwrap();
            own.within.push((path, changes(random)));
            if random.below(2) == 0 {
                own.parts.push((random.of(["a", "d"]).unwrap().to_owned(), self.def(random, 0)));
            }
        }
        let (mut possible, mut given) = (true, BTreeSet::new());
        change(flat.get_mut("").unwrap(), &own.own);
        for (name, part) in &own.parts {
            possible &= !flat.contains_key(name);
            for (path, said) in self.flat(part).unwrap().into_iter().filter(|_| possible) {
                let link = said.link.map(|link| join(name, &link));
                given.insert(join(name, &path));
                flat.insert(join(name, &path), Said { link, ..said });
            }
        }
        for (path, changes) in &own.within {
            change(flat.get_mut(path).unwrap(), changes);
        }
        possible &=
            count == 0 || flat.values().all(|said| said.link.as_ref().is_none_or(|link| flat.contains_key(link)));
        let made = id.copies(count).changed(own.prefab()).make(&mut self.world);
        assert_eq!(made.is_ok(), possible, "{made:?}");
        for top in made.into_iter().flatten() {
            let entity = |path: &str| self.world.part_of(top, path).unwrap();
            let part = |(path, said): (&String, &Said)| {
                let link = said.link.as_ref().map(|link| entity(link));
                let mut own = BTreeSet::new();
                if given.contains(path) {
                    own.extend(said.values.keys().copied().chain(link.map(|_| LINK)));
                }
                (path.clone(), Part { entity: entity(path), values: said.values.clone(), link, own })
            };
            let mut parts: BTreeMap<String, Part> = flat.iter().map(part).collect();
            let mut declare = |path: &str, changes: &Changes| {
                let part = parts.get_mut(path).unwrap();
                let given = changes.iter().filter(|(_, value)| value.is_some()).map(|(component, _)| *component);
                part.own.extend(given);
                // What was taken away again is nobody's.
                part.own.retain(|component| *component == LINK || part.values.contains_key(component));
            };
            declare("", &own.own);
            own.within.iter().for_each(|(path, changes)| declare(path, changes));
            self.instances.push(Instance { prefab: id, parts });
        }
    }

    /// What somebody does to an instance.
    fn disturb(&mut self, random: &mut Random, act: usize) {
        if self.instances.is_empty() {
            return;
        }
        let at = random.below(self.instances.len());
        let instance = &mut self.instances[at];
        let path = random.of(instance.parts.keys().cloned()).unwrap();
        let part = instance.parts.get_mut(&path).unwrap();
        let (entity, component) = (part.entity, random.below(LINK + 1));
        match act {
            10 | 11 => {
                let number = random.number();
                let changed = match component {
                    0 => self.world.insert(entity, A(number)),
                    1 => self.world.insert(entity, B(number)),
                    2 => self.world.insert(entity, C(number)),
                    _ => self.world.insert(entity, Link(entity)),
                };
                changed.unwrap();
                if component == LINK {
                    part.link = Some(entity);
                } else {
                    part.values.insert(component, number);
                }
            }
            12 => {
                let removed = match component {
                    0 => self.world.remove::<A>(entity),
                    1 => self.world.remove::<B>(entity),
                    2 => self.world.remove::<C>(entity),
                    _ => self.world.remove::<Link>(entity),
                };
                removed.unwrap();
                if component == LINK {
                    part.link = None;
                } else {
                    part.values.remove(&component);
                }
            }
            13 => {
                let kept = match component {
                    0 => self.world.keep_own::<A>(entity),
                    1 => self.world.keep_own::<B>(entity),
                    2 => self.world.keep_own::<C>(entity),
                    _ => self.world.keep_own::<Link>(entity),
                };
                kept.unwrap();
                part.own.insert(component);
            }
            14 => {
                self.world.despawn(entity).unwrap();
                instance.parts.retain(|other, _| !is_below(other, &path));
            }
            15 => {
                // A copy of an instance is an instance, whose links lead where those of the original lead.
                let mut copy = self.instances[at].clone();
                let top = self.world.clone_tree(copy.parts[""].entity).unwrap();
                for (path, part) in &mut copy.parts {
                    part.entity = self.world.part_of(top, path).unwrap();
                }
                self.instances.push(copy);
            }
            _ if path.is_empty() => {}
            _ => {
                self.world.detach(entity).unwrap();
                let left: Vec<String> = instance.parts.keys().filter(|other| is_below(other, &path)).cloned().collect();
                self.strays.extend(left.iter().filter_map(|left| instance.parts.remove(left)));
            }
        }
        if self.instances[at].parts.is_empty() {
            self.instances.swap_remove(at);
        }
    }

    fn check(&self) {
        let world = &self.world;
        world.validate().unwrap_or_else(|broken| panic!("{broken}"));
        let parts = self.instances.iter().flat_map(|instance| instance.parts.values());
        for part in parts.clone().chain(&self.strays) {
            let entity = part.entity;
            let found = [
                world.get::<A>(entity).map(|a| a.0),
                world.get::<B>(entity).map(|b| b.0),
                world.get::<C>(entity).map(|c| c.0),
            ];
            assert_eq!(found, [0, 1, 2].map(|component| part.values.get(&component).copied()), "{entity}");
            assert_eq!(world.get::<Link>(entity).map(|link| link.0), part.link, "{entity}");
        }
        assert_eq!(world.alive(), parts.count() + self.strays.len());
        for instance in &self.instances {
            let top = instance.parts[""].entity;
            assert_eq!(world.prefab_of(top), Some(instance.prefab));
            for (path, part) in &instance.parts {
                assert_eq!(world.part_of(top, path), Some(part.entity), "{path}");
                assert_eq!(world.path_of(part.entity).as_deref(), Some(&**path));
            }
            assert_eq!(world.descendants(top).count() + 1, instance.parts.len());
        }
        for (id, def) in &self.prefabs {
            let paths: BTreeSet<String> = id.paths(world).unwrap().into_iter().collect();
            let flat = self.flat(def).unwrap();
            assert!(paths.iter().eq(flat.keys().filter(|path| !path.is_empty())), "{id}");
            let tops = |own: &Instance| (own.prefab == *id).then(|| own.parts[""].entity);
            let tops: BTreeSet<Entity> = self.instances.iter().filter_map(tops).collect();
            assert_eq!(id.instances(world).into_iter().collect::<BTreeSet<_>>(), tops);
        }
    }
}

fn changes(random: &mut Random) -> Changes {
    let mut changes = Changes::new();
    for component in 0..LINK {
        match random.below(4) {
            0 | 1 => _ = changes.insert(component, Some(random.number())),
            2 if random.below(2) == 0 => _ = changes.insert(component, None),
            _ => {}
        }
    }
    changes
}

/// What a world is after many steps.
fn story(seed: u64, steps: u32) -> phalanx_ecs::Checksum {
    let (mut model, mut random) = (Model::default(), Random(seed));
    let (mut sum, mut changed) = (model.world.checksum(), 0);
    for step in 0..steps {
        model.step(&mut random);
        if step % 4 == 0 {
            model.check();
            let now = model.world.checksum();
            changed += u32::from(now != sum);
            sum = now;
        }
        while model.instances.len() > 12 {
            let instance = model.instances.remove(0);
            model.world.despawn(instance.parts[""].entity).unwrap();
        }
        while model.strays.len() > 30 {
            let stray = model.strays.remove(0);
            let below: Vec<Entity> = model.world.descendants(stray.entity).collect();
            model.world.despawn(stray.entity).unwrap();
            model.strays.retain(|other| !below.contains(&other.entity));
        }
        if model.prefabs.len() > 8 {
            let is_used = |id: PrefabId| {
                let of = |instance: &Instance| instance.prefab == id;
                model.prefabs.values().any(|def| def.names(id)) || model.instances.iter().any(of)
            };
            if let Some(id) = model.prefabs.keys().rev().copied().find(|id| !is_used(*id)) {
                id.delete(&mut model.world).unwrap();
                model.prefabs.remove(&id);
            }
        }
    }
    model.check();
    assert!(changed > steps / 20, "much happens: {changed}");
    model.world.checksum()
}

#[test]
fn random_prefabs_agree_with_a_naive_book() {
    let steps = std::env::var("PHALANX_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(600);
    for seed in 0..6 {
        story(seed, steps);
    }
}

#[test]
fn the_same_random_prefabs_make_the_same_world() {
    assert_eq!(story(7, 300), story(7, 300));
    assert_ne!(story(7, 300), story(8, 300));
}
