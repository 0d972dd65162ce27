//! `#[derive(Plain)]`: a struct shows the scalars of its fields, one field after the other.
//!
//! ```text
//! impl Plain for Position {
//!     type Scalar = <f32 as Plain>::Scalar;
//!     fn visit_scalars(&self, visit: &mut impl FnMut(&Self::Scalar)) { <f32 as Field<Self::Scalar>>::visit(&self.x, visit); … }
//!     fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut Self::Scalar)) { <f32 as Field<…>>::visit_mut(&mut self.x, visit); … }
//! }
//! const _: () = assert!(offset_of!(Position, x) == 0, …);
//! ```
//! The compiler may put fields in another order than declared. The core would notice at run time; the assertion
//! notices in `cargo check`.

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::Input;
use crate::path::Private;
use crate::template::{fill, text};
use proc_macro::{TokenStream, TokenTree};

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let span = input.name.span();
    if !input.must_be_struct("only a struct can be plain: all its fields are scalars of one kind, always there", errors)
    {
        return TokenStream::new();
    }
    let Some(first) = input.fields.first() else {
        errors.add(span, "a plain type has at least one scalar; this struct is empty");
        return TokenStream::new();
    };
    if !input.most_lifetimes(0, "a plain type is made of scalars only: no lifetimes", errors) {
        return TokenStream::new();
    }
    let private = Private::find(settings, errors);
    let name: TokenStream = TokenTree::from(input.name.clone()).into();
    let message =
        text(&format!("the compiler would lay out the fields of `{}` in another order: add `#[repr(C)]`", input.name));

    let (mut visits, mut visits_mut, mut checks) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for field in &input.fields {
        let holes: &[(&str, &TokenStream)] = &[
            ("ty", &field.ty),
            ("field", &field.name.clone().into()),
            ("name", &name),
            ("message", &message),
            ("private", &private.at(field.span)),
        ];
        visits.extend(fill(field.span, "<$ty as $private::Field<Self::Scalar>>::visit(&self.$field, visit);", holes));
        visits_mut.extend(fill(
            field.span,
            "<$ty as $private::Field<Self::Scalar>>::visit_mut(&mut self.$field, visit);",
            holes,
        ));
        checks.extend(fill(
            field.span,
            "::core::assert!(::core::mem::offset_of!($name, $field) == next, $message);
            next += ::core::mem::size_of::<$ty>();",
            holes,
        ));
    }

    let scalar = fill(
        first.span,
        "<$ty as $private::Plain>::Scalar",
        &[("ty", &first.ty), ("private", &private.at(first.span))],
    );
    let mut output = fill(
        span,
        "#[automatically_derived]
        impl $declarations $private::Plain for $name $arguments where $predicates $bounds {
            type Scalar = $scalar;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars(&self, visit: &mut impl ::core::ops::FnMut(&Self::Scalar)) { $visits }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars_mut(&mut self, visit: &mut impl ::core::ops::FnMut(&mut Self::Scalar)) { $visits_mut }
        }",
        &[
            ("declarations", &input.generics.declarations()),
            ("private", &private.at(span)),
            ("name", &name),
            ("arguments", &input.generics.arguments(None)),
            ("predicates", &input.generics.predicates),
            (
                "bounds",
                &fill(span, if input.generics.is_generic() { "Self: ::core::marker::Copy + 'static" } else { "" }, &[]),
            ),
            ("scalar", &scalar),
            ("visits", &visits),
            ("visits_mut", &visits_mut),
        ],
    );
    if !input.generics.is_generic() {
        output.extend(fill(
            span,
            "const _: () = { let mut next = 0; $checks ::core::assert!(::core::mem::size_of::<$name>() == next, $padding); };",
            &[("checks", &checks), ("name", &name), ("padding", &text(&format!("`{}` has padding, which is no scalar: remove `align`, or add a field in its place", input.name)))],
        ));
    }
    output
}
