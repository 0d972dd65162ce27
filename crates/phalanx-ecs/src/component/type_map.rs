//! A map from `TypeId` to a small number that answers in about five instructions.
//!
//! A `TypeId` is a good hash already, so its bits choose the slot. At most a quarter of the slots is used, so
//! the first slot looked at is nearly always the right one.

use std::any::TypeId;
use std::hash::{Hash, Hasher};

#[derive(Clone, Default)]
pub(crate) struct TypeMap {
    /// Length is zero or a power of two.
    slots: Vec<Option<(TypeId, u32)>>,
    len: usize,
}

impl TypeMap {
    #[inline(always)]
    pub(crate) fn get(&self, key: TypeId) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = bits(key) & mask;
        // An empty map has no slot 0; a non-empty one has a free slot, so the search ends.
        while let Some(slot) = self.slots.get(at) {
            match slot {
                Some((found, value)) if *found == key => return Some(*value),
                Some(_) => at = (at + 1) & mask,
                None => return None,
            }
        }
        None
    }

    pub(crate) fn insert(&mut self, key: TypeId, value: u32) {
        if (self.len + 1) * 4 > self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![None; (old.len() * 2).max(64)];
            for (key, value) in old.into_iter().flatten() {
                self.place(key, value);
            }
        }
        self.place(key, value);
        self.len += 1;
    }

    fn place(&mut self, key: TypeId, value: u32) {
        let mask = self.slots.len() - 1;
        let mut at = bits(key) & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((key, value));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Option<(TypeId, u32)>>()
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

#[inline(always)]
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
        map.insert(TypeId::of::<Mark<N>>(), N as u32);
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
