//! [`Forest`]: trees that are cut and joined, and asked for their roots, in a time that hardly grows with their depth.
//!
//! ```text
//! tree       a ─ b ─ c ─ d            c is a child of b, and so on up to a; d2 is another child of c
//!                     └─ d2
//! paths      [ a b c d ]  [ d2 ]→c    each path is a balanced tree of its own, sorted by depth; its top knows whose child the path is
//! ```
//!
//! The paths are those that were asked for last. What is asked for is brought to the top, and costs the logarithm of the depth when all is told (Sleator and Tarjan, 1985).

/// Nobody.
const NONE: u32 = u32::MAX;

/// The sides of a node: who is nearer to the root, and who is farther from it.
const NEARER: usize = 0;
const FARTHER: usize = 1;

#[derive(Clone, Copy)]
struct Node {
    /// Above it in its path; for the top of a path whose child the path is.
    up: u32,
    side: [u32; 2],
}

/// Trees of nodes that are numbers; at first each is a tree of its own.
pub(super) struct Forest(Vec<Node>);

impl Forest {
    pub(super) fn new(nodes: usize) -> Self {
        Self(vec![Node { up: NONE, side: [NONE; 2] }; nodes])
    }

    /// On which side of another node of its path it is.
    fn side_of(&self, node: u32) -> Option<usize> {
        let up = self.0.get(self.0[node as usize].up as usize)?;
        up.side.iter().position(|below| *below == node)
    }

    /// Brings a node above the one it is below in its path.
    fn rotate(&mut self, node: u32, side: usize) {
        let up = self.0[node as usize].up;
        let (above, up_side) = (self.0[up as usize].up, self.side_of(up));
        let between = self.0[node as usize].side[1 - side];
        self.0[up as usize].side[side] = between;
        if between != NONE {
            self.0[between as usize].up = up;
        }
        self.0[node as usize].side[1 - side] = up;
        self.0[up as usize].up = node;
        self.0[node as usize].up = above;
        if let Some(up_side) = up_side {
            self.0[above as usize].side[up_side] = node;
        }
    }

    /// Brings a node to the top of its path.
    fn splay(&mut self, node: u32) {
        while let Some(side) = self.side_of(node) {
            let up = self.0[node as usize].up;
            match self.side_of(up) {
                Some(up_side) if up_side == side => self.rotate(up, up_side),
                Some(_) => {
                    self.rotate(node, side);
                    // It is on the other side of the next one now.
                    let side = 1 - side;
                    self.rotate(node, side);
                    continue;
                }
                None => {}
            }
            self.rotate(node, side);
        }
    }

    /// Makes the way from a node to its root one path, with the node at its top and nobody farther.
    fn expose(&mut self, node: u32) {
        let (mut at, mut farther) = (node, NONE);
        while at != NONE {
            self.splay(at);
            self.0[at as usize].side[FARTHER] = farther;
            (farther, at) = (at, self.0[at as usize].up);
        }
        self.splay(node);
    }

    /// The root of the tree that a node is in.
    pub(super) fn root(&mut self, node: u32) -> u32 {
        self.expose(node);
        let mut root = node;
        while self.0[root as usize].side[NEARER] != NONE {
            root = self.0[root as usize].side[NEARER];
        }
        // Or asking again would take as long.
        self.splay(root);
        root
    }

    /// Makes a node a root, if it is none.
    pub(super) fn cut(&mut self, node: u32) {
        self.expose(node);
        let nearer = std::mem::replace(&mut self.0[node as usize].side[NEARER], NONE);
        if nearer != NONE {
            self.0[nearer as usize].up = NONE;
        }
    }

    /// Makes a root the child of a node of another tree.
    pub(super) fn tie(&mut self, root: u32, parent: u32) {
        self.expose(root);
        debug_assert_eq!(self.0[root as usize].side, [NONE; 2], "it is a root");
        self.0[root as usize].up = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::Forest;

    #[test]
    fn it_agrees_with_a_naive_list_of_parents() {
        for seed in 0..20 {
            let (mut random, count) = (u64::from(seed), 3 + seed * 4);
            let mut draw = move |end: u32| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(random >> 33).unwrap() % end
            };
            let (mut forest, mut parents) = (Forest::new(count as usize), vec![None; count as usize]);
            let root = |parents: &[Option<u32>], mut node: u32| {
                while let Some(parent) = parents[node as usize] {
                    node = parent;
                }
                node
            };
            for _ in 0..2000 {
                let (a, b) = (draw(count), draw(count));
                assert_eq!(forest.root(a), root(&parents, a));
                if draw(3) > 0 {
                    forest.cut(a);
                    parents[a as usize] = None;
                    if root(&parents, b) != a {
                        forest.tie(a, b);
                        parents[a as usize] = Some(b);
                    }
                }
            }
        }
    }

    #[test]
    fn a_deep_tree_is_asked_often() {
        let count = 100_000;
        let mut forest = Forest::new(count as usize);
        for node in 1..count {
            forest.tie(node, node - 1);
        }
        for node in (0..count).rev() {
            assert_eq!(forest.root(node), 0);
        }
    }
}
