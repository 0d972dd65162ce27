//! What a schedule decides, in pictures.

use super::schedule::Schedule;
use crate::graph::Edge;
use crate::ids::SystemId;
use crate::shown::shown;
use std::fmt::Write as _;
use std::time::Duration;

impl Schedule {
    /// A group as a Mermaid diagram: edges that were asked for, waits that come of conflicts (dotted), and what systems take. Points at which changes are applied
    /// ([`ApplyQueued`](crate::ApplyQueued)) are hexagons, with a line from each system of which they apply something.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, physics)?;
    /// schedule.add(&mut world, render)?.after(physics)?;
    /// assert!(schedule.mermaid("Update").contains("s0 --> s1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mermaid(&mut self, group: &str) -> String {
        let mut text = "flowchart LR\n".to_owned();
        let picture = self.picture(group);
        for (id, label, point) in &picture.boxes {
            let (open, close) = if *point { ("{{", "}}") } else { ("[", "]") };
            let _ = writeln!(text, "    s{id}{open}\"{}\"{close}", label.replace('"', "&quot;"));
        }
        for line in &picture.lines {
            let arrow = match line.kind {
                LineKind::Asked => "-->",
                LineKind::Applied => "-- applied -->",
                LineKind::Conflict => "-.->",
            };
            let _ = writeln!(text, "    s{} {arrow} s{}", line.first, line.then);
        }
        text
    }

    /// A group as a graph in the DOT language of Graphviz, with the same lines as [`Schedule::mermaid`].
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, physics)?;
    /// schedule.add(&mut world, render)?.after(physics)?;
    /// let dot = schedule.dot("Update");
    /// assert!(dot.starts_with("digraph {") && dot.contains("s0 -> s1;"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dot(&mut self, group: &str) -> String {
        let mut text = "digraph {\n    rankdir=LR; node [shape=box];\n".to_owned();
        let picture = self.picture(group);
        for (id, label, point) in &picture.boxes {
            let shape = if *point { ", shape=hexagon" } else { "" };
            let _ =
                writeln!(text, "    s{id} [label=\"{}\"{shape}];", label.replace('\\', "\\\\").replace('"', "\\\""));
        }
        for line in &picture.lines {
            let style = match line.kind {
                LineKind::Asked => "",
                LineKind::Applied => " [label=\"applied\"]",
                LineKind::Conflict => " [style=dotted]",
            };
            let _ = writeln!(text, "    s{} -> s{}{style};", line.first, line.then);
        }
        text + "}\n"
    }

    fn picture(&mut self, group: &str) -> Picture {
        let order = self.in_order(group);
        let waits = self.waits(&order);
        let boxes = order.iter().map(|id| (id.number, self.label(*id), self.node(*id).is_point())).collect();
        let mut lines = Vec::new();
        for (at, first) in order.iter().enumerate() {
            let asked: Vec<u32> = self.edges.from(first.number).iter().map(|edge| edge.then).collect();
            lines.extend(self.edges.from(first.number).iter().map(|edge| Line {
                first: edge.first,
                then: edge.then,
                kind: if edge.applied || self.applies(edge) { LineKind::Applied } else { LineKind::Asked },
            }));
            // What waits beyond a point waits for the point.
            let beyond = (at + 1..order.len()).find(|at| self.node(order[*at]).is_point()).unwrap_or(order.len());
            for then in waits.then[at].iter().map(|then| *then as usize).filter(|then| *then <= beyond) {
                if !asked.contains(&order[then].number) {
                    let applied = then == beyond && self.node(*first).defers;
                    let kind = if applied { LineKind::Applied } else { LineKind::Conflict };
                    lines.push(Line { first: first.number, then: order[then].number, kind });
                }
            }
        }
        Picture { boxes, lines }
    }

    /// Whether one queues changes, and the other is a point at which they are applied.
    fn applies(&self, edge: &Edge) -> bool {
        self.node(self.numbered(edge.first)).defers && self.node(self.numbered(edge.then)).is_point()
    }

    fn label(&mut self, id: SystemId) -> String {
        let cost = self.runner_mut(id).cost.estimate();
        let name = shown(&self.node(id).name);
        cost.map_or_else(|| name.clone().into_owned(), |cost| format!("{name}, {:?}", Duration::from_nanos(cost)))
    }
}

struct Picture {
    /// Id, label, and whether it is a point at which changes are applied.
    boxes: Vec<(u32, String, bool)>,
    lines: Vec<Line>,
}

struct Line {
    first: u32,
    then: u32,
    kind: LineKind,
}

enum LineKind {
    Asked,
    Applied,
    Conflict,
}
