//! `#[derive(Resource)]`.
//!
//! ```text
//! impl Resource for Gravity {
//!     const NAME: Option<&'static str> = Some("…");
//!     const KEY: Option<TypeKey> = Some(TypeKey::new(module_path!(), "Gravity", …));
//!     fn describe_resource(describer: &mut Describer) -> Kind { … }        as `Described` has them
//!     fn fold_resource(&self, folder: &mut Folder) { … }
//! }
//! ```

use crate::attributes::Settings;
use crate::component::key;
use crate::described::functions;
use crate::errors::Errors;
use crate::input::{Input, Kind};
use crate::path::Private;
use crate::template::fill;
use proc_macro::{TokenStream, TokenTree};

pub(crate) const KNOWN: &[&str] = &["name", "no_checksum", "crate"];

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let private = Private::find(settings, errors);
    implement(
        "Resource",
        "a resource",
        ["describe_resource", "fold_resource"],
        input,
        settings,
        &private,
        &TokenStream::new(),
        errors,
    )
}

/// The `impl` of a trait that has a name, a key and a description, and `items` of its own.
#[expect(clippy::too_many_arguments, reason = "it is one sentence, said twice")]
pub(crate) fn implement(
    name: &str,
    what: &str,
    [describe, fold]: [&str; 2],
    input: &Input,
    settings: &Settings,
    private: &Private,
    items: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let span = input.name.span();
    if input.kind == Kind::Union {
        errors.add(span, format!("a union cannot be {what}: put it inside a struct"));
        return TokenStream::new();
    }
    if !input.most_lifetimes(0, &format!("{what} owns its data: no lifetimes"), errors) {
        return TokenStream::new();
    }
    let mut items = items.clone();
    if let Some(name) = settings.text("name", &["…"], errors) {
        items.extend(fill(
            span,
            "const NAME: ::core::option::Option<&'static str> = ::core::option::Option::Some($name);",
            &[("name", &name.into())],
        ));
    }
    if settings.flag("no_checksum", errors) {
        items.extend(fill(span, "const CHECKSUM: bool = false;", &[]));
    }
    items.extend(functions(input, private, describe, fold));
    items.extend(key(input, private));
    // Without parameters the supertraits say the same, with a better message.
    let bounds =
        if input.generics.is_generic() { "Self: ::core::marker::Send + ::core::marker::Sync + 'static" } else { "" };
    fill(
        span,
        "#[automatically_derived]
        impl $declarations $private::$trait for $name $arguments where $predicates $bounds { $items }",
        &[
            ("declarations", &input.generics.declarations()),
            ("private", &private.at(span)),
            ("trait", &fill(span, name, &[])),
            ("name", &TokenTree::from(input.name.clone()).into()),
            ("arguments", &input.generics.arguments(None)),
            ("predicates", &input.generics.predicates),
            ("bounds", &fill(span, bounds, &[])),
            ("items", &items),
        ],
    )
}
