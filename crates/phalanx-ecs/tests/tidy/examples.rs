//! Every public item has an example that is run and asserts something.
//!
//! An item is public if users can reach it: its name is among the `pub use` of the crate's root, or of a public module, and nothing says
//! `#[doc(hidden)]`; what the root declares itself, as that of the derives does, counts too. Counted are types, traits, functions and constants, the public methods of types, what traits declare, and the modules. There is no
//! list of exceptions.

use super::{File, core, files_below, report, words};
use std::collections::BTreeSet;

/// What a block of documentation and attributes says.
#[derive(Default)]
struct Head {
    hidden: bool,
    /// Whether a line of an example asserts something.
    asserts: bool,
    /// Whether the lines that follow are an example; `None` outside of fences.
    fence: Option<bool>,
}

impl Head {
    fn doc_line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(kind) = line.strip_prefix("```") {
            self.fence = match self.fence {
                Some(_) => None,
                None => Some(matches!(kind, "" | "rust" | "should_panic")),
            };
            self.asserts |= kind == "should_panic";
        } else if self.fence == Some(true) {
            self.asserts |= line.contains("assert");
        }
    }

    fn attribute(&mut self, line: &str) {
        self.hidden |= line.contains("doc(hidden)");
    }
}

/// One item of a file, with the type or trait it is inside of.
struct Item {
    line: usize,
    name: String,
    inside: Option<String>,
    head: Head,
}

/// The word behind `pub`, `const`, `unsafe` and what else stands before the name of an item; `None` if the line begins none.
fn named(line: &str, in_trait: bool) -> Option<&str> {
    let mut rest = line.trim_start();
    if !in_trait {
        rest = rest.strip_prefix("pub ")?;
    }
    let mut is_item = false;
    loop {
        let (word, behind) = rest.split_once(' ')?;
        match word {
            "unsafe" => {}
            "fn" | "struct" | "enum" | "trait" | "type" | "static" | "union" => is_item = true,
            // `const fn` is a function.
            "const" => is_item = !behind.starts_with("fn ") && !behind.starts_with("unsafe "),
            _ => return None,
        }
        // What a trait says of types (`type Item`) is part of the trait's own example.
        if in_trait && word == "type" {
            return None;
        }
        rest = behind;
        if is_item {
            return Some(super::first_word(rest));
        }
    }
}

/// Whose methods follow an opening line of `impl`; `None` if it implements a trait.
fn subject(opening: &str) -> Option<&str> {
    let mut rest = opening.trim().strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.char_indices().find(|(at, c)| {
            depth += match c {
                '<' => 1,
                '>' if !rest[..*at].ends_with('-') => -1,
                _ => 0,
            };
            depth == 0
        })?;
        rest = &rest[end.0 + 1..];
    }
    let of_trait = words(rest, "for").any(|at| !rest[at..].starts_with("for<"));
    (!of_trait).then(|| super::first_word(rest))
}

/// The items of a file that are `pub`, or that a `pub` trait declares.
fn items(file: &File) -> Vec<Item> {
    let mut found = Vec::new();
    let mut head = Head::default();
    // How deep in braces and in attributes a line begins, and what the braces are of.
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    let mut opening = String::new();
    let mut inside: Option<(String, bool)> = None;
    for (line, (text, code)) in file.text.lines().zip(file.code.lines()).enumerate() {
        let depth = braces;
        braces = (braces + code.matches('{').count()).saturating_sub(code.matches('}').count());
        if brackets > 0 || code.trim_start().starts_with("#[") {
            head.attribute(code);
            brackets = (brackets + code.matches('[').count()).saturating_sub(code.matches(']').count());
            continue;
        }
        if let Some(doc) = text.trim_start().strip_prefix("///") {
            head.doc_line(doc);
            continue;
        }
        if code.trim().is_empty() {
            if text.trim().is_empty() {
                head = Head::default();
            }
            continue;
        }
        let item = match (depth, &inside) {
            (0, _) => named(code, false).map(|name| (name, None)),
            (1, Some((owner, is_trait))) => named(code, *is_trait).map(|name| (name, Some(owner.clone()))),
            _ => None,
        };
        if let Some((name, inside)) = item {
            found.push(Item { line, name: name.into(), inside, head: std::mem::take(&mut head) });
        }
        head = Head::default();
        if depth == 0 {
            // The lines of an opening, up to its brace.
            opening.push_str(code);
            opening.push(' ');
            if code.contains('{') {
                let whole = opening.trim().trim_start_matches("unsafe ");
                let declared = whole.strip_prefix("pub ").map(|rest| rest.trim_start_matches("unsafe "));
                inside = match declared.and_then(|rest| rest.strip_prefix("trait ")) {
                    Some(rest) => Some((super::first_word(rest).into(), true)),
                    None => subject(whole).map(|name| (name.into(), false)),
                };
            }
            if code.contains(['{', '}', ';']) {
                opening.clear();
            }
        }
        if braces == 0 {
            inside = None;
        }
    }
    found
}

