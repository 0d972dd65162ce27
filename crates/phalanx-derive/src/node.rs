//! `#[derive(Node)]`: a query that is also a role in a scene.
//!
//! ```text
//! impl Terms for Drawn<'_> { … }                                   as `#[derive(Query)]` writes it
//! impl Node for Drawn<'_> { type Excluded = (Without<Hidden>,); const NAME: &str = "Drawn"; }
//! ```

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Input, is};
use crate::path::Private;
use crate::query;
use crate::template::{MOST, fill, text, tuple};
use proc_macro::{TokenStream, TokenTree};

const KNOWN: &[&str] = &["without", "name", "crate"];

pub(crate) fn expand(declaration: TokenStream, errors: &mut Errors) -> TokenStream {
    let input = Input::read(declaration.clone(), "query", errors);
    let settings = Settings::read(&input.attributes, "query", &["crate"], errors);
    let mut output = query::expand(&input, &settings, errors);

    let own = Input::read(declaration, "node", &mut Errors::default());
    for field in own.fields.iter().filter(|field| !field.attributes.is_empty()) {
        errors.add(field.span, "`#[node(…)]` stands above the struct; what a field asks for is said by `#[query(…)]`");
    }
    let settings = Settings::read(&own.attributes, "node", KNOWN, errors);
    let span = own.name.span();
    let scene = Private::of_scene(&settings, errors).at(span);
    let mut excluded = Vec::new();
    for entry in settings.list("without", errors) {
        if entry.value.is_some() {
            errors.add(entry.span, "write `without(A, B)`: what is not there has no value");
        }
        let ty = entry.ty.to_string();
        if own.fields.iter().any(|field| required(&field.ty).is_some_and(|required| required.to_string() == ty)) {
            errors.add(entry.span, format!("a node cannot require `{ty}` and be without it: leave one of them out"));
        }
        excluded.push(fill(entry.span, "$scene::Without<$ty>", &[("scene", &scene), ("ty", &entry.ty)]));
    }
    let name = settings.text("name", &["Drawn"], errors);
    let name = name.map_or_else(|| text(&own.name.to_string()), TokenStream::from);
    output.extend(fill(
        span,
        "#[automatically_derived]
        impl $declarations $scene::Node for $name $arguments where $predicates {
            type Excluded = $excluded;
            const NAME: &'static str = $called;
        }",
        &[
            ("declarations", &own.generics.declarations()),
            ("scene", &scene),
            ("name", &TokenTree::from(own.name.clone()).into()),
            ("arguments", &own.generics.arguments(None)),
            ("predicates", &own.generics.predicates),
            ("excluded", &tuple(span, MOST, excluded)),
            ("called", &name),
        ],
    ));
    output
}

/// `T` of `&'w T` and `&'w mut T`.
fn required(ty: &TokenStream) -> Option<TokenStream> {
    let mut tokens = ty.clone().into_iter().peekable();
    if !is(&tokens.next()?, '&') {
        return None;
    }
    if tokens.peek().is_some_and(|token| is(token, '\'')) {
        tokens.nth(1);
    }
    if tokens.peek().is_some_and(|token| token.to_string() == "mut") {
        tokens.next();
    }
    Some(tokens.collect())
}
