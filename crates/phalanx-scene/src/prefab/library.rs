//! The prefabs of a world, and which are made of which.

use super::id::PrefabId;
use super::own::OwnSets;
use super::prefab::Prefab;
use super::tree::{Fault, Tree};
use phalanx_ecs::{Entity, Resource};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A prefab that a world has.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) name: Box<str>,
    pub(super) prefab: Prefab,
    pub(super) tree: Arc<Tree>,
    /// By position in the tree: the number of the part.
    pub(super) order: Arc<[u32]>,
    /// By number of a part, which it keeps whatever becomes of the prefab: that of the part above, and its name. The top has 0.
    parts: Vec<(u32, Box<str>)>,
    numbers: HashMap<(u32, Box<str>), u32>,
}

/// All prefabs of a world.
#[derive(Resource)]
#[resource(no_checksum)]
pub(super) struct Library {
    slots: BTreeMap<u32, Slot>,
    by_name: HashMap<Box<str>, PrefabId>,
    next: u32,
    /// What instances keep.
    pub(super) own: OwnSets,
    /// What is being done, one within the other. Who does it holds it: so it ends even if the world is another by then.
    doing: Vec<Weak<Doing>>,
    /// Tells the ids of one world from those of another; nothing else comes of it.
    stamp: u32,
}

/// Why a prefab is not what somebody wants it to be.
pub(super) enum Obstacle {
    Fault {
        of: PrefabId,
        fault: Fault,
    },
    Unknown(PrefabId),
    /// It would be made of itself, by way of these.
    Circle(Vec<PrefabId>),
    /// Something is being done with it.
    Busy(PrefabId),
}

/// What prefabs came to before a change.
pub(super) struct Before {
    id: PrefabId,
    prefab: Prefab,
    /// In the order in which one is made of another.
    pub(super) trees: Vec<(PrefabId, Arc<Tree>)>,
}

impl Default for Library {
    fn default() -> Self {
        static STAMPS: AtomicU32 = AtomicU32::new(0);
        let stamp = STAMPS.fetch_add(1, Relaxed);
        Self {
            slots: BTreeMap::new(),
            by_name: HashMap::new(),
            next: 0,
            own: OwnSets::default(),
            doing: Vec::new(),
            stamp,
        }
    }
}

/// Something that is being done: copies that are made, or prefabs that change. It ends with whoever holds it, in whatever world that is then.
pub(super) struct Doing {
    /// With what prefabs.
    prefabs: Box<[PrefabId]>,
    /// Whether the instances that come next are its own. Observers may make others, or copies of its own: those are theirs.
    expects: AtomicBool,
    /// Its own that came so far.
    came: Mutex<Vec<Entity>>,
}

impl Doing {
    /// Does what makes instances at once, before anybody is told: these are its own.
    pub(super) fn making<R>(&self, make: impl FnOnce() -> R) -> R {
        self.expects.store(true, Relaxed);
        let made = make();
        // If there are none because they were refused.
        self.expects.store(false, Relaxed);
        made
    }

