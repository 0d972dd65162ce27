//! Reads from a `Cargo.toml` what name the core crate has in a package.
//!
//! The file is flattened first, so that all the ways to write a dependency become one:
//!
//! ```text
//! [dependencies]                                         dependencies . ecs . package = phalanx-ecs
//! ecs = { package = "phalanx-ecs", version = "1" }  ──►  dependencies . ecs . version = 1
//!
//! [target.'cfg(unix)'.dependencies.phalanx]         ──►  target . cfg(unix) . dependencies . phalanx . path = …
//! path = "…"
//! ```
//! This is not a TOML reader: it understands every correct manifest as far as it needs to, and accepts wrong ones too.

pub(crate) const CORE: &str = "phalanx-ecs";
const FACADE: &str = "phalanx";

/// Where dependencies stand. A library sees the first kind only, so it comes first.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

pub(crate) struct Manifest(Vec<(Vec<String>, String)>);

impl Manifest {
    pub(crate) fn read(text: &str) -> Self {
        let mut entries = Vec::new();
        let mut section = Vec::new();
        for line in logical_lines(text) {
            if let Some(header) = line.strip_prefix('[') {
                section = key_path(header.trim_matches(['[', ']']));
            } else {
                flatten(&section, &line, &mut entries);
            }
        }
        Self(entries)
    }

    fn get(&self, path: &[&str]) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == path).map(|(_, value)| value.as_str())
    }

    /// Whether this is the manifest of a workspace.
    pub(crate) fn is_workspace(&self) -> bool {
        self.0.iter().any(|(path, _)| path.first().is_some_and(|first| first == "workspace"))
    }

    /// What the package calls a crate, the core for one, or the facade that re-exports it. `workspace` finds the manifest that
    /// `name.workspace = true` refers to.
    pub(crate) fn crate_called(&self, wanted: &str, workspace: impl FnOnce() -> Option<Self>) -> Option<String> {
        if let Some(own) = self.get(&["package", "name"])
            && (own == wanted || own == FACADE)
        {
            return Some(own.replace('-', "_"));
        }
        let workspace = self.0.iter().any(|(path, _)| path.ends_with(&["workspace".into()])).then(workspace).flatten();
        let mut best: Option<(usize, bool, &str)> = None;
        for (path, _) in &self.0 {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let (section, name, table) = match path[..] {
                ["target", _, section, name, ..] => (section, name, &path[..4]),
                [section, name, ..] => (section, name, &path[..2]),
                _ => continue,
            };
            let Some(section) = SECTIONS.iter().position(|known| *known == section) else { continue };
            let inherited = || match (&workspace, self.get(&[table, &["workspace"]].concat())) {
                (Some(workspace), Some("true")) => workspace.get(&["workspace", "dependencies", name, "package"]),
                _ => None,
            };
            let package = self.get(&[table, &["package"]].concat()).or_else(inherited).unwrap_or(name);
            if package == wanted || package == FACADE {
                let found = (section, package == FACADE, name);
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
        best.map(|(_, _, name)| name.replace('-', "_"))
    }
}

/// Adds `key = value` to `entries`; a `{ … }` is taken apart.
fn flatten(section: &[String], assignment: &str, entries: &mut Vec<(Vec<String>, String)>) {
    let Some((key, value)) = split(assignment, '=').map(|at| (&assignment[..at], assignment[at + 1..].trim())) else {
        return;
    };
    let path = [section, &key_path(key)].concat();
    let Some(mut table) = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) else {
        entries.push((path, value.trim_matches(['"', '\'']).to_owned()));
        return;
    };
    while let Some(comma) = split(table, ',') {
        flatten(&path, &table[..comma], entries);
        table = &table[comma + 1..];
    }
    flatten(&path, table, entries);
}

/// `target.'cfg(unix)'.dependencies` in its parts.
fn key_path(mut key: &str) -> Vec<String> {
    let clean = |part: &str| part.trim().trim_matches(['"', '\'']).to_owned();
    let mut path = Vec::new();
    while let Some(dot) = split(key, '.') {
        path.push(clean(&key[..dot]));
        key = &key[dot + 1..];
    }
    path.push(clean(key));
    path
}

/// Where the first `mark` is that stands in no string and no bracket.
fn split(text: &str, mark: char) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if depth == 0 && c == mark => return Some(at),
            None => match c {
                '"' | '\'' => quote = Some(c),
                '[' | '{' => depth += 1,
                ']' | '}' => depth -= 1,
                _ => {}
            },
        }
    }
    None
}

