//! Programs that must not compile, one file per crime; the message a user sees stands beside each in a `.stderr` file.
//!
//! ```text
//! compile_fail/*.rs         `cargo check` refuses them: borrows, traits, derives
//! compile_fail/build/*.rs   only a build does: constants that are worked out per type (`const { … }` in a generic function)
//! compile_fail/pass/*.rs    what those in `build` do, without the crime
//! ```
//!
//! No message shows a place in the standard library (`$RUST`): it would differ with and without the `rust-src` component. Hence
//! `#[track_caller]` on constant functions that refuse.
//! A message that changed on purpose is written anew with `TRYBUILD=overwrite cargo test -p phalanx-ecs --test compile_fail`.

#![cfg(feature = "parallel")]

/// Without a program that passes, trybuild only checks, and checks all programs at once.
#[test]
fn crimes_that_a_check_shows_are_refused_with_a_readable_message() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// With a program that passes, trybuild builds.
#[test]
fn crimes_that_only_a_build_shows_are_refused_with_a_readable_message() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/pass/*.rs");
    cases.compile_fail("tests/compile_fail/build/*.rs");
}
