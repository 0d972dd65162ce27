//! Rules of the house that the compiler does not check: the order of layers, where `unsafe` may stand, how long a file may be, and others.
//!
//! Each rule is a function from a file to a list of offences, so that each can be shown to find what it is there for.

#![cfg(not(miri))]

#[path = "tidy/examples.rs"]
mod examples;

use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the core, from the lowest; a file uses its own layer and those before it.
const LAYERS: [&str; 15] = [
    "order",
    "cell",
    "tick",
    "entity",
    "outcome",
    "component",
    "queue",
    "resource",
    "event",
    "bundle",
    "storage",
    "query",
    "world",
    "claim",
    "command",
];

/// A file of the core that belongs to no layer.
const OUTSIDE: [&str; 5] = ["lib.rs", "prelude.rs", "__private.rs", "errors.rs", "testing.rs"];

/// Longer files need a reason, in a line of their opening comment that has these words.
const MOST_LINES: usize = 800;
const REASON: &str = "over 800 lines because";

/// How far above an `unsafe` block its reason may stand.
const REACH: usize = 6;

// ---------------------------------------------------------------------------------------------------------------- files

/// A source file: its path from the root of the repository, its text, and its text with comments and literals blanked out.
struct File {
    path: String,
    text: String,
    code: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.into(), text: text.into(), code: code_of(text) }
    }

    /// An offence, as editors like it: file, line, what is wrong, and the line itself.
    fn offence(&self, line: usize, what: &str) -> String {
        format!("{}:{}: {what}\n    {}", self.path, line + 1, self.text.lines().nth(line).unwrap_or("").trim())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder, in order of their names.
fn files_below(folder: &str) -> Vec<File> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                collect(&entry, found);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry);
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    collect(&root.join(folder), &mut found);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        File::new(&name, &fs::read_to_string(&path).expect("a text file"))
    };
    found.into_iter().map(read).collect()
}

fn core() -> Vec<File> {
    files_below("crates/phalanx-ecs/src")
}

/// The sources of all crates.
fn sources() -> Vec<File> {
    let crates =
        fs::read_dir(root().join("crates")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = crates.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names.iter().flat_map(|name| files_below(&format!("crates/{name}/src"))).collect()
}

fn report(offences: &[String]) {
    assert!(offences.is_empty(), "{} offence(s)\n{}\n", offences.len(), offences.join("\n"));
}

// ----------------------------------------------------------------------------------------------------------------- code

/// The text with comments and the insides of strings and characters turned into spaces; lines stay where they are.
fn code_of(text: &str) -> String {
    let bytes: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let in_word = at > 0 && (bytes[at - 1].is_alphanumeric() || bytes[at - 1] == '_');
        let length = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r', '"' | '#', ..] if !in_word => raw_string(rest),
            ['"', ..] => string(rest),
            ['\'', '\\', ..] => 2 + rest[2..].iter().skip(1).position(|c| *c == '\'').map_or(0, |end| end + 2),
            ['\'', _, '\'', ..] => 3,
            _ => 0,
        };
        if length == 0 {
            code.push(bytes[at]);
            at += 1;
        } else {
            code.extend(rest[..length].iter().map(|c| blank(*c)));
            at += length;
        }
    }
    code
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let start = hashes + 2;
    let inside = rest[start..].windows(end.len()).position(|window| window == end);
    inside.map_or(rest.len(), |inside| start + inside + end.len())
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Where `word` stands in `code`, not as a part of a longer word.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !code[..*at].ends_with(part) && !code[at + word.len()..].starts_with(part))
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count()
}

// ---------------------------------------------------------------------------------------------------------------- rules

