//! Programs that must not build, one file per crime; the message a user sees stands beside each in a `.stderr` file.
//!
//! ```text
//! compile_fail/*.rs         `cargo check` refuses them: traits, derives
//! compile_fail/build/*.rs   only a build refuses them: constants that are worked out per type (`const { … }` in a generic function)
//! compile_fail/pass/*.rs    what those do, without the crime
//! ```
//!
//! A message that changed on purpose is written anew with `TRYBUILD=overwrite cargo test -p phalanx-schedule --test compile_fail`.

#![cfg(feature = "parallel")]

/// Without a program that passes, trybuild only checks.
#[test]
fn what_is_no_system_is_refused_with_a_readable_message() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// With a program that passes, trybuild builds.
#[test]
fn systems_whose_arguments_get_in_each_others_way_and_conditions_that_change_something_do_not_build() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/pass/*.rs");
    cases.compile_fail("tests/compile_fail/build/*.rs");
}
