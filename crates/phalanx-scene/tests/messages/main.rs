//! Every message of nodes, scenes, hierarchies and prefabs, compared with `snapshots/*.txt` word for word.
//!
//! A message that changed on purpose is written anew with `PHALANX_BLESS=1 cargo test -p phalanx-scene --test messages`.

#![cfg(not(miri))]

mod codes;
mod nodes;
mod prefabs;
mod trees;
#[path = "../../../phalanx-schedule/tests/behaviours/warnings.rs"]
mod warnings;

use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/snapshots"))
}

/// Compares a message with `snapshots/<name>.txt`; lines of files are left out of it.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a reference sign at every call says nothing")]
fn says(name: &str, message: impl ToString) {
    let mut found = String::new();
    for word in message.to_string().split_inclusive(char::is_whitespace) {
        match word.split_once(".rs:") {
            Some((path, rest)) => {
                let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
                found += file;
                found += ".rs:LINE";
                found += rest.trim_start_matches(|c: char| c.is_ascii_digit());
            }
            None => found += word,
        }
    }
    found += "\n";
    let file = folder().join(name).with_extension("txt");
    if std::env::var_os("PHALANX_BLESS").is_some() {
        fs::write(&file, found).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let expected =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("no snapshot `{name}` ({error}) of\n{found}"));
    assert!(found == expected.replace("\r\n", "\n"), "`{name}` says\n{found}\nand not\n{expected}");
}
