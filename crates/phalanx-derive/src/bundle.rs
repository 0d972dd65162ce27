//! `#[derive(Bundle)]`: a struct turns into the tuple of its fields and back.
//!
//! ```text
//! impl Bundle for Knight {
//!     type Parts = (<Health as Bundle>::Parts, <Name as Bundle>::Parts);
//!     fn into_parts(self) -> Self::Parts { (<Health as Bundle>::into_parts(self.health), …) }
//!     fn from_parts(parts: Self::Parts) -> Self { let (a, b) = parts; Self { health: <Health as Bundle>::from_parts(a), … } }
//! }
//! const _: () = refuse_duplicates(…);
//! ```

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::Input;
use crate::path::Private;
use crate::template::{MOST_PARTS, fill, tuple};
use proc_macro::{TokenStream, TokenTree};

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let is_struct =
        input.must_be_struct("only a struct can be a bundle: each of its fields is a component or a bundle", errors);
    let is_owned = input.most_lifetimes(0, "a bundle owns its components: no lifetimes", errors);
    if !is_struct || !is_owned {
        return TokenStream::new();
    }
    let span = input.name.span();
    let private = Private::find(settings, errors);
    let (mut types, mut apart, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let (mut together, mut bounds, mut keys) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for (at, field) in input.fields.iter().enumerate() {
        let place = fill(field.span, &format!("part{at}"), &[]);
        let holes: &[(&str, &TokenStream)] = &[
            ("ty", &field.ty),
            ("field", &field.name.clone().into()),
            ("place", &place),
            ("private", &private.at(field.span)),
        ];
        types.push(fill(field.span, "<$ty as $private::Bundle>::Parts", holes));
        apart.push(fill(field.span, "<$ty as $private::Bundle>::into_parts(self.$field)", holes));
        together.extend(fill(field.span, "$field: <$ty as $private::Bundle>::from_parts($place),", holes));
        bounds.extend(fill(field.span, "$ty: $private::Bundle,", holes));
        keys.extend(fill(
            field.span,
            ".join(<<$ty as $private::Bundle>::Parts as $private::BundleParts>::KEYS)",
            holes,
        ));
        places.push(place);
    }
    if input.generics.is_generic() {
        bounds.extend(fill(span, "Self: 'static", &[]));
    } else {
        bounds = TokenStream::new();
    }

    let name = TokenTree::from(input.name.clone()).into();
    let mut output = fill(
        span,
        "#[automatically_derived]
        #[allow(clippy::unused_unit)]
        impl $declarations $private::Bundle for $name $arguments where $predicates $bounds {
            type Parts = $types;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn into_parts(self) -> Self::Parts { $apart }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_parts(parts: Self::Parts) -> Self {
                let $places = parts;
                Self { $together }
            }
        }",
        &[
            ("declarations", &input.generics.declarations()),
            ("private", &private.at(span)),
            ("name", &name),
            ("arguments", &input.generics.arguments(None)),
            ("predicates", &input.generics.predicates),
            ("bounds", &bounds),
            ("types", &tuple(span, MOST_PARTS, types)),
            ("apart", &tuple(span, MOST_PARTS, apart)),
            ("places", &tuple(span, MOST_PARTS, places)),
            ("together", &together),
        ],
    );
    if !input.generics.is_generic() {
        output.extend(fill(
            span,
            "const _: () = $private::refuse_duplicates($private::KeyList::EMPTY $keys);",
            &[("private", &private.at(span)), ("keys", &keys)],
        ));
    }
    output
}
