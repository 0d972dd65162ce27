//! What systems are called in messages: as much as tells each from all others.

use super::schedule::{Node, Schedule};
use crate::ids::SystemId;
use crate::system::path_of;

/// What a system is called.
pub(super) struct Called {
    /// For who reads.
    pub(super) shown: String,
    /// How it is named in code: by its name, by its function; or not, if only its id says which is meant.
    pub(super) typed: Option<String>,
}

impl Schedule {
    /// What a system is called, where others may have its name.
    #[cold]
    pub(super) fn called(&self, id: SystemId) -> Called {
        let node = self.node(id);
        let same: Vec<&Node> =
            self.nodes().filter(|(other, node_of)| *other != id && node_of.name == node.name).map(|(_, n)| n).collect();
        if same.is_empty() {
            return Called { shown: node.name.clone(), typed: Some(format!("{:?}", node.name)) };
        }
        if let Some(path) = short_path(node, &same) {
            let is_one = self.nodes().filter(|(_, other)| other.function == node.function).count() == 1;
            return Called { typed: is_one.then(|| path.clone()), shown: path };
        }
        let (file, line) = (node.caller.file(), node.caller.line());
        Called { shown: format!("{} (#{}, added at {file}:{line})", node.name, id.number), typed: None }
    }
}

/// As much of the path of a function as tells it from others of its name, if that does: `left::run` and `right::run`.
fn short_path(node: &Node, same: &[&Node]) -> Option<String> {
    let path = path_of(node.path);
    // Closures, and what was given a name, are not called after the end of their path.
    if path.last() != Some(&node.name) {
        return None;
    }
    let others: Vec<Vec<String>> = same.iter().map(|other| path_of(other.path)).collect();
    let is_told = |from: &usize| !others.iter().any(|other| other.ends_with(&path[*from..]));
    let from = (0..path.len()).rev().find(is_told)?;
    let short = &path[from..];
    (!short.contains(&String::new())).then(|| short.join("::"))
}
