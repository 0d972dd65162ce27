//! Which trees there are.

use crate::components::{Random, shuffled};

/// What stands for the node above a root.
pub const NOBODY: u32 = u32::MAX;

/// By node: the number of the one above it, which is smaller; [`NOBODY`] for a root.
pub type Shape = Vec<u32>;

/// One node, 10 below it, 100 below those, and 1,000, and 10,000: level by level.
pub fn ten_by_ten() -> Shape {
    let count = crate::workloads::HIERARCHY.items as u32;
    (0..count).map(|node| if node == 0 { NOBODY } else { (node - 1) / 10 }).collect()
}

/// Trees of so many nodes, one behind the other: each node is below any of those of its tree that come before it.
pub fn forest(trees: usize, nodes: usize) -> Shape {
    let mut random = Random::default();
    let mut shape = Vec::with_capacity(trees * nodes);
    for root in (0..trees).map(|tree| tree * nodes) {
        shape.push(NOBODY);
        shape.extend((1..nodes).map(|node| (root + random.below(node)) as u32));
    }
    shape
}

/// One root, with all others below it.
pub fn wide(count: usize) -> Shape {
    (0..count).map(|node| if node == 0 { NOBODY } else { 0 }).collect()
}

/// Each below the one before it.
pub fn deep(count: usize) -> Shape {
    (0..count as u32).map(|node| node.checked_sub(1).unwrap_or(NOBODY)).collect()
}

/// So many different nodes out of all that fit, in an order that says nothing.
pub fn drawn(count: usize, of: usize, fits: impl Fn(usize) -> bool) -> Vec<usize> {
    shuffled(of).into_iter().filter(|node| fits(*node)).take(count).collect()
}

/// Whether nothing is below, by node.
pub fn are_leaves(shape: &Shape) -> Vec<bool> {
    let mut leaves = vec![true; shape.len()];
    shape.iter().filter(|above| **above != NOBODY).for_each(|above| leaves[*above as usize] = false);
    leaves
}

/// The nodes in an order in which what is below one comes right behind it, and where that ends: by position.
pub fn depth_first(shape: &Shape) -> (Vec<usize>, Vec<u32>) {
    let mut sizes = vec![1; shape.len()];
    for (node, above) in shape.iter().enumerate().rev() {
        if *above != NOBODY {
            sizes[*above as usize] += sizes[node];
        }
    }
    // Where the next one below a node is to stand; one root behind the other.
    let (mut next, mut free) = (vec![0; shape.len()], 0);
    let (mut order, mut end) = (vec![0; shape.len()], vec![0; shape.len()]);
    for (node, above) in shape.iter().enumerate() {
        let place = if *above == NOBODY { &mut free } else { &mut next[*above as usize] };
        let at = *place;
        *place += sizes[node];
        next[node] = at + 1;
        (order[at], end[at]) = (node, (at + sizes[node]) as u32);
    }
    (order, end)
}

#[cfg(test)]
mod tests {
    use super::{NOBODY, are_leaves, depth_first, forest};

    #[test]
    fn what_is_below_a_node_is_a_range() {
        let (order, end) = depth_first(&vec![NOBODY, 0, 0, 1, NOBODY, 2]);
        assert_eq!((order, end), (vec![0, 1, 3, 2, 5, 4], vec![5, 3, 3, 5, 5, 6]));
    }

    #[test]
    fn trees_of_a_forest_are_what_they_should_be() {
        let shape = forest(3, 4);
        assert_eq!(shape.iter().filter(|above| **above == NOBODY).count(), 3);
        assert!(shape.iter().enumerate().all(|(node, above)| *above == NOBODY || (*above as usize) / 4 == node / 4));
        assert!(are_leaves(&shape)[11] && !are_leaves(&shape)[0]);
    }
}
