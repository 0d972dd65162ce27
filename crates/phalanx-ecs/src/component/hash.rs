//! A hasher with a fixed seed, for keys of small integers: the same map in every run.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type FixedState = BuildHasherDefault<FixedHasher>;

#[derive(Default, Clone, Copy)]
pub(crate) struct FixedHasher(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for FixedHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}
