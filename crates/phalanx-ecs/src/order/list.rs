//! [`List`].

use std::borrow::Borrow;

/// A map for few entries: a list in the order of its keys. The maps of the standard library are much code for each type they are used with, as its sorts are.
#[derive(Debug)]
pub(crate) struct List<K, V>(Vec<(K, V)>);

impl<K, V> Default for List<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> List<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, (K, V)> {
        self.0.iter_mut()
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.0[at].1)
    }

    /// The value of a key, made now if there is none.
    pub(crate) fn entry(&mut self, key: K) -> &mut V
    where
        K: Ord,
        V: Default,
    {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, V::default()));
            at
        });
        &mut self.0[at].1
    }

    pub(crate) fn remove(&mut self, key: &K)
    where
        K: Ord,
    {
        if let Ok(at) = self.find(key) {
            self.0.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn a_list_keeps_its_keys_in_order_and_finds_them() {
        let mut list: List<Box<str>, u32> = List::new();
        for (at, key) in ["m", "c", "x", "a", "c"].into_iter().enumerate() {
            *list.entry(key.into()) += u32::try_from(at).expect("small");
        }
        assert_eq!(
            list.iter().map(|(key, value)| (&**key, *value)).collect::<Vec<_>>(),
            [("a", 3), ("c", 5), ("m", 0), ("x", 2)]
        );
        list.remove(&"m".into());
        assert_eq!((list.get("m"), list.get("x")), (None, Some(&2)));
        assert_eq!(list.get_mut("c"), Some(&mut 5));
    }
}
