//! Every `error[…]` of the core has a snapshot and one meaning; every snapshot has a test.

use crate::snapshot::folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Codes that no program can provoke, with the reason.
const OUT_OF_REACH: &[&str] = &[
    "W001", // the world is inconsistent: only a bug in the core, or unsafe code beside it, makes it so
];

fn texts_below(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(texts_below(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
    texts
}

/// Each `error[X000]: head`, where the head ends with the line or with the literal; what is filled in has no name.
fn heads(text: &str) -> Vec<(String, String)> {
    let after = text.split("error[").skip(1);
    after
        .filter_map(|after| {
            let (code, rest) = after.split_once("]: ")?;
            let head = rest.split(['\n', '"']).next()?.split("\\n").next()?;
            let mut parts = head.split('{');
            let start = parts.next()?.to_owned();
            let head = parts.fold(start, |head, part| head + "{" + part.find('}').map_or(part, |end| &part[end..]));
            (code.len() == 4).then(|| (code.to_owned(), head))
        })
        .collect()
}

/// The heads in the core's own code, without its tests and comments.
fn heads_in_source() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in texts_below(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "rs") {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (code, head) in lines.flat_map(heads) {
            found.entry(code).or_default().insert(head);
        }
    }
    found
}

fn heads_in_snapshots() -> BTreeSet<String> {
    texts_below(&folder(), "txt").iter().flat_map(|text| heads(text)).map(|(code, _)| code).collect()
}

#[test]
fn every_code_in_the_source_has_a_snapshot() {
    let snapshots = heads_in_snapshots();
    let source = heads_in_source();
    assert!(source.len() > 15, "the search finds the codes: {source:?}");
    let without: Vec<_> =
        source.keys().filter(|code| !snapshots.contains(*code) && !OUT_OF_REACH.contains(&code.as_str())).collect();
    assert!(without.is_empty(), "no test in tests/messages provokes {without:?}");
}

#[test]
fn every_code_out_of_reach_is_in_the_source_and_in_no_snapshot() {
    let (source, snapshots) = (heads_in_source(), heads_in_snapshots());
    for code in OUT_OF_REACH {
        assert!(source.contains_key(*code) && !snapshots.contains(*code), "{code} does not belong on the list");
    }
}

#[test]
fn the_page_of_errors_lists_every_code_and_no_other() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/errors.rs")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("//! | `")).filter_map(|row| row.split_once('`'));
    let listed: Vec<String> = rows.map(|(code, _)| code.to_owned()).collect();
    let codes: Vec<String> = heads_in_source().into_keys().collect();
    let sorted: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(sorted.into_iter().cloned().collect::<Vec<_>>(), codes, "the table in src/errors.rs");
    assert_eq!(listed.len(), codes.len(), "each code has one row: {listed:?}");
}

#[test]
fn a_code_has_one_meaning() {
    for (code, heads) in heads_in_source() {
        assert!(heads.len() == 1, "error[{code}] stands for {heads:?}");
    }
}

/// A message that names a line of the core does not help: there is nothing to mend.
#[test]
fn who_asked_is_never_the_core() {
    for text in texts_below(&folder(), "txt") {
        assert!(!text.contains("asked by: src/"), "{text}");
    }
}

#[test]
fn every_snapshot_belongs_to_a_test() {
    let tests = texts_below(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages")), "rs").concat();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(tests.contains(&format!("\"{name}\"")), "no test says `{name}`");
    }
}
