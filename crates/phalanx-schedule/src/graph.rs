//! Order: who comes before whom.
//!
//! A graph of numbers. An edge that would close a cycle is refused, with the shortest cycle, and leaves everything as it was. Among those that may come next
//! the smallest number does: so the order is the same whenever the edges are, whatever order they were made in.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::panic::Location;

/// One comes before the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) first: u32,
    pub(crate) then: u32,
    /// Whether what the first queued is applied in between.
    pub(crate) applied: bool,
    /// Who asked for it.
    pub(crate) caller: &'static Location<'static>,
}

/// Edges between numbers, without cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// By number: the edges that begin there, in the order in which they were made.
    after: HashMap<u32, Vec<Edge>>,
    /// By number: where edges that end there begin.
    before: HashMap<u32, Vec<u32>>,
}

impl Graph {
    /// Adds an edge; or answers the shortest cycle that it would close, which ends with it. An edge that is there is only made stronger.
    pub(crate) fn add(&mut self, edge: Edge) -> Result<(), Vec<Edge>> {
        // Nobody comes before what has no edge that ends there: then no search is needed.
        let may_close =
            edge.first == edge.then || self.before.get(&edge.first).is_some_and(|before| !before.is_empty());
        if may_close && let Some(mut cycle) = self.path(edge.then, edge.first) {
            cycle.push(edge);
            return Err(cycle);
        }
        let edges = self.after.entry(edge.first).or_default();
        match edges.iter_mut().find(|other| other.then == edge.then) {
            Some(same) => same.applied |= edge.applied,
            None => {
                edges.push(edge);
                self.before.entry(edge.then).or_default().push(edge.first);
            }
        }
        Ok(())
    }

    /// Says anew whether what the first queued is applied before the second.
    pub(crate) fn set_applied(&mut self, first: u32, then: u32, applied: bool) {
        let edges = self.after.get_mut(&first).into_iter().flatten();
        edges.filter(|edge| edge.then == then).for_each(|edge| edge.applied = applied);
    }

    /// Takes an edge out; answers whether it was there.
    pub(crate) fn remove(&mut self, first: u32, then: u32) -> bool {
        let Some(edges) = self.after.get_mut(&first) else { return false };
        let count = edges.len();
        edges.retain(|edge| edge.then != then);
        let found = edges.len() < count;
        if found && let Some(before) = self.before.get_mut(&then) {
            before.retain(|other| *other != first);
        }
        found
    }

    /// Takes all edges out that begin or end at a number; answers them.
    pub(crate) fn forget(&mut self, number: u32) -> Vec<Edge> {
        let mut gone = self.after.remove(&number).unwrap_or_default();
        for edge in &gone {
            if let Some(before) = self.before.get_mut(&edge.then) {
                before.retain(|other| *other != number);
            }
        }
        for first in self.before.remove(&number).unwrap_or_default() {
            if let Some(edges) = self.after.get_mut(&first) {
                gone.extend(edges.extract_if(.., |edge| edge.then == number));
            }
        }
        gone
    }

    /// The edges that begin at a number.
    pub(crate) fn from(&self, number: u32) -> &[Edge] {
        self.after.get(&number).map_or(&[], |edges| edges)
    }

