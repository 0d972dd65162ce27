//! `#[derive(Query)]`: a struct is put together from the answers to its fields.
//!
//! ```text
//! impl<'w> Terms for Body<'w> {
//!     type Parts = (<&'static mut Position as Terms>::Parts, …);
//!     type Item<'item> = Body<'item>;
//!     fn assemble<'item>(parts: …) -> Body<'item> { let (a, …) = parts; Body { position: <&'static mut Position as Terms>::assemble(a), … } }
//! }
//! const _: () = refuse_conflicts::<<Body<'static> as Terms>::Parts>();
//! ```
//! What a field asks for does not depend on how long its answer lives, so the lifetime of the struct becomes `'static`
//! wherever a field's type is only a question.

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Field, Input, is};
use crate::path::Private;
use crate::template::{fill, tuple};
use proc_macro::{Group, TokenStream, TokenTree};

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let is_struct = input.must_be_struct("only a struct can be a query: each of its fields is a term", errors);
    let is_short = input.most_lifetimes(1, "a query borrows from one world: at most one lifetime", errors);
    let lifetime = input.generics.lifetimes().next().map(|param| param.name.to_string());
    let is_borrowed =
        input.fields.iter().filter(|field| refuse_static(field, lifetime.as_deref(), errors)).count() == 0;
    if !is_struct || !is_short || !is_borrowed {
        return TokenStream::new();
    }
    let span = input.name.span();
    let private = Private::find(settings, errors);
    let forever = fill(span, "'static", &[]);
    let item = fill(span, "'__item", &[]);

    let (mut parts, mut places, mut values) = (Vec::new(), Vec::new(), TokenStream::new());
    for (at, field) in input.fields.iter().enumerate() {
        let question = match &lifetime {
            Some(lifetime) => replace(field.ty.clone(), lifetime),
            None => field.ty.clone(),
        };
        let place = fill(field.span, &format!("part{at}"), &[]);
        let holes: &[(&str, &TokenStream)] = &[
            ("ty", &question),
            ("field", &field.name.clone().into()),
            ("place", &place),
            ("private", &private.at(field.span)),
        ];
        parts.push(fill(field.span, "<$ty as $private::Terms>::Parts", holes));
        values.extend(fill(field.span, "$field: <$ty as $private::Terms>::assemble($place),", holes));
        places.push(place);
    }

    let holes: &[(&str, &TokenStream)] = &[
        ("declarations", &input.generics.declarations()),
        ("private", &private.at(span)),
        ("name", &TokenTree::from(input.name.clone()).into()),
        ("arguments", &input.generics.arguments(None)),
        ("forever", &input.generics.arguments(Some(&forever))),
        ("answer", &input.generics.arguments(Some(&item))),
        ("predicates", &input.generics.predicates),
        ("item", &item),
        ("parts", &tuple(span, parts)),
        ("places", &tuple(span, places)),
        ("values", &values),
    ];
    let mut output = fill(
        span,
        "#[automatically_derived]
        impl $declarations $private::Terms for $name $arguments where $predicates {
            type Parts = $parts;
            type Item<$item> = $name $answer;
            #[inline(always)]
            fn assemble<$item>(parts: <Self::Parts as $private::Part>::Item<$item>) -> Self::Item<$item> {
                let $places = parts;
                $name { $values }
            }
        }",
        holes,
    );
    if !input.generics.is_generic() {
        output.extend(fill(
            span,
            "const _: () = $private::refuse_conflicts::<<$name $forever as $private::Terms>::Parts>();",
            holes,
        ));
    }
    output
}

/// Reports a field that borrows for longer than the struct, and says whether it does.
fn refuse_static(field: &Field, lifetime: Option<&str>, errors: &mut Errors) -> bool {
    let start: Vec<TokenTree> = field.ty.clone().into_iter().take(3).collect();
    if let [and, tick, name] = &start[..]
        && is(and, '&')
        && is(tick, '\'')
        && name.to_string() == "static"
    {
        let lifetime = lifetime.unwrap_or("'w");
        errors.add(
            name.span(),
            format!("an answer borrows from the world: write `&{lifetime} …` and declare `{lifetime}` at the struct"),
        );
        return true;
    }
    false
}

/// Makes every `lifetime` a `'static`.
fn replace(tokens: TokenStream, lifetime: &str) -> TokenStream {
    let mut after_tick = false;
    let mut out = TokenStream::new();
    for token in tokens {
        let was_tick = std::mem::replace(&mut after_tick, is(&token, '\''));
        let span = token.span();
        match token {
            TokenTree::Ident(name) if was_tick && lifetime.strip_prefix('\'') == Some(&name.to_string()) => {
                out.extend([TokenTree::Ident(proc_macro::Ident::new("static", span))]);
            }
            TokenTree::Group(group) => {
                let mut replaced = Group::new(group.delimiter(), replace(group.stream(), lifetime));
                replaced.set_span(span);
                out.extend([TokenTree::Group(replaced)]);
            }
            other => out.extend([other]),
        }
    }
    out
}
