//! By hand: arrays in the order of the levels, with the number of the one above. Depth first it takes as long.

use super::shapes::ten_by_ten;
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

struct Nodes {
    above: Vec<u32>,
    locals: Vec<Local>,
    placed: Vec<Placed>,
}

impl Nodes {
    fn new() -> Self {
        let above = ten_by_ten();
        let locals: Vec<_> = (0..above.len()).map(Local::of).collect();
        let placed = vec![Placed::default(); above.len()];
        Self { above, locals, placed }
    }

    fn shift(&mut self) {
        self.locals.iter_mut().for_each(Local::shift);
    }

    /// The root comes first.
    fn place(&mut self) {
        self.placed[0] = Placed::alone(&self.locals[0]);
        let count = self.placed.len();
        let (above, locals) = (&self.above[..count], &self.locals[..count]);
        for node in 1..count {
            self.placed[node] = Placed::under(&self.placed[above[node] as usize], &locals[node]);
        }
    }
}

pub fn register(cases: &mut Cases) {
    super::transforms::raw(cases);
    super::one_percent::references(cases);
    super::reparent::raw::register(cases);
    let digest = |nodes: &mut Nodes| Digest::of(&nodes.placed);
    cases.readied(&workloads::HIERARCHY, "", Nodes::new, Nodes::shift, Nodes::place, digest);
    let both = |nodes: &mut Nodes| {
        nodes.shift();
        nodes.place();
    };
    cases.lasting(&workloads::HIERARCHY, "written", Nodes::new, both, digest);
}