/// The names that a file hands on: `pub use a::{B, c::D};`
fn handed_on(file: &File) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for at in words(&file.code, "pub") {
        let Some(path) = file.code[at..].strip_prefix("pub use ").and_then(|rest| rest.split(';').next()) else {
            continue;
        };
        for member in path.split([',', '{', '}']) {
            let last = member.rsplit("::").next().unwrap_or("").trim();
            if !last.is_empty() {
                names.insert(last.to_owned());
            }
        }
    }
    names
}

/// The modules that a crate's root declares for everybody.
fn public_modules(root: &File) -> Vec<String> {
    let mut hidden = false;
    let mut modules = Vec::new();
    for line in root.code.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';'))
            && !hidden
        {
            modules.push(name.to_owned());
        }
        hidden = line.starts_with("#[") && line.contains("doc(hidden)");
    }
    modules
}

/// What users can reach: the public modules, and the items with their files.
fn reachable(files: &[File]) -> (Vec<&File>, Vec<(&File, Item)>) {
    let named = |name: &str| files.iter().find(|file| file.path.ends_with(&format!("src/{name}.rs")));
    let root = named("lib").expect("the root of the crate");
    let mut modules = vec![root];
    modules.extend(public_modules(root).iter().filter_map(|module| named(module)));
    let mut names: BTreeSet<String> = modules.iter().flat_map(|module| handed_on(module)).collect();
    names.extend(items(root).into_iter().filter(|item| item.inside.is_none()).map(|item| item.name));

    let mut all: Vec<(&File, Item)> = Vec::new();
    for file in files {
        all.extend(items(file).into_iter().map(|item| (file, item)));
    }
    for (_, item) in all.iter().filter(|(_, item)| item.inside.is_none() && item.head.hidden) {
        names.remove(&item.name);
    }
    all.retain(|(_, item)| names.contains(item.inside.as_ref().unwrap_or(&item.name)) && !item.head.hidden);
    (modules, all)
}

/// What users can reach and has no example.
fn example_offences(files: &[File]) -> Vec<String> {
    let (modules, items) = reachable(files);
    let mut offences = item_offences(&items);
    for module in modules {
        let mut head = Head::default();
        module.text.lines().filter_map(|line| line.strip_prefix("//!")).for_each(|line| head.doc_line(line));
        if !head.asserts {
            offences.push(module.offence(0, "the module has no example that asserts something"));
        }
    }
    offences
}

fn item_offences(items: &[(&File, Item)]) -> Vec<String> {
    let mut offences = Vec::new();
    for (file, item) in items.iter().filter(|(_, item)| !item.head.asserts) {
        let name = item.inside.as_ref().map_or(item.name.clone(), |inside| format!("{inside}::{}", item.name));
        offences.push(file.offence(item.line, &format!("`{name}` has no example that asserts something")));
    }
    offences
}

#[test]
fn every_public_item_has_an_example() {
    let files = core();
    let (modules, items) = reachable(&files);
    assert!(modules.len() >= 4 && items.len() > 500, "they are found: {} and {}", modules.len(), items.len());
    report(&example_offences(&files));
}

#[test]
fn every_public_item_of_the_schedule_has_an_example() {
    let files = files_below("crates/phalanx-schedule/src");
    let (modules, items) = reachable(&files);
    assert!(modules.len() >= 2 && items.len() > 120, "they are found: {} and {}", modules.len(), items.len());
    report(&example_offences(&files));
}

