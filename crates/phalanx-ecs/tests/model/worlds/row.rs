//! What one entity has: values, whether they are switched on, and when they came and changed.

use super::components::TOGGLES;
use std::cell::Cell;
use std::collections::BTreeMap;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// The time in the naive worlds: the driver moves it on.
pub fn now() -> u64 {
    NOW.get()
}

/// Time goes on: what happens from here on is later than all before.
pub fn go_on() {
    NOW.set(NOW.get() + 1);
}

/// A component of an entity.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub value: u32,
    pub on: bool,
    pub added: u64,
    pub changed: u64,
}

/// The components of an entity, by kind.
#[derive(Clone, Debug, Default)]
pub struct Row(BTreeMap<usize, Held>);

/// What can be seen of a row at one moment: values, and what is switched on.
pub type Shown = BTreeMap<usize, (u32, bool)>;

impl Row {
    pub fn get(&self, kind: usize) -> Option<&Held> {
        self.0.get(&kind)
    }

    pub fn value(&self, kind: usize) -> Option<u32> {
        self.0.get(&kind).map(|value| value.value)
    }

    pub fn has(&self, kind: usize) -> bool {
        self.0.contains_key(&kind)
    }

    /// Whether queries find the component: it is there, and not switched off.
    pub fn shows(&self, kind: usize) -> bool {
        self.0.get(&kind).is_some_and(|value| value.on)
    }

    pub fn is_off(&self, kind: usize) -> bool {
        self.0.get(&kind).is_some_and(|value| !value.on)
    }

    pub fn kinds(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A value comes, or is written.
    pub fn put(&mut self, kind: usize, value: u32) {
        let now = now();
        match self.0.get_mut(&kind) {
            Some(old) => (old.value, old.changed) = (value, now),
            None => drop(self.0.insert(kind, Held { value, on: true, added: now, changed: now })),
        }
    }

    /// A value is written, and nobody is to take notice.
    pub fn put_silently(&mut self, kind: usize, value: u32) {
        self.0.get_mut(&kind).expect("it is there").value = value;
    }

    pub fn remove(&mut self, kind: usize) -> Option<u32> {
        self.0.remove(&kind).map(|value| value.value)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        self.0.retain(|kind, _| keep(*kind));
    }

    /// Switches a component; answers whether it was on.
    pub fn switch(&mut self, kind: usize, on: bool) -> Option<bool> {
        assert!(TOGGLES.contains(&kind), "kind {kind} can be switched");
        self.0.get_mut(&kind).map(|value| std::mem::replace(&mut value.on, on))
    }

    /// The same values, which have all just come.
    pub fn renewed(&self) -> Self {
        let now = now();
        Self(self.0.iter().map(|(kind, value)| (*kind, Held { added: now, changed: now, ..*value })).collect())
    }

    pub fn shown(&self) -> Shown {
        self.0.iter().map(|(kind, value)| (*kind, (value.value, value.on))).collect()
    }
}