    /// All edges, by where they begin.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Edge> {
        let mut from: Vec<_> = self.after.keys().copied().collect();
        from.sort_unstable();
        from.into_iter().flat_map(|first| self.from(first))
    }

    /// The shortest way from one number to another; empty if they are the same.
    fn path(&self, from: u32, to: u32) -> Option<Vec<Edge>> {
        let mut came_by: HashMap<u32, Edge> = HashMap::new();
        let mut next = VecDeque::from([from]);
        while let Some(at) = next.pop_front() {
            if at == to {
                let mut path: Vec<Edge> = Vec::new();
                let mut at = to;
                while at != from {
                    let edge = came_by[&at];
                    at = edge.first;
                    path.push(edge);
                }
                path.reverse();
                return Some(path);
            }
            for edge in self.from(at) {
                if edge.then != from && !came_by.contains_key(&edge.then) {
                    came_by.insert(edge.then, *edge);
                    next.push_back(edge.then);
                }
            }
        }
        None
    }

    /// All numbers that come after one.
    pub(crate) fn reached_from(&self, from: u32) -> HashSet<u32> {
        let (mut reached, mut next) = (HashSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            next.extend(self.from(at).iter().map(|edge| edge.then).filter(|then| reached.insert(*then)));
        }
        reached
    }

    /// The members in order: each after all that come before it, and of those that may come next the smallest.
    pub(crate) fn order(&self, members: &[u32]) -> Vec<u32> {
        let mut waits: HashMap<u32, usize> = members.iter().map(|member| (*member, 0)).collect();
        for member in members {
            for edge in self.from(*member) {
                if let Some(count) = waits.get_mut(&edge.then) {
                    *count += 1;
                }
            }
        }
        let mut ready: BinaryHeap<Reverse<u32>> =
            members.iter().filter(|member| waits[member] == 0).map(|member| Reverse(*member)).collect();
        let mut order = Vec::with_capacity(members.len());
        while let Some(Reverse(next)) = ready.pop() {
            order.push(next);
            for edge in self.from(next) {
                if let Some(count) = waits.get_mut(&edge.then) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(Reverse(edge.then));
                    }
                }
            }
        }
        debug_assert_eq!(order.len(), members.len(), "no edge closes a cycle");
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn edge(first: u32, then: u32) -> Edge {
        Edge { first, then, applied: false, caller: Location::caller() }
    }

    #[test]
    fn an_edge_that_closes_a_cycle_is_refused_with_the_shortest_one_and_leaves_no_trace() {
        let mut graph = Graph::default();
        for (first, then) in [(1, 2), (2, 3), (3, 4), (4, 5), (2, 5)] {
            graph.add(edge(first, then)).unwrap();
        }
        let before = format!("{:?}", graph.edges().collect::<Vec<_>>());
        let cycle = graph.add(edge(5, 1)).unwrap_err();
        assert_eq!(cycle.iter().map(|edge| (edge.first, edge.then)).collect::<Vec<_>>(), [(1, 2), (2, 5), (5, 1)]);
        assert_eq!(format!("{:?}", graph.edges().collect::<Vec<_>>()), before);
        assert_eq!(graph.add(edge(7, 7)).unwrap_err().len(), 1);
    }

    #[test]
    fn a_long_row_is_made_from_its_end_without_a_search_for_each_edge() {
        const LONG: u32 = 100_000;
        let mut graph = Graph::default();
        for number in 1..LONG {
            graph.add(edge(number, number - 1)).unwrap();
        }
        assert_eq!(graph.add(edge(0, LONG - 1)).unwrap_err().len(), LONG as usize);
        assert!(graph.remove(LONG - 1, LONG - 2));
        graph.add(edge(0, LONG - 1)).unwrap();
    }

    #[test]
    fn among_those_that_may_come_next_the_smallest_does() {
        let mut graph = Graph::default();
        graph.add(edge(4, 1)).unwrap();
        assert_eq!(graph.order(&[1, 2, 3, 4, 5]), [2, 3, 4, 1, 5]);
        assert!(graph.remove(4, 1) && !graph.remove(4, 1));
        assert_eq!(graph.order(&[1, 2, 3, 4, 5]), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_order_of_random_graphs_keeps_all_edges_and_does_not_depend_on_when_they_were_made() {
        let mut state = 7u64;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).expect("31 bits") % below
        };
        for _ in 0..200 {
            let (mut graph, mut made) = (Graph::default(), Vec::new());
            for _ in 0..30 {
                let new = edge(random(20), random(20));
                if graph.add(new).is_ok() {
                    made.push(new);
                }
            }
            let members: Vec<u32> = (0..20).collect();
            let order = graph.order(&members);
            let at = |number| order.iter().position(|other| *other == number);
            assert!(order.len() == 20 && made.iter().all(|edge| at(edge.first) < at(edge.then)));
            let mut again = Graph::default();
            made.iter().rev().for_each(|edge| again.add(*edge).unwrap());
            assert_eq!(again.order(&members), order);
            let gone = random(20);
            graph.forget(gone);
            assert!(graph.edges().all(|edge| edge.first != gone && edge.then != gone));
        }
    }
}
