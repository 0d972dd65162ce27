//! Programs that must not build, one file per crime; the message a user sees stands beside each in a `.stderr` file.
//!
//! A message that changed on purpose is written anew with `TRYBUILD=overwrite cargo test -p phalanx-scene --test compile_fail`.

#![cfg(feature = "parallel")]

#[test]
fn roles_relations_and_prefabs_that_cannot_be_are_refused_with_a_readable_message() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