/// A module uses lower layers and its own, and names them: never through the root of the crate.
fn layer_offences(file: &File) -> Vec<String> {
    let inside = file.path.strip_prefix("crates/phalanx-ecs/src/").expect("a file of the core");
    if OUTSIDE.contains(&inside) {
        return Vec::new();
    }
    let folder = inside.split('/').next().unwrap_or("");
    let Some(own) = LAYERS.iter().position(|layer| *layer == folder) else {
        return vec![format!("{}: belongs to no layer of {LAYERS:?}", file.path)];
    };
    let mut offences = Vec::new();
    let mut judge = |at: usize, name: &str| {
        let what = match LAYERS.iter().position(|layer| *layer == name) {
            Some(layer) if layer <= own => return,
            Some(_) => format!("`{folder}` uses the higher layer `{name}`"),
            None => format!("`{name}` is used through the root of the crate"),
        };
        offences.push(file.offence(line_of(&file.code, at), &what));
    };
    for root in ["crate", "phalanx_ecs"] {
        for at in words(&file.code, root) {
            let Some(rest) = file.code[at + root.len()..].strip_prefix("::") else { continue };
            let start = file.code.len() - rest.len();
            match rest.strip_prefix('{') {
                None => judge(start, first_word(rest)),
                Some(group) => {
                    for (offset, member) in group_members(group) {
                        judge(start + 1 + offset, first_word(member));
                    }
                }
            }
        }
    }
    // Tests at the end of a file are one module deeper.
    let own_code = file.code.find("mod tests {").unwrap_or(file.code.len());
    for (at, _) in file.code.match_indices("super::super::") {
        if at < own_code || file.code[at..].starts_with("super::super::super::") {
            offences.push(file.offence(line_of(&file.code, at), "`super::super` is the root of the crate"));
        }
    }
    offences
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    if end == 0 { text.get(..1).unwrap_or("") } else { &text[..end] }
}

