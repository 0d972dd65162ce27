//! What component types say about themselves.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, Described, DynValue, Kind, Schema, SchemaBody};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

fn schema_of<T: Component>() -> Schema {
    let mut world = World::new();
    let id = world.register::<T>();
    world.components().info(id).expect("registered").schema().clone()
}

#[derive(Described)]
struct Inner {
    flag: bool,
}

#[derive(Component)]
struct Everything {
    numbers: (u8, u16, u32, u64, i8, i16, i32, i64),
    wide: (u128, i128, usize, isize),
    floats: (f32, f64),
    letter: char,
    name: String,
    title: &'static str,
    owner: Entity,
    friends: Vec<Option<Entity>>,
    grid: [[f32; 3]; 2],
    inner: Box<Inner>,
    shared: Arc<str>,
    queue: VecDeque<()>,
    known: HashSet<u32>,
    prices: (HashMap<String, u8>, BTreeMap<char, bool>),
    id: std::num::NonZeroU32,
    r#type: u8,
}

#[test]
fn every_kind_is_found() {
    assert_eq!(
        schema_of::<Everything>().to_string(),
        "Everything { numbers: (u8, u16, u32, u64, i8, i16, i32, i64), wide: (u128, i128, usize, isize), floats: (f32, f64), \
         letter: char, name: String, title: String, owner: Entity, friends: Vec<Option<Entity>>, grid: [[f32; 3]; 2], \
         inner: Inner, shared: String, queue: Vec<()>, known: Set<u32>, prices: (Map<String, u8>, Map<char, bool>), id: u32, type: u8 }"
    );
    assert_eq!(schema_of::<Everything>().unseen(), [""; 0]);
}

#[test]
fn fields_lie_where_the_schema_says() {
    #[derive(Component)]
    struct Mixed {
        a: u8,
        b: u64,
        c: u16,
    }
    let schema = schema_of::<Mixed>();
    assert_eq!((schema.name(), schema.size(), schema.align()), ("Mixed", size_of::<Mixed>(), align_of::<Mixed>()));
    let value = Mixed { a: 1, b: 2, c: 3 };
    let start = (&raw const value).addr();
    for (name, place) in
        [("a", (&raw const value.a).addr()), ("b", (&raw const value.b).addr()), ("c", (&raw const value.c).addr())]
    {
        assert_eq!(schema.field(name).expect("a field").offset, Some(place - start), "{name}");
    }
    assert_eq!(schema.field("d"), None);
}

#[test]
fn tuples_tags_and_enums_have_schemas() {
    #[derive(Component)]
    struct Pair(u8, f32);
    #[derive(Component)]
    struct Tag;
    #[derive(Component)]
    #[repr(u8)]
    #[expect(dead_code, reason = "variants that nobody makes")]
    enum State {
        Idle,
        Walking(Entity, f32),
        Talking { to: Entity } = 5,
        Last = Option::<Result<u8, u16>>::None.is_none() as u8 + 7,
    }
    assert_eq!(schema_of::<Pair>().to_string(), "Pair { 0: u8, 1: f32 }");
    assert_eq!(schema_of::<Tag>().to_string(), "Tag");
    assert_eq!(
        schema_of::<State>().to_string(),
        "State: Idle | Walking { 0: Entity, 1: f32 } | Talking { to: Entity } | Last"
    );
    let schema = schema_of::<State>();
    let SchemaBody::Variants(variants) = schema.body() else { panic!("an enum") };
    assert!(variants.iter().flat_map(|v| &v.fields).all(|field| field.offset.is_none()));
}

#[test]
fn what_nobody_described_is_opaque_and_named() {
    struct Foreign;
    #[derive(Described)]
    struct Middle(Vec<Foreign>);
    #[derive(Component)]
    #[expect(dead_code, reason = "variants that nobody makes")]
    enum Odd {
        One { mutex: std::sync::Mutex<u8>, callback: fn(u8) -> usize },
        Two(Option<Middle>, u8),
    }
    assert_eq!(
        schema_of::<Odd>().unseen(),
        ["Odd::One.mutex: Mutex<u8>", "Odd::One.callback: fn(u8) -> usize", "Odd::Two.0.0: Vec<Foreign>"]
    );
    let _ = Foreign;
}