#[test]
fn every_derive_has_an_example() {
    let files = files_below("crates/phalanx-derive/src");
    let (_, items) = reachable(&files);
    assert!(items.len() >= 7, "they are found: {}", items.len());
    report(&item_offences(&items));
}

/// The offences of a crate whose root hands on `names`, and whose one other file is `text`.
fn offences_of(names: &str, text: &str) -> Vec<String> {
    let root = format!("//! ```\n//! assert!(true);\n//! ```\n\nmod file;\n\npub use file::{{{names}}};\n");
    example_offences(&[File::new("crates/some/src/lib.rs", &root), File::new("crates/some/src/file.rs", text)])
}

#[test]
fn an_item_without_an_example_is_found() {
    for text in [
        "pub struct A;",
        "/// Words.\npub struct A;",
        "/// ```text\n/// assert a picture\n/// ```\npub struct A;",
        "/// ```ignore\n/// assert!(true);\n/// ```\npub struct A;",
        "/// ```\n/// A;\n/// ```\npub struct A;",
        "/// ```\n/// assert!(true);\n/// ```\nstruct B;\n\npub enum A {}",
        "pub fn A() {}",
        "pub const fn A() {}",
        "pub unsafe trait A {}",
        "pub const A: u32 = 1;",
        "impl A {\n    pub fn f() {}\n}",
        "impl<'w, T: Fn() -> Vec<u8>> A<'w, T>\nwhere\n    T: Copy,\n{\n    #[inline]\n    pub unsafe fn f() {}\n}",
        "impl A {\n    pub const B: u32 = 1;\n}",
    ] {
        assert_eq!(offences_of("A", text).len(), 1, "{text}");
    }
    let in_trait = "/// ```\n/// assert!(true);\n/// ```\npub trait A {\n    /// A name.\n    const B: u32;\n    type C;\n    fn d();\n}";
    assert_eq!(
        offences_of("A", in_trait),
        [
            "crates/some/src/file.rs:6: `A::B` has no example that asserts something\n    const B: u32;",
            "crates/some/src/file.rs:8: `A::d` has no example that asserts something\n    fn d();",
        ]
    );
}

#[test]
fn what_has_an_example_or_is_out_of_reach_is_not_found() {
    let example = "/// Words.\n///\n/// ```\n/// assert!(true);\n/// ```\n";
    for text in [
        format!("{example}#[derive(Clone)]\n#[diagnostic::on_unimplemented(\n    message = \"x [\",\n)]\npub struct A;"),
        "/// ```should_panic\n/// f();\n/// ```\npub fn A() {}".into(),
        "#[doc(hidden)]\npub struct A;\n\nimpl A {\n    pub fn f() {}\n}".into(),
        "impl A {\n    #[doc(hidden)]\n    pub fn f() {}\n    pub(crate) fn g() {}\n    fn h() {\n        pub fn i() {}\n    }\n}".into(),
        "impl B for A {\n    fn f() {}\n}\nimpl<F: for<'a> Fn(&'a u8)> C for A {\n    const D: u8 = 0;\n}".into(),
        "pub struct B;\nimpl B {\n    pub fn f() {}\n}".into(),
        "macro_rules! x {\n    () => {\n        pub struct A;\n    };\n}".into(),
    ] {
        assert_eq!(offences_of("A", &text), [""; 0], "{text}");
    }
}

#[test]
fn a_public_module_without_an_example_is_found() {
    let crate_of = |module: &str| {
        let root = "//! ```\n//! assert!(true);\n//! ```\n#[doc(hidden)]\npub mod secret;\npub mod open;\n";
        [
            File::new("crates/some/src/lib.rs", root),
            File::new("crates/some/src/open.rs", module),
            File::new("crates/some/src/secret.rs", "pub use crate::x::A;"),
            File::new("crates/some/src/x.rs", "pub struct A;\npub struct B;"),
        ]
    };
    assert_eq!(example_offences(&crate_of("//! ```\n//! assert!(true);\n//! ```")), [""; 0]);
    assert_eq!(example_offences(&crate_of("//! Words.\npub use crate::x::B;")).len(), 2);
}
