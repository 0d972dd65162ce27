//! A prefab with all that it is based on: one list of parts, and one value per component of a part.
//!
//! ```text
//! cart, from the base          0 top    { Mesh, Health }       "left" ─► 1   "right" ─► 3
//! nested, below 0              1 left   { Mesh, Offset }       "hub" ─► 2
//!                              2 hub    { Mesh }
//!                              3 right  { Mesh, Offset }       each behind the one it is below
//! ```

use super::id::PrefabId;
use super::layer::Layer;
use super::pieces::{Key, Piece};
use super::prefab::{PartPlace, Prefab, Step, Turn};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// One part.
#[derive(Clone)]
pub(super) struct Node {
    /// Its position in the tree, and that of the one above; the top is below itself.
    pub(super) below: u32,
    pub(super) name: Box<str>,
    pub(super) is_parent: bool,
    /// What is said about which component, in the order in which they came.
    pub(super) pieces: Vec<(Key, Piece)>,
    /// Values that came together, in the order in which they came.
    pub(super) layers: Vec<Layer>,
    /// Components that were chosen for these copies alone.
    pub(super) own: Vec<Key>,
    /// Whether the part itself was.
    pub(super) is_own: bool,
}

impl Node {
    fn new(below: u32, name: Box<str>) -> Self {
        Self { below, name, is_parent: false, pieces: Vec::new(), layers: Vec::new(), own: Vec::new(), is_own: false }
    }

    pub(super) fn piece(&self, key: Key) -> Option<&Piece> {
        self.pieces.iter().find(|(own, _)| *own == key).map(|(_, piece)| piece)
    }

    pub(super) fn has_value(&self, key: Key) -> bool {
        matches!(self.piece(key), Some(Piece::Value(_)))
    }

    fn with(&mut self, layer: &Layer) {
        self.layers.push(layer.clone());
        for (key, value) in &layer.values {
            self.put(*key, Piece::Value(Arc::clone(value)));
        }
    }

    fn put(&mut self, key: Key, piece: Piece) {
        match self.pieces.iter_mut().find(|(own, _)| *own == key) {
            Some((_, old)) => *old = piece,
            None => self.pieces.push((key, piece)),
        }
    }

    fn without(&mut self, key: Key) {
        self.pieces.retain(|(own, _)| *own != key);
    }
}

/// Why steps do not come to a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// There is no part at this path from another; there are these, below that one.
    NoPart { path: String, from: String, present: Vec<String> },
    /// A part of this name is there already.
    PartTaken { path: String },
    /// A name that is no name.
    BadName { name: String },
    /// Changes of a part that have a base.
    Based { path: String },
    /// So many parts are more than [`MOST_PARTS`].
    TooMany { parts: usize },
}

#[derive(Clone, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    by_name: HashMap<(u32, Box<str>), u32>,
}

impl Tree {
    /// What comes out of a prefab, with the trees of its bases at hand.
    pub(super) fn of(prefab: &Prefab, tree_of: impl Fn(PrefabId) -> Option<Arc<Self>>) -> Result<Self, Fault> {
        let base = prefab.parts[0].base.and_then(&tree_of);
        let mut tree = base.map_or_else(Self::bare, Arc::unwrap_or_clone);
        tree.apply(prefab, tree_of, false)?;
        Ok(tree)
    }

    fn bare() -> Self {
        Self { nodes: vec![Node::new(0, Box::default())], by_name: HashMap::new() }
    }

    /// Takes the steps of a prefab, from the top on; its own base counts no more.
    pub(super) fn apply(
        &mut self,
        prefab: &Prefab,
        tree_of: impl Fn(PrefabId) -> Option<Arc<Self>>,
        own: bool,
    ) -> Result<(), Fault> {
        // Counted first: more than there is memory for are written in a few lines.
        let new = prefab.parts.iter().filter(|part| matches!(part.place, PartPlace::New(_)));
        let new = new.map(|part| part.base.and_then(&tree_of).map_or(1, |base| base.nodes.len()));
        let parts = new.fold(self.nodes.len(), usize::saturating_add);
        if parts > MOST_PARTS {
            return Err(Fault::TooMany { parts });
        }
        // By part of the prefab: where it is here.
        let mut places: Vec<u32> = Vec::with_capacity(prefab.parts.len());
        for part in &prefab.parts {
            let at = match &part.place {
                PartPlace::Top if own && part.base.is_some() => return Err(Fault::Based { path: String::new() }),
                PartPlace::Top => 0,
                PartPlace::New(name) => {
                    let base = part.base.and_then(&tree_of);
                    let at = self.add(places[part.below], name, base.as_deref())?;
                    for node in self.nodes[at as usize..].iter_mut().filter(|_| own) {
                        node.own = node.pieces.iter().map(|(key, _)| *key).collect();
                        node.is_own = true;
                    }
                    at
                }
                PartPlace::There(path) | PartPlace::Edited(path) => {
                    if part.base.is_some() {
                        return Err(Fault::Based { path: path.to_string() });
                    }
                    self.find_or_refuse(places[part.below], path)?
                }
            };
            places.push(at);
        }
        let steps = prefab.parts.iter().zip(&places);
        let steps = steps.flat_map(|(part, at)| part.steps.iter().map(|(turn, step)| (*turn, *at, step)));
        let mut steps: Vec<(Turn, u32, &Step)> = steps.collect();
        steps.sort_unstable_by_key(|(turn, _, step)| (turn.stage, matches!(step, Step::Bind { .. }), turn.number));
        for (_, at, step) in steps {
            self.take(at, step, own)?;
        }
        Ok(())
    }

