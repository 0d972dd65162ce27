//! `#[derive(Event)]`.
//!
//! ```text
//! impl Event for Hit {
//!     const RETENTION: Retention = Retention::Last(100);
//!     const KEY: Option<TypeKey> = Some(TypeKey::new(module_path!(), "Hit", …));
//! }
//! ```

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Input, span_of};
use crate::path::Private;
use crate::resource::implement;
use crate::template::fill;
use proc_macro::TokenStream;

pub(crate) const KNOWN: &[&str] = &["keep_updates", "keep_last", "keep_forever", "name", "no_checksum", "crate"];

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let private = Private::find(settings, errors);
    let items = retention(input, settings, &private, errors);
    implement("Event", "an event", ["describe_event", "fold_event"], input, settings, &private, &items, errors)
}

/// The constant that says for how long events are kept, if an attribute does.
fn retention(input: &Input, settings: &Settings, private: &Private, errors: &mut Errors) -> TokenStream {
    let span = input.name.span();
    let mut kept = Vec::new();
    for (name, kind, shown) in [("keep_updates", "Updates", "3"), ("keep_last", "Last", "100")] {
        if let Some(value) = settings.expression(name, shown, errors) {
            let at = span_of(&value);
            let value = value.into_iter().collect();
            kept.push(fill(
                at,
                &format!("$private::Retention::{kind}($value)"),
                &[("private", &private.at(at)), ("value", &value)],
            ));
        }
    }
    if settings.flag("keep_forever", errors) {
        kept.push(fill(span, "$private::Retention::Forever", &[("private", &private.at(span))]));
    }
    if kept.len() > 1 {
        errors.add(span, "an event is kept in one way: leave one of `keep_updates`, `keep_last` and `keep_forever`");
    }
    let Some(kept) = kept.first() else { return TokenStream::new() };
    fill(span, "const RETENTION: $private::Retention = $kept;", &[("private", &private.at(span)), ("kept", kept)])
}