/// The members of `{a::B, c::{D, E}}`, of which `group` lacks the first brace, with their offsets.
fn group_members(group: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth > 0 => {}
            '}' | ',' => {
                members.push((start, &group[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    members.into_iter().filter(|(_, member)| !member.trim().is_empty())
}

/// Whether a file opens with the permission for `unsafe`.
fn has_permission(file: &File) -> bool {
    let first_code = file.text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("//"));
    first_code.is_some_and(|line| line.starts_with("#![expect(unsafe_code, reason = \""))
}

/// Where a file uses `unsafe`; the type of a function pointer does nothing by itself and does not count.
fn unsafe_places(file: &File) -> impl Iterator<Item = usize> + '_ {
    words(&file.code, "unsafe").filter(|at| !file.code[*at..].starts_with("unsafe fn("))
}

fn permission_offences(file: &File) -> Vec<String> {
    if has_permission(file) {
        return Vec::new();
    }
    let say = "`unsafe` in a file that does not open with `#![expect(unsafe_code, reason = \"…\")]`";
    unsafe_places(file).map(|at| file.offence(line_of(&file.code, at), say)).collect()
}

/// The files named in the table of the unsafe map.
fn unsafe_map(architecture: &str) -> Vec<String> {
    let section = architecture.split("\n## ").find(|section| section.starts_with("Unsafe map")).unwrap_or("");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| [`"));
    let mut files: Vec<String> = rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect();
    files.sort();
    files
}

fn map_offences(files: &[File], architecture: &str) -> Vec<String> {
    let map = unsafe_map(architecture);
    let short = |file: &File| file.path.trim_start_matches("crates/phalanx-ecs/src/").to_owned();
    let mut real: Vec<String> = files.iter().filter(|file| has_permission(file)).map(short).collect();
    real.sort();
    let missing = real
        .iter()
        .filter(|file| !map.contains(file))
        .map(|file| format!("{file}: not in the unsafe map of ARCHITECTURE.md"));
    let extra = map
        .iter()
        .filter(|file| !real.contains(file))
        .map(|file| format!("{file}: in the unsafe map of ARCHITECTURE.md, but has no `unsafe`"));
    missing.chain(extra).collect()
}

/// Every block and every `impl` says why it is right.
fn safety_offences(file: &File) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().collect();
    let needs_reason = |at: &usize| {
        let next = file.code[at + "unsafe".len()..].trim_start();
        next.starts_with('{') || next.starts_with("impl")
    };
    let has_reason =
        |line: usize| lines[line.saturating_sub(REACH)..=line].iter().any(|line| line.contains("// SAFETY"));
    unsafe_places(file)
        .filter(needs_reason)
        .map(|at| line_of(&file.code, at))
        .filter(|line| !has_reason(*line))
        .map(|line| file.offence(line, &format!("no `// SAFETY: …` within the {REACH} lines above")))
        .collect()
}

fn length_offence(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    let mut opening = file.text.lines().take_while(|line| line.starts_with("//"));
    let excused = opening.any(|line| line.contains(REASON));
    (lines > MOST_LINES && !excused)
        .then(|| format!("{}: {lines} lines; split it, or say at its top: “{REASON} …”", file.path))
}

fn forbid_offence(file: &File) -> Option<String> {
    (!file.code.lines().any(|line| line.trim() == "#![forbid(unsafe_code)]"))
        .then(|| format!("{}: lacks `#![forbid(unsafe_code)]`", file.path))
}

/// A `mod.rs` holds prose, `mod` and `use`.
fn mod_rs_offences(file: &File) -> Vec<String> {
    let mut offences = Vec::new();
    let mut start = 0;
    for (at, _) in file.code.match_indices(';').chain([(file.code.len(), "")]) {
        let statement = &file.code[start..at];
        let first = start + (statement.len() - statement.trim_start().len());
        let mut rest = statement.trim();
        while let Some(attribute) = rest.strip_prefix("#[").or_else(|| rest.strip_prefix("#![")) {
            rest = attribute.split_once(']').map_or("", |(_, rest)| rest.trim_start());
        }
        let rest = rest.strip_prefix("pub").map_or(rest, |rest| match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest.trim_start()),
            None => rest.trim_start(),
        });
        let fine = match rest.split_whitespace().next() {
            None | Some("use") => true,
            Some("mod") => !rest.contains('{'),
            Some(_) => false,
        };
        if !fine {
            offences.push(file.offence(line_of(&file.code, first), "a `mod.rs` holds prose, `mod` and `use` only"));
        }
        start = at + 1;
    }
    offences
}

/// Things that are not finished.
fn leftover_offences(file: &File) -> Vec<String> {
    let in_code = ["todo", "unimplemented", "dbg"].into_iter().flat_map(|name| {
        words(&file.code, name)
            .filter(move |at| file.code[at + name.len()..].starts_with('!'))
            .map(move |at| file.offence(line_of(&file.code, at), &format!("`{name}!` is left over")))
    });
    let in_text = words(&file.text, "FIXME").map(|at| file.offence(line_of(&file.text, at), "`FIXME` is left over"));
    in_code.chain(in_text).collect()
}

/// Inlining that is forced: that is for builds that are optimised (ARCHITECTURE.md, decision 49).
fn inline_offences(file: &File) -> Vec<String> {
    let forced = file.text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[inline(always)]"));
    forced.map(|(line, _)| file.offence(line, "write `#[cfg_attr(not(debug_assertions), inline(always))]`")).collect()
}

/// Links of a paper to files that are not there.
fn link_offences(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let local = targets.filter(|target| !target.is_empty() && !target.contains("://"));
    local
        .filter(|target| !exists(target))
        .map(|target| format!("{path}: links to {target}, which does not exist"))
        .collect()
}

// ----------------------------------------------------------------------------------------------------- the house is tidy

#[test]
fn modules_use_lower_layers_only_and_never_the_root() {
    report(&core().iter().flat_map(layer_offences).collect::<Vec<_>>());
}

#[test]
fn unsafe_stands_only_in_files_that_say_so_at_their_top() {
    report(&core().iter().flat_map(permission_offences).collect::<Vec<_>>());
}

#[test]
fn the_unsafe_map_names_exactly_the_files_with_unsafe() {
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    report(&map_offences(&core(), &architecture));
}

#[test]
fn every_unsafe_block_says_why_it_is_right() {
    report(&core().iter().flat_map(safety_offences).collect::<Vec<_>>());
}

#[test]
fn no_file_is_too_long_without_a_reason() {
    report(&sources().iter().filter_map(length_offence).collect::<Vec<_>>());
}

#[test]
fn every_other_crate_forbids_unsafe() {
    let is_root = |file: &&File| file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs");
    let files = sources();
    let roots: Vec<&File> = files.iter().filter(is_root).collect();
    assert!(roots.len() >= 4, "the crates are found");
    let others = roots.into_iter().filter(|file| file.path != "crates/phalanx-ecs/src/lib.rs");
    report(&others.filter_map(forbid_offence).collect::<Vec<_>>());
}

#[test]
fn mod_files_hold_prose_and_names_only() {
    let files = sources();
    let mod_files = files.iter().filter(|file| file.path.ends_with("/mod.rs"));
    report(&mod_files.flat_map(mod_rs_offences).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_over() {
    report(&sources().iter().flat_map(leftover_offences).collect::<Vec<_>>());
}

#[test]
fn inlining_is_forced_only_where_code_is_optimised() {
    report(&sources().iter().flat_map(inline_offences).collect::<Vec<_>>());
}

#[test]
fn papers_link_to_files_that_exist() {
    let root = root();
    let offences = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].into_iter().flat_map(|paper| {
        let text = fs::read_to_string(root.join(paper)).expect(paper);
        link_offences(paper, &text, |target| root.join(target).exists())
    });
    report(&offences.collect::<Vec<_>>());
}

// ------------------------------------------------------------------------------------- every rule finds what it is there for

mod rules {
    use super::*;

    fn in_layer(layer: &str, text: &str) -> Vec<String> {
        layer_offences(&File::new(&format!("crates/phalanx-ecs/src/{layer}/file.rs"), text))
    }

    fn file(text: &str) -> File {
        File::new("crates/some/src/file.rs", text)
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "a // unsafe\nb /* unsafe /* x */ unsafe */ c \"unsafe \\\" unsafe\" d r#\"unsafe \" unsafe\"# e '\"' f 'x' g '\\'' h<'a> i";
        let code = code_of(text);
        assert_eq!(code.split_whitespace().collect::<String>(), "abcdefgh<'a>i");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn a_higher_layer_is_found() {
        assert!(in_layer("storage", "use crate::entity::Entity;\nuse crate::storage::Store;").is_empty());
        let found = in_layer("storage", "use crate::entity::Entity;\nuse crate::query::Query;");
        assert_eq!(
            found,
            [
                "crates/phalanx-ecs/src/storage/file.rs:2: `storage` uses the higher layer `query`\n    use crate::query::Query;"
            ]
        );
        assert_eq!(in_layer("entity", "fn f() { crate::component::g(); }").len(), 1, "a path in an expression counts");
        assert_eq!(
            in_layer("query", "use crate::{\n    entity::{Entity, Row},\n    world::World,\n};").len(),
            1,
            "so does a member of a group"
        );
        assert!(in_layer("query", "use crate::{entity::{Entity, Row}, storage::Store};").is_empty());
    }

    #[test]
    fn a_detour_through_the_root_is_found() {
        for detour in [
            "use crate::World;",
            "use crate::{World, Entity as E};",
            "use crate::*;",
            "use crate::prelude::*;",
            "fn f(_: crate::Entity) {}",
            "use phalanx_ecs::World;",
            "use super::super::World;",
        ] {
            assert!(!in_layer("world", detour).is_empty(), "{detour}");
        }
    }

    #[test]
    fn what_is_allowed_is_not_found() {
        let allowed = "//! [`World`](crate::World)\n/// use crate::world::World;\npub(crate) fn f() {}\nuse super::handle::X;\nmod tests {\n    use super::super::location::Row;\n}";
        assert_eq!(in_layer("entity", allowed), [""; 0]);
        assert!(layer_offences(&File::new("crates/phalanx-ecs/src/lib.rs", "pub use crate::world::World;")).is_empty());
    }

    #[test]
    fn a_file_outside_the_layers_is_found() {
        assert_eq!(in_layer("helpers", "").len(), 1);
    }

    #[test]
    fn unsafe_without_permission_is_found() {
        let permitted = "//! Idea.\n\n#![expect(unsafe_code, reason = \"x\")]\n\nunsafe fn f() {}";
        assert!(permission_offences(&file(permitted)).is_empty());
        assert_eq!(permission_offences(&file("//! Idea.\n\nfn f() { unsafe { g() } }")).len(), 1);
        assert_eq!(
            permission_offences(&file("fn f() {}\n#![expect(unsafe_code, reason = \"late\")]\nunsafe fn g() {}")).len(),
            1
        );
        assert_eq!(
            permission_offences(&file("#![expect(unsafe_code)]\nunsafe fn g() {}")).len(),
            1,
            "a permission has a reason"
        );
        assert!(permission_offences(&file("type DropFn = unsafe fn(*mut u8);\nfn not_unsafe_code() {}")).is_empty());
    }

    #[test]
    fn an_unsafe_map_that_lies_is_found() {
        let files = [
            File::new("crates/phalanx-ecs/src/storage/cell.rs", "#![expect(unsafe_code, reason = \"x\")]"),
            File::new("crates/phalanx-ecs/src/storage/safe.rs", ""),
        ];
        let map = |rows: &str| {
            format!(
                "# A\n\n## Unsafe map\n\n| file | why |\n|---|---|\n{rows}\n\n## Next\n\n| [`no/row.rs`](x) | y |\n"
            )
        };
        assert!(map_offences(&files, &map("| [`storage/cell.rs`](x) | y |")).is_empty());
        assert_eq!(map_offences(&files, &map("")), ["storage/cell.rs: not in the unsafe map of ARCHITECTURE.md"]);
        assert_eq!(
            map_offences(&files, &map("| [`storage/cell.rs`](x) | y |\n| [`storage/safe.rs`](x) | y |")).len(),
            1
        );
    }

    #[test]
    fn a_block_without_a_reason_is_found() {
        assert!(safety_offences(&file("// SAFETY: it is.\nlet x = unsafe { f() };")).is_empty());
        assert_eq!(safety_offences(&file("// It is safe.\nlet x = unsafe { f() };")).len(), 1);
        assert_eq!(safety_offences(&file("unsafe impl Send for X {}")).len(), 1);
        let far = format!("// SAFETY: far away.\n{}unsafe {{ f() }}", "a();\n".repeat(REACH));
        assert_eq!(safety_offences(&file(&far)).len(), 1);
        assert!(
            safety_offences(&file("unsafe fn f() {}\nunsafe trait T {}")).is_empty(),
            "declarations have a contract instead"
        );
    }

    #[test]
    fn a_long_file_is_found() {
        assert!(length_offence(&file(&"x\n".repeat(MOST_LINES))).is_none());
        assert!(length_offence(&file(&"x\n".repeat(MOST_LINES + 1))).is_some());
        assert!(
            length_offence(&file(&format!("//! This is over 800 lines because …\n{}", "x\n".repeat(MOST_LINES))))
                .is_none()
        );
    }

    #[test]
    fn a_crate_that_does_not_forbid_unsafe_is_found() {
        assert!(forbid_offence(&file("//! Idea.\n#![forbid(unsafe_code)]")).is_none());
        assert!(forbid_offence(&file("//! #![forbid(unsafe_code)]\n#![deny(unsafe_code)]")).is_some());
    }

    #[test]
    fn code_in_a_mod_file_is_found() {
        let fine = "//! Prose.\n\n#[cfg(feature = \"x\")]\nmod a;\n#[expect(clippy::y, reason = \"z\")]\nmod b;\npub mod c;\n\npub(crate) use a::{A, B};\nuse b::*;\n";
        assert_eq!(mod_rs_offences(&file(fine)), [""; 0]);
        for bad in [
            "mod a;\nfn f() {}",
            "mod a {\n    fn f();\n}",
            "pub struct X;",
            "mod a;\nimpl X {}",
            "pub(crate) const A: u32 = 1;",
        ] {
            assert!(!mod_rs_offences(&file(bad)).is_empty(), "{bad}");
        }
    }

    #[test]
    fn leftovers_are_found() {
        for bad in ["fn f() { todo!() }", "unimplemented!(\"later\")", "let x = dbg!(y);", "// FIXME: soon"] {
            assert_eq!(leftover_offences(&file(bad)).len(), 1, "{bad}");
        }
        assert!(leftover_offences(&file("let todo = 1; // todo! is no code here")).is_empty());
    }

    #[test]
    fn a_dead_link_is_found() {
        let text = "[a](src/a.rs) [b](gone.rs#part) [c](https://example.org/x) [d](#here)";
        assert_eq!(
            link_offences("P.md", text, |target| target == "src/a.rs"),
            ["P.md: links to gone.rs, which does not exist"]
        );
    }
}