/// The lines without comments, where brackets and multi-line strings make one line of several.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut rest = text;
    let mut depth = 0;
    while let Some(c) = rest.chars().next() {
        // What belongs together from here on: a string, a comment or one character.
        let length = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => string_length(rest, c),
            _ => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        match c {
            '\n' if depth == 0 => lines.push(String::new()),
            '#' | '\n' | '\r' => {}
            _ => {
                depth += i32::from("[{".contains(c)) - i32::from("]}".contains(c));
                lines.last_mut().expect("there is a line").push_str(piece);
            }
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The length of the string that `text` starts with, quotes included.
fn string_length(text: &str, quote: char) -> usize {
    let triple = [quote; 3].iter().collect::<String>();
    let end = if text.starts_with(&triple) { &triple[..] } else { &triple[..1] };
    let mut at = end.len();
    while at < text.len() && !text[at..].starts_with(end) {
        let c = text[at..].chars().next().expect("before the end");
        at += c.len_utf8();
        if c == '\\' && quote == '"' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    (at + end.len()).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn found(manifest: &str, expected: Option<&str>) {
        assert_eq!(Manifest::read(manifest).crate_called(CORE, || None).as_deref(), expected);
    }

    #[test]
    fn a_dependency_is_found_in_every_form() {
        found("[dependencies]\nphalanx-ecs = \"0.1\"", Some("phalanx_ecs"));
        found("[dependencies]\n\"phalanx\" = { path = \"x\" }", Some("phalanx"));
        found("[dependencies]\nphalanx.path = 'x'", Some("phalanx"));
        found("[dependencies.phalanx]\npath = \"x\"", Some("phalanx"));
        found("[ dev-dependencies ]\r\nphalanx-ecs.workspace = true\r\n", Some("phalanx_ecs"));
        found("[target.'cfg(all(unix, target_arch = \"x86_64\"))'.dependencies]\nphalanx = \"1\"", Some("phalanx"));
        found("dependencies = { phalanx = { version = \"1\" } }", Some("phalanx"));
    }

    #[test]
    fn a_renamed_dependency_is_found_by_its_package() {
        found("[dependencies]\nmy-ecs = { version = \"1\", package = \"phalanx-ecs\" }", Some("my_ecs"));
        found("[dependencies.ecs]\nversion = \"1\"\npackage = 'phalanx'", Some("ecs"));
        found("[dependencies]\nphalanx = { package = \"other\" }", None);
    }

    #[test]
    fn a_rename_can_stand_in_the_workspace() {
        let member = Manifest::read("[dependencies]\necs.workspace = true");
        let root = "[workspace.dependencies]\necs = { package = \"phalanx-ecs\", version = \"1\" }";
        assert!(Manifest::read(root).is_workspace() && !member.is_workspace());
        assert_eq!(member.crate_called(CORE, || Some(Manifest::read(root))).as_deref(), Some("ecs"));
    }

    #[test]
    fn the_core_goes_before_the_facade_and_libraries_before_tests() {
        found("[dependencies]\nphalanx = \"1\"\nphalanx-ecs = \"1\"", Some("phalanx_ecs"));
        found("[dev-dependencies]\nphalanx-ecs = \"1\"\n[dependencies]\nphalanx = \"1\"", Some("phalanx"));
    }

    #[test]
    fn the_package_itself_counts() {
        found("[package]\nname = \"phalanx-ecs\"", Some("phalanx_ecs"));
        found("package.name = 'phalanx'\n[dependencies]\nphalanx-ecs = \"1\"", Some("phalanx"));
    }

    #[test]
    fn only_dependencies_count() {
        found("", None);
        found(
            "[package]\nname = \"game\"\nkeywords = [\n  \"phalanx\", # phalanx = 1\n]\n[features]\nphalanx = []",
            None,
        );
        found("[dependencies]\n# phalanx = \"1\"\nrayon = \"1 # phalanx\"", None);
        found("[package]\ndescription = \"\"\"\n[dependencies]\nphalanx = '1'\n\"\"\"", None);
        found(
            "[dependencies]\nother = { features = [\"phalanx\"], path = \"a\\\"\" }\n[[bin]]\nname = \"phalanx\"",
            None,
        );
        found("[workspace.dependencies]\nphalanx = \"1\"", None);
    }

    #[test]
    fn values_may_span_lines() {
        found(
            "[dependencies]\nrayon = { features = [\n  \"a\",\n  \"b\" ] }\nphalanx = { features = [\n'a',\n], version = '1' }",
            Some("phalanx"),
        );
    }
}
