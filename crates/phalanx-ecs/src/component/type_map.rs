//! A map from `TypeId` to a small number that answers in about five instructions.
//!
//! A `TypeId` is a good hash already, so its bits choose the slot. Of a program's types the first to come with their bits are *near*; the others
//! are looked up out of line, in a table of which at most a quarter is used.

use std::any::TypeId;
use std::hash::{Hash, Hasher};

#[derive(Clone)]
pub(crate) struct TypeMap {
    /// The first types to come, each in the one place its bits choose: a look there is a comparison at an address known to the compiler.
    near: Box<[Slot; NEAR]>,
    /// All types; a power of two of slots, at least a free one among them. Free slots have the key [`Free`].
    slots: Box<[Slot]>,
    len: usize,
}

const NEAR: usize = 64;

#[derive(Clone, Copy)]
struct Slot {
    key: TypeId,
    value: u32,
}

/// The key of free slots: a type that nobody else can name.
struct Free;

impl Slot {
    const FREE: Self = Self { key: TypeId::of::<Free>(), value: 0 };
}

impl Default for TypeMap {
    fn default() -> Self {
        Self { near: Box::new([Slot::FREE; NEAR]), slots: Box::new([Slot::FREE]), len: 0 }
    }
}

impl TypeMap {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self, key: TypeId) -> Option<u32> {
        let slot = &self.near[bits(key) % NEAR];
        if slot.key == key { Some(slot.value) } else { self.get_far(key) }
    }

    /// The value of a type that is near; others are not looked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get_near(&self, key: TypeId) -> Option<u32> {
        let slot = &self.near[bits(key) % NEAR];
        (slot.key == key).then_some(slot.value)
    }

    #[cold]
    #[inline(never)]
    fn get_far(&self, key: TypeId) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = bits(key) & mask;
        while self.slots[at].key != Slot::FREE.key {
            if self.slots[at].key == key {
                return Some(self.slots[at].value);
            }
            at = (at + 1) & mask;
        }
        None
    }

    pub(crate) fn insert(&mut self, key: TypeId, value: u32) {
        if (self.len + 1) * 4 > self.slots.len() {
            let grown = vec![Slot::FREE; (self.slots.len() * 2).max(64)].into();
            for slot in std::mem::replace(&mut self.slots, grown) {
                if slot.key != Slot::FREE.key {
                    self.place(slot);
                }
            }
        }
        self.place(Slot { key, value });
        self.len += 1;
        let near = &mut self.near[bits(key) % NEAR];
        if near.key == Slot::FREE.key {
            *near = Slot { key, value };
        }
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = bits(slot.key) & mask;
        while self.slots[at].key != Slot::FREE.key {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + size_of_val(&*self.near)
    }
}

/// Takes over the word that a `TypeId` gives to its hasher.
struct Bits(u64);

impl Hasher for Bits {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
#[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
fn bits(key: TypeId) -> usize {
    let mut bits = Bits(0);
    key.hash(&mut bits);
    bits.0 as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Mark<const N: usize>;

    fn fill<const N: usize>(map: &mut TypeMap) {
        map.insert(TypeId::of::<Mark<N>>(), u32::try_from(N).expect("small"));
    }

    #[test]
    fn every_inserted_type_is_found_and_no_other() {
        let mut map = TypeMap::default();
        assert_eq!(map.get(TypeId::of::<u8>()), None);
        fill::<0>(&mut map);
        fill::<1>(&mut map);
        fill::<2>(&mut map);
        assert_eq!(map.get(TypeId::of::<Mark<1>>()), Some(1));
        assert_eq!(map.get(TypeId::of::<Mark<2>>()), Some(2));
        assert_eq!(map.get(TypeId::of::<u8>()), None);
    }
}
