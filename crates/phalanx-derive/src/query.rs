//! `#[derive(Query)]`: a struct is put together from the answers to its fields.
//!
//! ```text
//! impl<'w> Terms for Body<'w> {
//!     type Parts = <(&'static mut Position, …) as Terms>::Parts;
//!     type Item<'item> = Body<'item>;
//!     fn assemble<'item>(parts: …) -> Body<'item> { let (a, …) = <(&'static mut Position, …) as Terms>::assemble(parts); Body { position: a, … } }
//! }
//! const _: () = refuse_conflicts::<<Body<'static> as Terms>::Parts>();
//! ```
//! The fields are asked for as one tuple, in one place: a field that is no term is reported once.
//!
//! A field asks for what its type says, unless an attribute says it: `#[query(Has<Shield>)] shielded: bool`.
//!
//! What a field asks for does not depend on how long its answer lives, so the lifetime of the struct becomes `'static`
//! wherever a field's type is only a question.

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Field, Input, is};
use crate::path::Private;
use crate::template::{MOST, fill, tuple};
use proc_macro::{Group, Span, TokenStream, TokenTree};

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let is_struct = input.must_be_struct("only a struct can be a query: each of its fields is a term", errors);
    let is_short = input.most_lifetimes(1, "a query borrows from one world: at most one lifetime", errors);
    let lifetime = input.generics.lifetimes().next().map(|param| param.name.to_string());
    let questions: Vec<TokenStream> =
        input.fields.iter().filter_map(|field| question(field, lifetime.as_deref(), errors)).collect();
    let is_answer = questions.len() == input.fields.len();
    if !is_struct || !is_short || !is_answer {
        return TokenStream::new();
    }
    let span = input.name.span();
    let private = Private::find(settings, errors);
    let forever = fill(span, "'static", &[]);
    let item = fill(span, "'__item", &[]);

    let (mut terms, mut places, mut values) = (Vec::new(), Vec::new(), TokenStream::new());
    for (at, (field, question)) in input.fields.iter().zip(&questions).enumerate() {
        let place = fill(field.span, &format!("part{at}"), &[]);
        let holes: &[(&str, &TokenStream)] = &[
            ("ty", question),
            ("field", &field.name.clone().into()),
            ("place", &place),
            ("private", &private.at(field.span)),
        ];
        terms.push(question.clone());
        values.extend(fill(field.span, "$field: $place,", holes));
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
        ("terms", &tuple(span, MOST, terms)),
        ("places", &tuple(span, MOST, places)),
        ("values", &values),
    ];
    let mut output = fill(
        span,
        "#[automatically_derived]
        impl $declarations $private::Terms for $name $arguments where $predicates {
            type Parts = <$terms as $private::Terms>::Parts;
            type Item<$item> = $name $answer;
            type Slice<$item> = <$terms as $private::Terms>::Slice<$item>;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn assemble<$item>(parts: <Self::Parts as $private::Part>::Item<$item>) -> Self::Item<$item> {
                let $places = <$terms as $private::Terms>::assemble(parts);
                $name { $values }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn assemble_slice<$item>(slices: <Self::Parts as $private::Part>::Slice<$item>) -> Self::Slice<$item> {
                <$terms as $private::Terms>::assemble_slice(slices)
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

/// What a field asks for: what its attribute says, or else what its type says. What is wrong with either is reported.
fn question(field: &Field, lifetime: Option<&str>, errors: &mut Errors) -> Option<TokenStream> {
    let question = match &field.attributes[..] {
        [] if refuse_static(field, lifetime, errors) || refuse_question(field, errors) => return None,
        [] => field.ty.clone(),
        [attribute] => match attribute.clone().into_iter().nth(1) {
            Some(TokenTree::Group(term)) if !term.stream().is_empty() => with_lifetimes(term.stream()),
            _ => {
                let message = "write `#[query(…)]` with a term inside, as in `#[query(Has<Shield>)]`";
                errors.add(span_of_first(attribute), message);
                return None;
            }
        },
        [_, second, ..] => {
            errors.add(span_of_first(second), "a field asks for one term: leave one `#[query(…)]` out");
            return None;
        }
    };
    Some(match lifetime {
        Some(lifetime) => replace(question, lifetime),
        None => question,
    })
}

fn span_of_first(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Makes `&T` a `&'static T`: what is only a question need not say how long its answer lives.
fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let span = token.span();
        let is_elided = is(&token, '&') && !tokens.peek().is_some_and(|next| is(next, '\''));
        if let TokenTree::Group(group) = token {
            let mut inside = Group::new(group.delimiter(), with_lifetimes(group.stream()));
            inside.set_span(span);
            out.extend([TokenTree::Group(inside)]);
        } else {
            out.extend([token]);
        }
        if is_elided {
            out.extend(fill(span, "'static", &[]));
        }
    }
    out
}

/// Reports a field whose type is a question with another answer, and says whether it is.
fn refuse_question(field: &Field, errors: &mut Errors) -> bool {
    // The name of a path such as `phalanx_ecs::Has<A>`.
    let path = field.ty.clone().into_iter().take_while(|token| !is(token, '<'));
    let tokens: Vec<TokenTree> = path.collect();
    let is_path = tokens.iter().all(|token| matches!(token, TokenTree::Ident(_)) || is(token, ':'));
    let name = tokens.last().map(ToString::to_string).unwrap_or_default();
    let answer = match name.as_str() {
        "Has" => "a `bool`",
        "AnyOf" => "a tuple of `Option`s",
        _ => return false,
    };
    // A type of that name that has a lifetime is somebody's own.
    let is_own = field.ty.clone().into_iter().nth(tokens.len() + 1).is_none_or(|token| is(&token, '\''));
    if !is_path || is_own {
        return false;
    }
    errors.add(
        field.span,
        format!("`{name}<…>` yields {answer}: give the field that type, and write `#[query({name}<…>)]` above it"),
    );
    true
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
pub(crate) fn replace(tokens: TokenStream, lifetime: &str) -> TokenStream {
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
