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
use crate::input::Input;
use crate::path::Private;
use crate::query::replace;
use crate::template::{MOST, fill, tuple};
use proc_macro::{TokenStream, TokenTree};

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
    for (at, field) in input.fields.iter().enumerate() {
        let place = fill(field.span, &format!("part{at}"), &[]);
        asked.push(match &lifetime {
            Some(lifetime) => replace(field.ty.clone(), lifetime),
            None => field.ty.clone(),
        });
        values.extend(fill(field.span, "$field: $place,", &[("field", &field.name.clone().into()), ("place", &place)]));
        places.push(place);
    }
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
            #[inline(always)]
            fn take<$item>(
                state: & $item mut Self::State,
                turn: & $item $private::Turn<$item>,
            ) -> $private::Result<Self::Item<$item>, $private::ArgumentError> {
                let $places = <$asked as $private::Param>::take(state, turn)?;
                $private::Ok($name { $values })
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
        }",
        holes,
    )
}
