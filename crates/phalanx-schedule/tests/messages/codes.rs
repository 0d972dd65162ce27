//! Every `error[S…]` of the sources has a snapshot and a section on the page of errors; every snapshot has a test.

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

/// The codes of schedules in a text; those of the core, which schedules hand on, begin otherwise.
fn codes(text: &str) -> BTreeSet<String> {
    let after = text.split("error[").skip(1).filter_map(|after| after.split_once(']'));
    after.map(|(code, _)| code.to_owned()).filter(|code| code.len() == 4 && code.starts_with('S')).collect()
}

/// The codes in the code itself, without comments.
fn codes_in_source() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts_below(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "rs") {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        code.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| found.extend(codes(line)));
    }
    assert!(found.len() >= 9, "the search finds the codes: {found:?}");
    found
}

/// What is wrong with a page that is to have a section for each of the codes, in order.
fn page_offences(page: &str, codes: &BTreeSet<String>) -> Vec<String> {
    let page: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim_start).collect();
    let page = page.join("\n");
    let sections: Vec<(&str, &str)> = page.split("\n# S").skip(1).filter_map(|rest| rest.split_once(": ")).collect();
    let listed: Vec<String> = sections.iter().map(|(number, _)| format!("S{number}")).collect();
    let mut offences = Vec::new();
    if !listed.iter().eq(codes) {
        offences.push(format!("sections for {listed:?}, but codes are {codes:?}"));
    }
    for (code, (_, text)) in listed.iter().zip(&sections) {
        // Every other piece between fences is an example.
        let examples: Vec<&str> = text.split("```\n").skip(1).step_by(2).collect();
        for (what, there) in [
            ("no example that shows it", examples.iter().any(|example| example.contains(&format!("error[{code}]")))),
            ("no example of what is mended", examples.iter().any(|example| example.contains("// Mended: "))),
            ("no word on how to mend it", text.contains("**To mend it**")),
            ("no type", text.lines().nth(1).is_some_and(|line| line.starts_with("[`"))),
        ] {
            if !there {
                offences.push(format!("{code}: {what}"));
            }
        }
    }
    offences
}

#[test]
fn every_code_in_the_source_has_a_snapshot() {
    let snapshots = texts_below(&folder(), "txt").iter().flat_map(|text| codes(text)).collect();
    assert_eq!(codes_in_source(), snapshots, "what tests in tests/messages provoke");
}

#[test]
fn the_page_of_errors_has_a_section_for_every_code_and_no_other() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/errors.rs")).unwrap();
    let offences = page_offences(&page, &codes_in_source());
    assert!(offences.is_empty(), "src/errors.rs:\n{}", offences.join("\n"));
}

#[test]
fn a_page_that_lacks_something_is_found() {
    let fine = "//! Words.\n//!\n//! # S001: it is so\n//! [`Type`], from there.\n//! ```\n//! error[S001]\n//! // Mended: so.\n//! ```\n//! **To mend it**, do it.";
    let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(page_offences(fine, &codes(&["S001"])), [""; 0]);
    assert_eq!(page_offences(fine, &codes(&["S001", "S002"])).len(), 1, "a code without a section");
    assert_eq!(page_offences(fine, &codes(&[])).len(), 1, "a section without a code");
    for (part, instead) in [
        ("error[S001]", "error[S002]"),
        ("// Mended: so.", ""),
        ("**To mend it**", "You know"),
        ("[`Type`], from", "From"),
    ] {
        assert_eq!(page_offences(&fine.replace(part, instead), &codes(&["S001"])).len(), 1, "{part}");
    }
    let outside = fine.replace("//! error[S001]\n", "").replace("Words.", "error[S001]");
    assert_eq!(page_offences(&outside, &codes(&["S001"])), ["S001: no example that shows it"]);
}

/// A message that names a line of ours does not help: there is nothing to mend.
#[test]
fn who_asked_is_never_the_schedule_itself() {
    for text in texts_below(&folder(), "txt") {
        for line in text.lines().filter(|line| line.contains(".rs:LINE")) {
            assert!(line.contains(" main.rs:LINE"), "every line in a snapshot is one of the tests: {line}");
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
