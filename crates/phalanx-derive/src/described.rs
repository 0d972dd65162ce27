//! `#[derive(Described)]`, and the same for what `#[derive(Component)]` is put on.
//!
//! ```text
//! impl Described for Car {
//!     fn describe(describer: &mut Describer) -> Kind {
//!         describer.fields::<Self>(&[Member::new("speed", Some(offset_of!(Self, speed)), Describing::<f32>::kind)])
//!     }
//!     fn fold_into(&self, folder: &mut Folder) {
//!         let Self { speed: field_0 } = self;
//!         Describing::<f32>::fold(field_0, folder);
//!     }
//! }
//! ```
//! A field's type need not be described: `kind` and `fold` exist twice, for what is and for everything, as `Cloning` does for components.

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Field, Input, Kind, Variant};
use crate::path::Private;
use crate::template::{comma_list, fill, text};
use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

pub(crate) const KNOWN: &[&str] = &["crate"];

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let span = input.name.span();
    if input.kind == Kind::Union {
        errors.add(span, "a union cannot be described: put it inside a struct");
        return TokenStream::new();
    }
    if !input.most_lifetimes(0, "a described type owns its data: no lifetimes", errors) {
        return TokenStream::new();
    }
    implementation(input, &Private::find(settings, errors))
}

/// What the functions do that describe a type and fold a value of it.
fn bodies(input: &Input, private: &Private) -> (TokenStream, TokenStream) {
    let span = input.name.span();
    if input.packed {
        // References to fields that are not aligned are refused by the compiler.
        (fill(span, "$private::Describer::opaque::<Self>()", &[("private", &private.at(span))]), TokenStream::new())
    } else if input.kind == Kind::Enum {
        (variants(&input.variants, private, span), fold_variants(&input.variants, private, span))
    } else {
        let members = members(&input.fields, true, private, span);
        let describe = fill(span, "describer.fields::<Self>(&[$members])", &[("members", &members)]);
        (describe, fold_fields(&input.fields, private, span))
    }
}

/// The same functions for a trait that has its own, so that a type can be described as well.
pub(crate) fn functions(input: &Input, private: &Private, describe: &str, fold: &str) -> TokenStream {
    let span = input.name.span();
    let (describing, folding) = bodies(input, private);
    fill(
        span,
        &format!(
            "#[allow(unused_imports, unused_variables, deprecated)]
            fn {describe}(describer: &mut $private::Describer) -> $private::Kind {{
                use $private::NotDescribed as _;
                $describing
            }}
            #[allow(unused_imports, unused_variables, deprecated)]
            fn {fold}(&self, folder: &mut $private::Folder) {{
                use $private::NotDescribed as _;
                $folding
            }}"
        ),
        &[("private", &private.at(span)), ("describing", &describing), ("folding", &folding)],
    )
}

/// The implementation of `Described`.
pub(crate) fn implementation(input: &Input, private: &Private) -> TokenStream {
    let span = input.name.span();
    let path = private.at(span);
    let (describe, fold) = bodies(input, private);
    let bounds = if input.generics.is_generic() { "Self: 'static" } else { "" };
    fill(
        span,
        "#[automatically_derived]
        #[allow(deprecated)]
        impl $declarations $private::Described for $name $arguments where $predicates $bounds {
            #[allow(unused_imports, unused_variables)]
            fn describe(describer: &mut $private::Describer) -> $private::Kind {
                use $private::NotDescribed as _;
                $describe
            }
            #[allow(unused_imports, unused_variables)]
            fn fold_into(&self, folder: &mut $private::Folder) {
                use $private::NotDescribed as _;
                $fold
            }
        }",
        &[
            ("declarations", &input.generics.declarations()),
            ("private", &path),
            ("name", &TokenTree::from(input.name.clone()).into()),
            ("arguments", &input.generics.arguments(None)),
            ("predicates", &input.generics.predicates),
            ("bounds", &fill(span, bounds, &[])),
            ("describe", &describe),
            ("fold", &fold),
        ],
    )
}

/// One `Member` per field. Only those of structs have places: Rust does not tell those of enums.
fn members(fields: &[Field], places: bool, private: &Private, span: Span) -> TokenStream {
    let member = |field: &Field| {
        let name = field.name.to_string();
        let offset = if places { "Some(::core::mem::offset_of!(Self, $field))" } else { "None" };
        fill(
            span,
            &format!(
                "$private::Member::new($name, ::core::option::Option::{offset}, $private::Describing::<$ty>::kind)"
            ),
            &[
                ("private", &private.at(span)),
                ("name", &text(name.strip_prefix("r#").unwrap_or(&name))),
                ("field", &field.name.clone().into()),
                ("ty", &field.ty),
            ],
        )
    };
    comma_list(span, &fields.iter().map(member).collect::<Vec<_>>())
}

fn variants(variants: &[Variant], private: &Private, span: Span) -> TokenStream {
    let variant = |variant: &Variant| {
        let name = variant.name.to_string();
        fill(
            span,
            "($name, &[$members])",
            &[
                ("name", &text(name.strip_prefix("r#").unwrap_or(&name))),
                ("members", &members(&variant.fields, false, private, span)),
            ],
        )
    };
    let list = comma_list(span, &variants.iter().map(variant).collect::<Vec<_>>());
    fill(span, "describer.variants::<Self>(&[$list])", &[("list", &list)])
}

/// `{ speed: field_0, 1: field_1 }`, and the calls that fold them.
fn fold_parts(fields: &[Field], private: &Private, span: Span) -> (TokenStream, TokenStream) {
    let (mut pattern, mut calls) = (TokenStream::new(), TokenStream::new());
    for (at, field) in fields.iter().enumerate() {
        let local = TokenTree::from(Ident::new(&format!("field_{at}"), Span::mixed_site())).into();
        let name = field.name.clone().into();
        pattern.extend(fill(span, "$name: $local,", &[("name", &name), ("local", &local)]));
        calls.extend(fill(
            span,
            "$private::Describing::<$ty>::fold($local, folder);",
            &[("private", &private.at(span)), ("ty", &field.ty), ("local", &local)],
        ));
    }
    (pattern, calls)
}

fn fold_fields(fields: &[Field], private: &Private, span: Span) -> TokenStream {
    let (pattern, calls) = fold_parts(fields, private, span);
    fill(span, "let Self { $pattern } = self; $calls", &[("pattern", &pattern), ("calls", &calls)])
}

fn fold_variants(variants: &[Variant], private: &Private, span: Span) -> TokenStream {
    if variants.is_empty() {
        return fill(span, "match *self {}", &[]);
    }
    let arm = |(at, variant): (usize, &Variant)| {
        let (pattern, calls) = fold_parts(&variant.fields, private, span);
        fill(
            span,
            "Self::$name { $pattern } => { folder.count($at); $calls }",
            &[
                ("name", &TokenTree::from(variant.name.clone()).into()),
                ("pattern", &pattern),
                ("at", &TokenTree::from(Literal::usize_suffixed(at)).into()),
                ("calls", &calls),
            ],
        )
    };
    let arms = variants.iter().enumerate().map(arm).collect();
    fill(span, "match self { $arms }", &[("arms", &arms)])
}
