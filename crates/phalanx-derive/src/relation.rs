//! `#[derive(Relation)]`: a component that keeps ties.
//!
//! ```text
//! #[component(immutable, check, left_out_of(moves), on_insert = tie::<Self>, …)]      as if it were written so
//! impl Component for Follows { … }
//! impl Check for Follows { fn check(…) { check_one(world, wishes) } }
//! impl Relation for Follows { const MANY: bool = false; const TARGET_ENDS: TargetEnds = TargetEnds::Remove; }
//! impl RelationOne for Follows { fn target(&self) -> Entity { self.0 } }
//! ```
//!
//! Whether the struct is `Copy` no derive can see. A function that asks for it in our words stands first, and each `impl` is for the case that it is: `where for<'a> Follows: Copy`, which
//! the compiler does not look into before somebody uses it. So who forgets it is told once.

use crate::attributes::{Settings, unquote};
use crate::component;
use crate::errors::Errors;
use crate::input::Input;
use crate::path::Private;
use crate::template::fill;
use proc_macro::{TokenStream, TokenTree};

const KNOWN: &[&str] = &["many", "target_ends", "crate"];

pub(crate) fn expand(declaration: TokenStream, errors: &mut Errors) -> TokenStream {
    let input = Input::read(declaration.clone(), "relation", errors);
    let settings = Settings::read(&input.attributes, "relation", KNOWN, errors);
    let span = input.name.span();
    if !input.must_be_struct("only a struct can be a relation", errors) {
        return TokenStream::new();
    }
    if input.generics.is_generic() {
        errors.add(span, "a relation is not generic: declare one for each");
        return TokenStream::new();
    }
    let scene = Private::of_scene(&settings, errors).at(span);
    let many = settings.flag("many", errors);
    let ends = match settings.text("target_ends", &["remove", "despawn", "keep"], errors) {
        None => "Remove",
        Some(text) => match unquote(&text).as_deref() {
            Some("remove") => "Remove",
            Some("despawn") => "Despawn",
            Some("keep") => "Keep",
            _ => {
                errors.add(text.span(), "write `target_ends = \"remove\"`, `\"despawn\"` or `\"keep\"`");
                "Remove"
            }
        },
    };
    let Some(own) = own_items(&input, many, errors) else { return TokenStream::new() };

    // What `#[component(…)]` says of it besides.
    let mut component = Input::read(declaration, "component", &mut Errors::default());
    let name = TokenStream::from(TokenTree::from(input.name.clone()));
    component.generics.predicates = fill(span, "for<'copied> $name: ::core::marker::Copy,", &[("name", &name)]);
    let mut attributes = component.attributes.clone();
    let (left_out, hooks, check) = if many {
        (
            "moves, clones",
            "on_insert = $scene::settle::<Self>, on_remove = $scene::cut::<Self>, validate = $scene::validate::<Self>",
            "check_many",
        )
    } else {
        (
            "moves",
            "on_insert = $scene::tie::<Self>, on_replace = $scene::cut::<Self>, on_remove = $scene::cut::<Self>, validate = $scene::validate_one::<Self>",
            "check_one",
        )
    };
    let text = format!("component(immutable, check, left_out_of({left_out}), {hooks})");
    attributes.push(fill(span, &text, &[("scene", &scene)]));
    let component_settings = Settings::read(&attributes, "component", component::KNOWN, errors);
    let copied = &component.generics.predicates;
    let mut output = fill(
        span,
        "const _: () = {
            const fn is_copied<T: $scene::CopiedRelation>() {}
            is_copied::<$name>();
        };",
        &[("scene", &scene), ("name", &name)],
    );
    output.extend(component::expand(&component, &component_settings, errors));
    output.extend(fill(
        span,
        &format!(
            "#[automatically_derived]
            impl $scene::Check for $name where $copied {{
                fn check(
                    world: &$scene::World,
                    wishes: &[$scene::Wish<Self>],
                ) -> ::core::result::Result<(), ::std::boxed::Box<dyn ::core::error::Error + ::core::marker::Send + ::core::marker::Sync>> {{
                    $scene::{check}(world, wishes)
                }}
            }}
            #[automatically_derived]
            impl $scene::Relation for $name where $copied {{
                const MANY: bool = {many};
                const TARGET_ENDS: $scene::TargetEnds = $scene::TargetEnds::{ends};
            }}
            #[automatically_derived]
            $own"
        ),
        &[
            ("scene", &scene),
            ("name", &name),
            ("copied", copied),
            ("own", &fill(span, &own.0, &[("scene", &scene), ("name", &name), ("copied", copied), ("field", &own.1)])),
        ],
    ));
    output
}

/// What is only for one target, or only for many; with the field that names the target.
fn own_items(input: &Input, many: bool, errors: &mut Errors) -> Option<(String, TokenStream)> {
    if many {
        if let Some(field) = input.fields.first() {
            errors.add(field.span, "a relation to many has no fields: the world keeps who is related to whom");
            return None;
        }
        return Some((
            "impl $scene::RelationMany for $name where $copied { const TAG: Self = Self {}; }".into(),
            TokenStream::new(),
        ));
    }
    let is_target = |ty: &TokenStream| ty.clone().into_iter().last().is_some_and(|last| last.to_string() == "Entity");
    let mut targets = input.fields.iter().filter(|field| is_target(&field.ty));
    match (targets.next(), targets.next()) {
        (Some(field), None) => Some((
            "impl $scene::RelationOne for $name where $copied { fn target(&self) -> $scene::Entity { self.$field } }"
                .into(),
            field.name.clone().into(),
        )),
        (None, _) => {
            errors.add(
                input.name.span(),
                "a relation names its target by a field of type `Entity`; one to many has no fields and says `#[relation(many)]`",
            );
            None
        }
        (Some(_), Some(second)) => {
            errors.add(second.span, "a relation has one target: of its fields one is an `Entity`");
            None
        }
    }
}
