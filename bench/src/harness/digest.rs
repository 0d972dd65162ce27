//! A digest of a world's state, equal for equal contents in any order.
//!
//! Each entity's values are hashed in a fixed order, and the hashes are added up: an ECS may visit its
//! entities in whatever order it likes, but a missing, doubled or wrong entity changes the sum.

/// The order-free sum of all entities fed to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    entities: u64,
    sum: u64,
}

impl Digest {
    /// Adds one entity with these values.
    pub fn add(&mut self, entity: impl Digestible) {
        let mut hash = RowHash(0xcbf2_9ce4_8422_2325);
        entity.feed(&mut hash);
        self.entities += 1;
        self.sum = self.sum.wrapping_add(hash.0 ^ (hash.0 >> 29));
    }

    /// Adds many entities.
    pub fn extend(&mut self, entities: impl IntoIterator<Item = impl Digestible>) {
        for entity in entities {
            self.add(entity);
        }
    }

    /// The digest of many entities.
    pub fn of(entities: impl IntoIterator<Item = impl Digestible>) -> Self {
        let mut digest = Self::default();
        digest.extend(entities);
        digest
    }
}

/// The running hash of one entity.
pub struct RowHash(u64);

/// A value that can be part of a [`Digest`].
pub trait Digestible {
    fn feed(&self, hash: &mut RowHash);
}

impl Digestible for u64 {
    fn feed(&self, hash: &mut RowHash) {
        let mixed = (hash.0 ^ self).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash.0 = mixed ^ (mixed >> 32);
    }
}

impl Digestible for f32 {
    fn feed(&self, hash: &mut RowHash) {
        u64::from(self.to_bits()).feed(hash);
    }
}

impl<T: Digestible + ?Sized> Digestible for &T {
    fn feed(&self, hash: &mut RowHash) {
        (**self).feed(hash);
    }
}

impl<T: Digestible, const N: usize> Digestible for [T; N] {
    fn feed(&self, hash: &mut RowHash) {
        self.iter().for_each(|value| value.feed(hash));
    }
}

macro_rules! digestible_tuples {
    ($(($($name:ident)+))+) => {$(
        #[allow(non_snake_case)]
        impl<$($name: Digestible),+> Digestible for ($($name,)+) {
            fn feed(&self, hash: &mut RowHash) {
                let ($($name,)+) = self;
                $($name.feed(hash);)+
            }
        }
    )+};
}

digestible_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) }

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn order_of_entities_does_not_matter() {
        assert_eq!(Digest::of([1.0_f32, 2.0, 3.0]), Digest::of([3.0_f32, 1.0, 2.0]));
    }

    #[test]
    fn a_swapped_pair_of_values_matters() {
        assert_ne!(Digest::of([(1.0_f32, 2.0_f32), (3.0, 4.0)]), Digest::of([(1.0_f32, 4.0_f32), (3.0, 2.0)]));
    }

    #[test]
    fn a_doubled_entity_matters() {
        assert_ne!(Digest::of([1.0_f32, 2.0]), Digest::of([1.0_f32, 1.0]));
    }
}
