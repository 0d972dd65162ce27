//! Places worked out on all threads.
//!
//! ```text
//! worlds   [ a | b … | c … | d | e … | f … ]      by position; a piece is a subtree, or neighbours below one parent
//!            │   piece   piece  │   piece         what is above pieces is worked out first, in a row
//! ```
//!
//! A piece is a range of the list, so its results are a slice of their own, and what is above it is one value that it is given: no piece needs another. Then each row fetches
//! its result. Which thread works out what makes no difference to any bit: each place is one product of two matrices, whoever forms it.

use super::place::WorldTransform;
use super::propagation::{Chunk, NOBODY};
use glam::Affine3A;
use rayon::prelude::*;

/// Fewer places are worked out sooner than threads are woken.
const WORTH: usize = 20_000;
/// So many pieces there are to be for each thread, so that none waits long for the last.
const SHARES: usize = 8;

/// The lists of the plan.
pub(super) struct Tree<'a> {
    pub(super) end: &'a [u32],
    pub(super) above: &'a [u32],
    pub(super) rows: &'a [(u32, u32)],
    pub(super) position: &'a [u32],
}

/// Results, and where they are cut.
#[derive(Default)]
pub(super) struct Pieces {
    worlds: Vec<Affine3A>,
    /// From a position to another, with the position of what is above.
    cuts: Vec<(usize, usize, u32)>,
    /// Ranges that are to be cut.
    waiting: Vec<(usize, usize)>,
}

impl Pieces {
    /// Whether threads are worth it.
    pub(super) fn pay(ranges: &[(usize, usize)]) -> bool {
        ranges.iter().map(|(first, end)| end - first).sum::<usize>() >= WORTH && rayon::current_num_threads() > 1
    }

    pub(super) fn run(&mut self, ranges: &[(usize, usize)], tree: &Tree<'_>, chunks: &mut [Chunk<'_>]) {
        self.worlds.resize(tree.above.len(), Affine3A::IDENTITY);
        for &range in ranges {
            self.cut(range, tree, chunks);
        }
        self.work_out(tree, chunks);
        self.hand_out(ranges, tree, chunks);
    }

    /// Cuts a range into pieces, and works out what is above them.
    fn cut(&mut self, (first, end): (usize, usize), tree: &Tree<'_>, chunks: &[Chunk<'_>]) {
        let most = (end - first) / (SHARES * rayon::current_num_threads()) + 1;
        // What is above the whole range has not changed; rows have it.
        if tree.above[first] != NOBODY {
            let above = tree.above[first] as usize;
            self.worlds[above] = place_of(tree, chunks, above);
        }
        self.waiting.clear();
        self.waiting.push((first, end));
        while let Some((first, end)) = self.waiting.pop() {
            if end - first <= most {
                self.cuts.push((first, end, tree.above[first]));
                continue;
            }
            self.worlds[first] = under(&self.worlds, tree, chunks, first);
            // Its children: neighbours that are small together are one piece.
            let (mut start, mut child) = (first + 1, first + 1);
            while child < end {
                let next = tree.end[child] as usize;
                let large = next - child > most;
                if start < child && (large || next - start > most) {
                    self.cuts.push((start, child, tree.above[start]));
                    start = child;
                }
                if large {
                    self.waiting.push((child, next));
                    start = next;
                }
                child = next;
            }
            if start < end {
                self.cuts.push((start, end, tree.above[start]));
            }
        }
    }

    /// Works out all pieces.
    fn work_out(&mut self, tree: &Tree<'_>, chunks: &[Chunk<'_>]) {
        self.cuts.sort_unstable();
        let overs: Vec<Option<Affine3A>> = (self.cuts.iter())
            .map(|(_, _, above)| if *above == NOBODY { None } else { Some(self.worlds[*above as usize]) })
            .collect();
        let (mut rest, mut at) = (&mut self.worlds[..], 0);
        let mut pieces = Vec::with_capacity(self.cuts.len());
        for (&(first, end, _), over) in self.cuts.iter().zip(overs) {
            let (piece, behind) = rest.split_at_mut(first - at).1.split_at_mut(end - first);
            pieces.push((first, over, piece));
            (rest, at) = (behind, end);
        }
        let transforms: Vec<_> = chunks.iter().map(|(_, transforms, _)| *transforms).collect();
        pieces.into_par_iter().for_each(|(first, over, piece)| {
            for at in 0..piece.len() {
                let (chunk, row) = tree.rows[first + at];
                let transform = &transforms[chunk as usize][row as usize];
                let above = tree.above[first + at];
                let over = if above == NOBODY {
                    None
                } else if (above as usize) < first {
                    over
                } else {
                    Some(piece[above as usize - first])
                };
                piece[at] = WorldTransform::under(over.as_ref(), transform).affine;
            }
        });
        self.cuts.clear();
    }

    /// Lets rows that are part of a range fetch their results.
    fn hand_out(&self, ranges: &[(usize, usize)], tree: &Tree<'_>, chunks: &mut [Chunk<'_>]) {
        let all = ranges.len() == 1 && ranges[0].1 - ranges[0].0 == tree.above.len();
        let worlds = &self.worlds;
        let is_new = |position: usize| {
            let range = ranges.partition_point(|(first, _)| *first <= position);
            range > 0 && position < ranges[range - 1].1
        };
        for (entities, _, places) in chunks {
            entities.indices().par_iter().zip(places.par_iter_mut()).with_min_len(1024).for_each(|(index, place)| {
                let position = tree.position[*index as usize] as usize;
                if all || is_new(position) {
                    place.affine = worlds[position];
                }
            });
        }
    }
}

fn place_of(tree: &Tree<'_>, chunks: &[Chunk<'_>], at: usize) -> Affine3A {
    let (chunk, row) = tree.rows[at];
    chunks[chunk as usize].2[row as usize].affine
}

/// What a place comes to, if what is above it has been worked out.
fn under(worlds: &[Affine3A], tree: &Tree<'_>, chunks: &[Chunk<'_>], at: usize) -> Affine3A {
    let (chunk, row) = tree.rows[at];
    let over = if tree.above[at] == NOBODY { None } else { Some(worlds[tree.above[at] as usize]) };
    WorldTransform::under(over.as_ref(), &chunks[chunk as usize].1[row as usize]).affine
}