    fn take(&mut self, at: u32, step: &Step, own: bool) -> Result<(), Fault> {
        let target = match step {
            Step::Bind { path, .. } => self.find_or_refuse(at, path)?,
            _ => at,
        };
        let node = &mut self.nodes[target as usize];
        match step {
            Step::With(layer) => {
                node.with(layer);
                node.own.extend(layer.values.iter().map(|(key, _)| *key).filter(|_| own));
            }
            Step::Without(key) => node.without(*key),
            Step::Bind { key, bind, .. } => {
                node.put(*key, Piece::Bound { bind: Arc::clone(bind), frame: at });
                node.own.extend(own.then_some(*key));
            }
        }
        Ok(())
    }

    /// Adds a part below another, with all that it is based on.
    fn add(&mut self, below: u32, name: &str, base: Option<&Self>) -> Result<u32, Fault> {
        if name.is_empty() || name.contains('/') {
            return Err(Fault::BadName { name: name.to_owned() });
        }
        let at = position(self.nodes.len());
        match self.by_name.entry((below, name.into())) {
            Entry::Occupied(_) => {
                let path = self.path_of(below);
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                return Err(Fault::PartTaken { path });
            }
            Entry::Vacant(free) => _ = free.insert(at),
        }
        self.nodes[below as usize].is_parent = true;
        let Some(base) = base else {
            self.nodes.push(Node::new(below, name.into()));
            return Ok(at);
        };
        for (from, node) in base.nodes.iter().enumerate() {
            let mut node = node.clone();
            if from == 0 {
                (node.below, node.name) = (below, name.into());
            } else {
                self.by_name.insert((node.below + at, node.name.clone()), position(self.nodes.len()));
                node.below += at;
            }
            for (_, piece) in &mut node.pieces {
                if let Piece::Bound { frame, .. } = piece {
                    *frame += at;
                }
            }
            self.nodes.push(node);
        }
        Ok(at)
    }

    /// The part at a path below another; that itself if the path is empty.
    pub(super) fn find(&self, from: u32, path: &str) -> Option<u32> {
        let mut at = from;
        for name in path.split('/').filter(|_| !path.is_empty()) {
            at = *self.by_name.get(&(at, name.into()))?;
        }
        Some(at)
    }

    pub(super) fn find_or_refuse(&self, from: u32, path: &str) -> Result<u32, Fault> {
        self.find(from, path).ok_or_else(|| self.no_part(from, path))
    }

    pub(super) fn no_part(&self, from: u32, path: &str) -> Fault {
        // By part: its path from there, if it is below.
        let mut paths: HashMap<u32, String> = HashMap::from([(from, String::new())]);
        let mut present = Vec::new();
        for at in from + 1..position(self.nodes.len()) {
            let node = &self.nodes[at as usize];
            let Some(above) = paths.get(&node.below) else { continue };
            let here = if above.is_empty() { node.name.to_string() } else { format!("{above}/{}", node.name) };
            present.push(here.clone());
            if present.len() == MOST_SHOWN {
                break;
            }
            paths.insert(at, here);
        }
        Fault::NoPart { path: path.to_owned(), from: self.path_of(from), present }
    }

    /// The path of a part from the top; nothing for the top itself.
    pub(super) fn path_of(&self, at: u32) -> String {
        let mut names = Vec::new();
        let mut at = at;
        while at != 0 {
            let node = &self.nodes[at as usize];
            names.push(&*node.name);
            at = node.below;
        }
        names.reverse();
        names.join("/")
    }
}

/// A prefab that nests one that nests one, each twice, has as many parts as there are atoms before anybody notices; so there is an end.
pub(super) const MOST_PARTS: usize = 1 << 20;

/// So many parts are listed in a message.
pub(super) const MOST_SHOWN: usize = 20;

fn position(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2³² parts")
}
