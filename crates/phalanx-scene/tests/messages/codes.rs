//! Every code of the sources has a snapshot and a row on the page of errors; every snapshot has a test.

use crate::folder;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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

/// The codes of this crate in a text; those of the core, which it hands on, begin otherwise.
fn codes(text: &str) -> BTreeSet<String> {
    let after = ["error[", "warning["].into_iter().flat_map(|start| text.split(start).skip(1));
    let codes = after.filter_map(|after| after.split_once(']')).map(|(code, _)| code.to_owned());
    codes.filter(|code| code.len() == 4 && code.starts_with(['H', 'N', 'P'])).collect()
}

fn codes_in_source() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts_below(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "rs") {
        text.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| found.extend(codes(line)));
    }
    assert!(found.len() >= 20, "the search finds the codes: {found:?}");
    found
}

#[test]
fn every_code_in_the_source_has_a_snapshot() {
    let snapshots: BTreeSet<String> = texts_below(&folder(), "txt").iter().flat_map(|text| codes(text)).collect();
    assert_eq!(codes_in_source(), snapshots, "what tests in tests/messages provoke");
}

#[test]
fn the_page_of_errors_has_a_row_for_every_code_and_no_other() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/errors.rs")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("//! | `")?.split_once('`'));
    let rows: BTreeSet<String> = rows.map(|(code, _)| code.to_owned()).collect();
    assert_eq!(codes_in_source(), rows, "src/errors.rs");
}

/// A message that names a line of ours does not help: there is nothing to mend.
#[test]
fn who_asked_is_never_the_crate_itself() {
    for text in texts_below(&folder(), "txt") {
        for line in text.lines().filter(|line| line.contains(".rs:LINE")) {
            let is_of_tests =
                ["nodes.rs:LINE", "prefabs.rs:LINE", "trees.rs:LINE"].iter().any(|file| line.contains(file));
            assert!(is_of_tests, "every line in a snapshot is one of the tests: {line}");
        }
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
