//! `#[derive(Param)]`: a struct is put together from what its fields ask for, as an argument of systems.
//!
//! ```text
//! impl<'w> Param for Fight<'w> {
//!     type State = <(Query<'static, …>, …) as Param>::State;
//!     type Item<'item> = Fight<'item>;
//!     fn take<'item>(state, turn) -> Result<Fight<'item>, …> { let (a, …) = <(Query<'static, …>, …) as Param>::take(state, turn)?; Ok(Fight { all: a, … }) }
//! }
//! ```

use crate::attributes::Settings;
use crate::errors::Errors;
use crate::input::{Field, Input, is};
use crate::path::Private;
use crate::query::replace;
use crate::template::{MOST, fill, tuple};
use proc_macro::{Span, TokenStream, TokenTree};

pub(crate) fn expand(input: &Input, settings: &Settings, errors: &mut Errors) -> TokenStream {
    let is_struct = input.must_be_struct("only a struct can be an argument: each of its fields is one", errors);
    let is_short = input.most_lifetimes(1, "an argument borrows from one run: at most one lifetime", errors);
    if !is_struct || !is_short {
        return TokenStream::new();
    }
    let span = input.name.span();
    let private = Private::of_schedule(settings, errors);
    let lifetime = input.generics.lifetimes().next().map(|param| param.name.to_string());
    let item = fill(span, "'__item", &[]);
    let (mut asked, mut places, mut values) = (Vec::new(), Vec::new(), TokenStream::new());
    let mut is_refused = false;
    for (at, field) in input.fields.iter().enumerate() {
        let place = fill(field.span, &format!("part{at}"), &[]);
        is_refused |= refuse_borrow(field, lifetime.as_deref(), errors);
        asked.push(match &lifetime {
            Some(lifetime) => replace(field.ty.clone(), lifetime),
            None => field.ty.clone(),
        });
        values.extend(fill(field.span, "$field: $place,", &[("field", &field.name.clone().into()), ("place", &place)]));
        places.push(place);
    }
    // With a field that is refused the compiler would have much to say about lifetimes, and all of it about this.
    let body = if is_refused {
        "::core::unreachable!()"
    } else {
        "let $places = <$asked as $private::Param>::take(state, turn)?;
        $private::Ok($name { $values })"
    };
    let holes: &[(&str, &TokenStream)] = &[
        ("declarations", &input.generics.declarations()),
        ("private", &private.at(span)),
        ("name", &TokenTree::from(input.name.clone()).into()),
        ("arguments", &input.generics.arguments(None)),
        ("answer", &input.generics.arguments(Some(&item))),
        ("predicates", &input.generics.predicates),
        ("item", &item),
        ("asked", &tuple(span, MOST, asked)),
        ("places", &tuple(span, MOST, places)),
        ("values", &values),
    ];
    let body = fill(span, body, holes);
    let holes: Vec<(&str, &TokenStream)> = holes.iter().copied().chain([("body", &body)]).collect();
    fill(
        span,
        "#[automatically_derived]
        impl $declarations $private::Param for $name $arguments where $predicates {
            type State = <$asked as $private::Param>::State;
            type Item<$item> = $name $answer;
            const DEFERS: bool = <$asked as $private::Param>::DEFERS;
            const MAIN: bool = <$asked as $private::Param>::MAIN;
            const LISTENS: bool = <$asked as $private::Param>::LISTENS;
            const USES: $private::Uses = <$asked as $private::Param>::USES;
            fn plan(plan: &mut $private::PlanBuilder<'_>) -> $private::Result<Self::State, $private::PlanError> {
                <$asked as $private::Param>::plan(plan)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn take<$item>(
                state: & $item mut Self::State,
                turn: & $item $private::Turn<$item>,
            ) -> $private::Result<Self::Item<$item>, $private::ArgumentError> {
                $body
            }
            fn has_changes(state: &Self::State) -> bool {
                <$asked as $private::Param>::has_changes(state)
            }
            fn apply(
                state: &mut Self::State,
                world: &mut $private::World,
            ) -> $private::Result<(), $private::CommandErrors> {
                <$asked as $private::Param>::apply(state, world)
            }
            fn apply_noting(
                state: &mut Self::State,
                world: &mut $private::World,
                applied: &mut $private::Applied,
            ) {
                <$asked as $private::Param>::apply_noting(state, world, applied)
            }
        }",
        &holes,
    )
}

/// Reports a field that says within its arguments how long something is borrowed, as in `Query<'w, &'w mut Health>`, and says whether it does.
fn refuse_borrow(field: &Field, lifetime: Option<&str>, errors: &mut Errors) -> bool {
    let Some(borrow) = find_borrow(field.ty.clone(), lifetime, 0, None) else { return false };
    let run = lifetime.unwrap_or("'w");
    let (instead, example) = match borrow.sign {
        Some(sign) => (format!("`&'static {sign}…`"), format!("`Query<{run}, &'static {sign}Health>`")),
        None => ("`'static`".to_owned(), format!("`Query<{run}, Body<'static>>`")),
    };
    errors.add(
        borrow.span,
        format!(
            "what is asked for does not say for how long: write {instead} here, as in {example}; the lifetime of the run, `{run}`, is that of the argument itself"
        ),
    );
    true
}

struct Borrow {
    span: Span,
    /// Of a reference, `mut ` or nothing; of any other lifetime `None`.
    sign: Option<&'static str>,
}

/// The first reference within angle brackets that lives as long as the struct, or in a query does not say how long; or the lifetime of the struct, deeper within a query than as its
/// own. `query` is how deep that query is.
fn find_borrow(
    tokens: TokenStream,
    lifetime: Option<&str>,
    mut depth: usize,
    mut query: Option<usize>,
) -> Option<Borrow> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_at = |at: usize, mark| tokens.get(at).is_some_and(|token| is(token, mark));
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let is_own = |at: usize| lifetime.and_then(|lifetime| lifetime.strip_prefix('\'')) == Some(&*word(at));
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '<' => {
                depth += 1;
                if at > 0 && word(at - 1) == "Query" {
                    query = query.or(Some(depth));
                }
            }
            // Of an arrow.
            TokenTree::Punct(mark) if mark.as_char() == '>' && at > 0 && is_at(at - 1, '-') => {}
            TokenTree::Punct(mark) if mark.as_char() == '>' => {
                depth = depth.saturating_sub(1);
                query = query.filter(|within| depth >= *within);
            }
            // What a function answers is its own, too.
            TokenTree::Punct(mark) if mark.as_char() == '&' && depth > 0 && !(at > 0 && is_at(at - 1, '>')) => {
                let named = is_at(at + 1, '\'');
                let sign = if word(if named { at + 3 } else { at + 1 }) == "mut" { "mut " } else { "" };
                if if named { is_own(at + 2) } else { query.is_some() } {
                    return Some(Borrow { span: mark.span(), sign: Some(sign) });
                }
            }
            TokenTree::Punct(mark)
                if mark.as_char() == '\'' && query.is_some_and(|within| depth > within) && is_own(at + 1) =>
            {
                return Some(Borrow { span: mark.span(), sign: None });
            }
            // What functions are given is theirs: `fn(&u32)`, `dyn Fn(&u32)`.
            TokenTree::Group(group) if at == 0 || word(at - 1).is_empty() => {
                let found = find_borrow(group.stream(), lifetime, depth, query);
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
}
