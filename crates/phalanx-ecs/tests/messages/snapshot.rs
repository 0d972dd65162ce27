//! Comparing a text with a file.

use std::cell::RefCell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::PathBuf;
use std::sync::Once;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/snapshots"))
}

/// Compares a message with `snapshots/<name>.txt`.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a reference sign at every call says nothing")]
pub(crate) fn says(name: &str, message: impl ToString) {
    let found = normalise(&message.to_string()) + "\n";
    let file = folder().join(name).with_extension("txt");
    if std::env::var_os("PHALANX_BLESS").is_some() {
        fs::write(&file, found).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let expected =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("no snapshot `{name}` ({error}) of\n{found}"));
    assert!(
        found == expected.replace("\r\n", "\n"),
        "`{name}` says\n{found}\nand not\n{expected}\nhelp: PHALANX_BLESS=1 writes it anew"
    );
}

/// What the panic in `f` says, under the place it points to.
#[track_caller]
pub(crate) fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    // Empty while listening, then the place of the panic.
    thread_local!(static HEARD: RefCell<Option<String>> = const { RefCell::new(None) });
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            let text = format!("{}", panic.location().expect("panics have a place"));
            let heard = HEARD.with_borrow_mut(|heard| heard.as_mut().map(|heard| *heard = text));
            if heard.is_none() {
                before(panic);
            }
        }));
    });
    HEARD.set(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(f));
    let place = HEARD.take().expect("still listening");
    let Err(payload) = result else { panic!("no panic") };
    let message = match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a message")).to_owned(),
    };
    format!("panicked at {place}:\n{message}")
}

/// Places (`path/file.rs:12:5`) as `file.rs:LINE` for files of these tests, as `src/file.rs:LINE` for those of the core.
fn normalise(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        match word.split_once(".rs:") {
            Some((path, rest)) => {
                let path = path.replace('\\', "/");
                let path = ["phalanx-ecs/tests/messages/", "phalanx-ecs/"]
                    .into_iter()
                    .find_map(|root| path.rsplit_once(root).map(|(_, path)| path.to_owned()))
                    .unwrap_or_else(|| path.trim_start_matches("tests/messages/").to_owned());
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let rest = rest.strip_prefix(':').map_or(rest, |rest| {
                    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    if after.len() < rest.len() { after } else { ":" }
                });
                out.extend([&path, ".rs:LINE", rest]);
            }
            None => out += word,
        }
    }
    out
}

#[test]
fn places_lose_their_lines_and_keep_their_files() {
    assert_eq!(normalise("at /x/phalanx-ecs/tests/messages/entity.rs:12\n  by"), "at entity.rs:LINE\n  by");
    assert_eq!(normalise("at crates/phalanx-ecs/src/world/spawn.rs:12:5:\nx"), "at src/world/spawn.rs:LINE:\nx");
    assert_eq!(normalise("tests/messages/query.rs:7 5:3"), "query.rs:LINE 5:3");
}
