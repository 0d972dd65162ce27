//! Mistakes in a declaration, each with its place.
//!
//! They are collected, not returned: a derive carries on where it can, so the user sees all of them in one build, and a
//! type with a misspelt attribute is still a component for the code that uses it.

use crate::template::{fill, text};
use proc_macro::{Span, TokenStream};

#[derive(Default)]
pub(crate) struct Errors(Vec<(Span, String)>);

impl Errors {
    pub(crate) fn add(&mut self, at: Span, message: impl Into<String>) {
        self.0.push((at, message.into()));
    }

    /// One `compile_error!` per mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let to_tokens = |(at, message): (Span, String)| {
            fill(at, "::core::compile_error! { $message }", &[("message", &text(&message))])
        };
        self.0.into_iter().map(to_tokens).collect()
    }
}