    pub(super) fn came(&self) -> Vec<Entity> {
        std::mem::take(&mut *self.came.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// # What is being done
impl Library {
    /// From here on instances are noted that are [its own](Doing::making), until it is dropped.
    pub(super) fn begin(&mut self, prefabs: Vec<PrefabId>) -> Arc<Doing> {
        let doing =
            Arc::new(Doing { prefabs: prefabs.into(), expects: AtomicBool::new(false), came: Mutex::default() });
        self.doing.retain(|doing| doing.strong_count() > 0);
        self.doing.push(Arc::downgrade(&doing));
        doing
    }

    /// One of these prefabs with which something is being done.
    pub(super) fn busy(&self, prefabs: &[PrefabId]) -> Option<PrefabId> {
        let doing = self.doing.iter().filter_map(Weak::upgrade);
        let mut busy = doing.flat_map(|doing| doing.prefabs.to_vec());
        busy.find(|busy| prefabs.contains(busy))
    }

    /// Notes instances that came, before anybody else is told of them.
    pub(super) fn note(&self, entities: &[Entity]) {
        if let Some(doing) = self.doing.iter().rev().find_map(Weak::upgrade)
            && doing.expects.swap(false, Relaxed)
        {
            doing.came.lock().unwrap_or_else(PoisonError::into_inner).extend(entities);
        }
    }
}

/// # Prefabs
impl Library {
    pub(super) fn get(&self, id: PrefabId) -> Option<&Slot> {
        self.slots.get(&id.number()).filter(|_| self.is_of_here(id))
    }

    pub(super) fn get_mut(&mut self, id: PrefabId) -> Option<&mut Slot> {
        if self.is_of_here(id) { self.slots.get_mut(&id.number()) } else { None }
    }

    /// Whether it is, or was, one of this world.
    pub(super) fn is_of_here(&self, id: PrefabId) -> bool {
        id.library() == self.stamp
    }

    pub(super) fn id(&self, number: u32) -> PrefabId {
        PrefabId::new(number, self.stamp)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PrefabId> + '_ {
        self.slots.keys().map(|number| self.id(*number))
    }

    pub(super) fn find(&self, name: &str) -> Option<PrefabId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn name(&self, id: PrefabId) -> String {
        self.get(id).map_or_else(|| id.to_string(), |slot| slot.name.to_string())
    }

    pub(super) fn tree(&self, id: PrefabId) -> Option<Arc<Tree>> {
        self.get(id).map(|slot| Arc::clone(&slot.tree))
    }

    pub(super) fn add(&mut self, name: &str, prefab: Prefab) -> Result<PrefabId, Obstacle> {
        let id = self.id(self.next);
        let tree = Arc::new(self.tree_of(id, &prefab)?);
        let parts = vec![(0, Box::default())];
        let (order, numbers) = (Arc::new([]), HashMap::new());
        let mut slot = Slot { name: name.into(), prefab, tree: Arc::clone(&tree), order, parts, numbers };
        slot.order = slot.numbers(&tree);
        self.slots.insert(id.number(), slot);
        self.by_name.insert(name.into(), id);
        self.next += 1;
        Ok(id)
    }

    /// One of those that a prefab is made of and that is not there.
    pub(super) fn unknown_base(&self, prefab: &Prefab) -> Option<PrefabId> {
        prefab.bases().find(|base| self.get(*base).is_none())
    }

    fn tree_of(&self, id: PrefabId, prefab: &Prefab) -> Result<Tree, Obstacle> {
        if let Some(unknown) = self.unknown_base(prefab) {
            return Err(Obstacle::Unknown(unknown));
        }
        Tree::of(prefab, |base| self.tree(base)).map_err(|fault| Obstacle::Fault { of: id, fault })
    }

    /// Makes another prefab of one that is there; answers what was before. Nothing changes if it, or one that is made of it, cannot be.
    pub(super) fn change(&mut self, id: PrefabId, prefab: Prefab) -> Result<Before, Obstacle> {
        if let Some(circle) = self.circle(id, &prefab) {
            return Err(Obstacle::Circle(circle));
        }
        let mut changed: Vec<(PrefabId, Arc<Tree>)> = vec![(id, Arc::new(self.tree_of(id, &prefab)?))];
        let mut position = HashMap::from([(id, 0)]);
        for of in self.made_of(id) {
            let known = |base: PrefabId| match position.get(&base) {
                Some(at) => Some(Arc::clone(&changed[*at].1)),
                None => self.tree(base),
            };
            let slot = self.get(of).expect("it is there");
            let tree = Tree::of(&slot.prefab, known).map_err(|fault| Obstacle::Fault { of, fault })?;
            position.insert(of, changed.len());
            changed.push((of, Arc::new(tree)));
        }
        let all: Vec<PrefabId> = changed.iter().map(|(of, _)| *of).collect();
        if let Some(busy) = self.busy(&all) {
            return Err(Obstacle::Busy(busy));
        }
        let slot = self.get_mut(id).expect("it is there");
        let prefab = std::mem::replace(&mut slot.prefab, prefab);
        let trees = changed.into_iter().map(|(of, tree)| {
            let slot = self.get_mut(of).expect("it is there");
            slot.order = slot.numbers(&tree);
            (of, std::mem::replace(&mut slot.tree, tree))
        });
        let trees = trees.collect();
        Ok(Before { id, prefab, trees })
    }

    /// Takes a change back. Numbers that it gave to parts stay theirs.
    pub(super) fn take_back(&mut self, before: Before) {
        for (of, tree) in before.trees {
            if let Some(slot) = self.get_mut(of) {
                slot.order = slot.numbers(&tree);
                slot.tree = tree;
            }
        }
        if let Some(slot) = self.get_mut(before.id) {
            slot.prefab = before.prefab;
        }
    }

    pub(super) fn rename(&mut self, id: PrefabId, name: &str) {
        let Some(slot) = self.get_mut(id) else { return };
        let old = std::mem::replace(&mut slot.name, name.into());
        self.by_name.remove(&old);
        self.by_name.insert(name.into(), id);
    }

    pub(super) fn remove(&mut self, id: PrefabId) {
        if let Some(slot) = self.slots.remove(&id.number()) {
            self.by_name.remove(&slot.name);
        }
    }

    /// Who has a prefab as its base, or as that of a part.
    pub(super) fn users(&self, id: PrefabId) -> impl Iterator<Item = PrefabId> + '_ {
        let uses = move |(_, slot): &(&u32, &Slot)| slot.prefab.bases().any(|base| base == id);
        self.slots.iter().filter(uses).map(|(user, _)| self.id(*user))
    }

    /// All that are made of a prefab, by whatever way, each behind those that it is made of.
    fn made_of(&self, id: PrefabId) -> Vec<PrefabId> {
        // By prefab: who is made of it.
        let mut users: HashMap<PrefabId, Vec<PrefabId>> = HashMap::new();
        for (user, slot) in &self.slots {
            for base in slot.prefab.bases() {
                users.entry(base).or_default().push(self.id(*user));
            }
        }
        // How many bases each of them waits for.
        let (mut waits, mut reached): (BTreeMap<PrefabId, usize>, Vec<PrefabId>) = (BTreeMap::new(), vec![id]);
        while let Some(base) = reached.pop() {
            for user in users.get(&base).into_iter().flatten() {
                let count = waits.entry(*user).or_insert(0);
                *count += 1;
                if *count == 1 {
                    reached.push(*user);
                }
            }
        }
        let (mut sorted, mut ready) = (Vec::new(), vec![id]);
        while let Some(base) = ready.pop() {
            for user in users.get(&base).into_iter().flatten() {
                let count = waits.get_mut(user).expect("it was reached");
                *count -= 1;
                if *count == 0 {
                    sorted.push(*user);
                    ready.push(*user);
                }
            }
        }
        sorted
    }

    /// How a prefab would come to be made of itself, if it were this.
    fn circle(&self, id: PrefabId, prefab: &Prefab) -> Option<Vec<PrefabId>> {
        // By prefab: who is made of it, on the way from the new bases down.
        let mut from: HashMap<PrefabId, PrefabId> = HashMap::new();
        let mut waiting: VecDeque<PrefabId> = VecDeque::new();
        for base in prefab.bases() {
            if from.insert(base, id).is_none() {
                waiting.push_back(base);
            }
        }
        while let Some(at) = waiting.pop_front() {
            if at == id {
                let mut circle = vec![id];
                let mut above = from[&id];
                while above != id {
                    circle.push(above);
                    above = from[&above];
                }
                circle.push(id);
                circle.reverse();
                return Some(circle);
            }
            for base in self.get(at).into_iter().flat_map(|slot| slot.prefab.bases()) {
                if let Entry::Vacant(free) = from.entry(base) {
                    free.insert(at);
                    waiting.push_back(base);
                }
            }
        }
        None
    }
}

impl Slot {
    /// The numbers of all parts of a tree, which may have parts that the prefab has not. Who has none gets one.
    pub(super) fn numbers(&mut self, tree: &Tree) -> Arc<[u32]> {
        let mut numbers = vec![0; 1];
        for node in tree.nodes.iter().skip(1) {
            let place = (numbers[node.below as usize], node.name.clone());
            let number = self.numbers.entry(place).or_insert_with_key(|place| {
                self.parts.push(place.clone());
                u32::try_from(self.parts.len() - 1).expect("fewer than 2³² parts")
            });
            numbers.push(*number);
        }
        numbers.into()
    }

    /// The number of a part, by its name and the number of the one above it.
    pub(super) fn number(&self, above: u32, name: &str) -> Option<u32> {
        self.numbers.get(&(above, name.into())).copied()
    }

    /// The path of a part from the top.
    pub(super) fn path_of(&self, number: u32) -> String {
        let (mut names, mut at) = (Vec::new(), number);
        while at != 0 {
            let (above, name) = &self.parts[at as usize];
            names.push(&**name);
            at = *above;
        }
        names.reverse();
        names.join("/")
    }
}