#[test]
fn a_type_inside_itself_ends() {
    #[derive(Component)]
    struct Tree {
        children: Vec<Tree>,
        parent: Option<Box<Tree>>,
    }
    assert_eq!(schema_of::<Tree>().to_string(), "Tree { children: Vec<Tree>, parent: Option<Tree> }");
    assert_eq!(schema_of::<Tree>().unseen(), [""; 0]);
    let mut world = World::new();
    let tree = |count: usize| Tree {
        children: (0..count).map(|_| Tree { children: vec![], parent: None }).collect(),
        parent: None,
    };
    let entity = world.spawn(tree(2));
    let before = world.checksum();
    world.insert(entity, tree(3)).expect("alive");
    assert_ne!(world.checksum(), before);
}

#[test]
fn a_generic_type_shows_what_its_bounds_tell() {
    #[derive(Component)]
    struct Stack<T> {
        items: Vec<T>,
        depth: u32,
    }
    #[derive(Component)]
    struct Known<T: Described, const N: usize>
    where
        T: Copy,
    {
        items: [T; N],
    }
    assert_eq!(schema_of::<Stack<u8>>().unseen(), ["Stack<u8>.items: Vec<u8>"]);
    assert_eq!(schema_of::<Stack<u8>>().field("depth").expect("a field").kind, Kind::U32);
    assert_eq!(schema_of::<Known<u8, 3>>().to_string(), "Known<u8, 3> { items: [u8; 3] }");
}

#[test]
fn a_packed_type_is_opaque() {
    #[derive(Component, Clone, Copy)]
    #[repr(C, packed)]
    struct Packed {
        a: u8,
        b: u32,
    }
    let packed = Packed { a: 1, b: 2 };
    assert_eq!((packed.a, { packed.b }), (1, 2));
    assert_eq!(schema_of::<Packed>().unseen(), ["Packed"]);
}

#[test]
fn a_component_written_by_hand_is_opaque() {
    struct ByHand;
    impl Component for ByHand {}
    assert_eq!(schema_of::<ByHand>().to_string(), "ByHand: not described");
}

#[test]
fn fields_of_a_type_made_at_run_time_are_placed() {
    let mut world = World::new();
    let inner = Schema::of::<Inner>();
    let layout = ComponentLayout::new("Hp")
        .field("alive", Kind::Bool)
        .field("value", Kind::F64)
        .field("pair", Kind::Tuple(vec![Kind::U8, Kind::U16]))
        .field("names", Kind::Array(Box::new(Kind::Char), 3))
        .field("inner", Kind::Type(Arc::new(inner)))
        .field("owner", Kind::Entity);
    let hp = world.register_dyn(layout.clone()).expect("plain");
    let schema = world.components().info(hp).expect("registered").schema();
    let offsets: Vec<_> = schema.fields().iter().filter_map(|field| field.offset).collect();
    assert_eq!((schema.size(), schema.align(), offsets), (48, 8, vec![0, 8, 16, 20, 32, 40]));
    assert_eq!(world.register_dyn(layout.clone()).expect("the same"), hp);

    let mut other = World::new();
    let entity = world.spawn(());
    world.insert_dyn(entity, hp, DynValue::bytes(&[7; 48])).expect("as many bytes");
    let moved = world.move_entity(entity, &mut other).expect("registered there too");
    let there = other.components().id_by_name("Hp").expect("came along");
    assert_eq!(
        other.components().info(there).expect("known").schema(),
        world.components().info(hp).expect("known").schema()
    );
    assert_eq!(other.get_dyn(moved, there).expect("came along").bytes(), Some(&[7; 48][..]));
}

#[test]
fn padding_of_a_type_made_at_run_time_does_not_count() {
    let mut world = World::new();
    let pair = ComponentLayout::new("Pair").field("a", Kind::U8).field("b", Kind::U16);
    let pair = world.register_dyn(pair).expect("plain");
    let entity = world.spawn(());
    let mut sum = |bytes: [u8; 4]| {
        world.insert_dyn(entity, pair, DynValue::bytes(&bytes)).expect("four bytes");
        world.checksum()
    };
    assert_eq!(sum([1, 0, 2, 3]), sum([1, 9, 2, 3]));
    assert_ne!(sum([1, 0, 2, 3]), sum([1, 0, 3, 2]));
    assert_ne!(sum([1, 0, 2, 3]), sum([2, 0, 2, 3]));
}
