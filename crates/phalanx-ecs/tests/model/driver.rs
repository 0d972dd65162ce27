//! Applies an operation to a real world and to a naive one, and compares what they answer and what they are.
//!
//! Where the order of entities decides something (who is despawned first, and so whose index comes back first), the real world is asked for
//! its walking order before; that the *set* is right is checked, and that the operation keeps to that order too.

use super::components::Event;
use super::components::*;
use super::naive::{self, Naive, Row};
use super::ops::{Config, Op, Slice};
use super::shapes::{self, Predicted, Shape, matches};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    CloneError, Columns, ComponentId, DynError, DynQuery, DynValue, EntitiesFull, EntityMut, InsertError, LookupError,
    SpawnError, Spawned, TakeError, TransferError,
};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A fuse for the next operation.
type Fuse = Option<(Event, u32)>;

/// A run-time query that stays, and its terms: kind and what is asked of it.
type Kept = (Vec<(usize, Ask)>, bool, DynQuery);

/// A real world and its naive twin.
struct Pair {
    world: World,
    naive: Naive,
    /// The kinds of the component ids, as far as they are known.
    kinds: Vec<usize>,
    /// Handles that were alive once; the oldest are forgotten.
    known: Vec<Entity>,
    next_known: usize,
    kept: Vec<Kept>,
}

/// What a term of a run-time query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Read,
    Write,
    MaybeRead,
    MaybeWrite,
    With,
    Without,
}

/// Two pairs of worlds, and what is needed to compare them.
pub struct Driver {
    pairs: [Pair; 2],
    current: usize,
    crowd: usize,
    shapes: Vec<Box<dyn Shape>>,
    /// Every bundle gets the next number, and makes its values from it.
    seed: u32,
    fuse: Fuse,
    /// Whether everything is compared after each operation.
    thorough: bool,
    /// What may be spent on comparing.
    budget: usize,
}

/// Calls `f` with a filter type under a name.
macro_rules! with_filter {
    ($filter:expr, $name:ident => $block:expr) => {
        match $filter % 9 {
            0 => {
                type $name = ();
                $block
            }
            1 => {
                type $name = With<Num>;
                $block
            }
            2 => {
                type $name = Without<Owned>;
                $block
            }
            3 => {
                type $name = (With<Flag>, Without<Seal>);
                $block
            }
            4 => {
                type $name = With<Burn>;
                $block
            }
            5 => {
                type $name = Or<(With<Wide>, With<Chill>)>;
                $block
            }
            6 => {
                type $name = Without<Curse>;
                $block
            }
            7 => {
                type $name = Or<(With<Wide>, With<Needy>)>;
                $block
            }
            _ => {
                type $name = (With<Num>, Exact);
                $block
            }
        }
    };
}

/// Runs a call with a lit fuse; `None` if the fuse has blown, and the panic came through.
fn guarded<R>(fuse: Fuse, call: impl FnOnce() -> R) -> Option<R> {
    let (result, blown) = lit(fuse, call);
    assert!(result.is_none() == blown, "a panic of the user's code was swallowed");
    result
}

/// Runs a call with a lit fuse; `None` if the panic came through, and whether the fuse has blown.
fn lit<R>(fuse: Fuse, call: impl FnOnce() -> R) -> (Option<R>, bool) {
    if let Some((event, after)) = fuse {
        light(event, after);
    }
    let result = catch_unwind(AssertUnwindSafe(call));
    let blown = put_out();
    match result {
        Ok(result) => (Some(result), blown),
        Err(panic) if panic.is::<Blown>() => (None, blown),
        Err(panic) => resume_unwind(panic),
    }
}

fn is_event(fuse: Fuse, event: Event) -> bool {
    fuse.is_some_and(|(lit, _)| lit == event)
}

/// An iterator whose size hint is not what it yields.
struct Hinted<I>(I, usize);

impl<I: Iterator> Iterator for Hinted<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, None)
    }
}

impl Pair {
    fn new(setup: naive::Setup) -> Self {
        let mut builder = World::builder().layout(setup.layout).min_free(setup.min_free);
        if let Some(limit) = setup.limit {
            builder = builder.limit(limit);
        }
        Self {
            world: builder.build(),
            naive: Naive::new(setup),
            kinds: Vec::new(),
            known: Vec::new(),
            next_known: 0,
            kept: Vec::new(),
        }
    }

    fn remember(&mut self, entity: Entity) {
        const MOST: usize = 256;
        if self.known.len() < MOST {
            self.known.push(entity);
        } else {
            self.known[self.next_known % MOST] = entity;
            self.next_known += 1;
        }
    }

    fn born(&mut self, entity: Entity, row: Row) {
        self.naive.born(entity, row);
        self.remember(entity);
    }

    fn all_born(&mut self, spawned: &Spawned, rows: Vec<Row>) {
        assert_eq!(spawned.len(), rows.len(), "as many entities as rows");
        assert_eq!(spawned.iter().rev().collect::<Vec<_>>(), spawned.to_vec().into_iter().rev().collect::<Vec<_>>());
        for (at, row) in rows.into_iter().enumerate() {
            self.born(spawned.get(at).expect("within the length"), row);
        }
    }

    fn check_full(&self, full: &EntitiesFull) {
        assert_eq!(full.alive, self.naive.rows.len(), "{full}");
        assert_eq!(Some(full.limit), self.naive.setup.limit, "{full}");
    }

    /// The id of a kind, registered now if it is new.
    fn id(&mut self, kind: usize) -> ComponentId {
        if kind < FIRST_DYN {
            with_kind!(kind, T => self.world.register::<T>())
        } else {
            self.world.register_dyn(dyn_layout(kind)).expect("always the same layout")
        }
    }

    /// The kind that an id stands for.
    fn kind(&mut self, id: ComponentId) -> usize {
        while self.kinds.len() < self.world.components().len() {
            let info = self.world.components().iter().nth(self.kinds.len()).expect("within the length");
            let kind = NAMES.iter().position(|name| *name == info.name()).expect("a component of the model");
            self.kinds.push(kind);
        }
        self.kinds[id.index()]
    }

    fn value(&self, entity: Entity, kind: usize, id: ComponentId) -> Option<u32> {
        let found = self.world.get_dyn(entity, id)?;
        Some(if kind < FIRST_DYN {
            with_kind!(kind, T => found.downcast::<T>().expect("a value of the type").value())
        } else {
            dyn_value(kind, found.bytes().expect("a type made at run time"))
        })
    }

    /// What a living entity of the real world has.
    fn read(&mut self, entity: Entity) -> Row {
        let signature = self.world.signature(entity).unwrap_or_else(|error| panic!("{error}"));
        let mut row = Row::new();
        for id in signature {
            let kind = self.kind(id);
            let value = self.value(entity, kind, id).unwrap_or_else(|| panic!("{entity} lacks {}", NAMES[kind]));
            assert_eq!(row.insert(kind, value), None, "{} is in the signature of {entity} twice", NAMES[kind]);
        }
        row
    }

    /// After a panic in the middle of many changes: each entity is as it was at one of these moments, whole.
    fn adopt(&mut self, moments: BTreeMap<u32, Vec<Row>>) {
        for (index, rows) in moments {
            let entity = self.naive.rows[&index].0;
            let now = self.read(entity);
            assert!(rows.contains(&now), "{entity} has {now:?}, which is none of {rows:?}");
            self.naive.row_mut(entity).expect("alive").clone_from(&now);
        }
    }

    /// Buries, in order, those that are dead in the real world: after a panic, the first few.
    fn bury_dead(&mut self, order: &[Entity], all: bool) {
        for entity in order {
            if self.naive.is_alive(*entity) {
                if self.world.is_alive(*entity) {
                    assert!(!all, "{entity} should be dead");
                    break;
                }
                self.naive.bury(entity.index());
            }
        }
    }

    /// The entities of a filter in walking order; checked against the naive world.
    fn walking_order<F: Predicted>(&mut self) -> Vec<Entity> {
        let order: Vec<Entity> = self.world.query_filtered::<Entity, F>().iter().collect();
        let mut set = order.clone();
        set.sort();
        let rows = self.naive.rows.values();
        let must: Vec<Entity> = rows.filter(|(_, row)| matches::<Entity, F>(row)).map(|(entity, _)| *entity).collect();
        assert_eq!(set, must, "the entities of a filter");
        order
    }

    fn compare(&mut self) {
        if let Err(broken) = self.world.validate() {
            panic!("{broken}");
        }
        let stats = self.world.stats().entities;
        assert_eq!(self.world.alive(), self.naive.rows.len(), "alive");
        assert_eq!(stats.free, self.naive.free_count(), "free");
        assert_eq!(stats.retired, self.naive.retired_count(), "retired");
        assert_eq!(stats.highest_generation, self.naive.highest_generation, "highest generation");
        assert_eq!(stats.highest_index.map_or(0, |index| index as usize + 1), self.naive.issued(), "indices issued");
        assert!(self.world.entities().eq(self.naive.rows.values().map(|(entity, _)| *entity)), "the living");
        for entity in &self.known {
            assert_eq!(self.world.is_alive(*entity), self.naive.is_alive(*entity), "{entity} is alive");
        }
        let living: Vec<Entity> = self.naive.rows.values().map(|(entity, _)| *entity).collect();
        for entity in living {
            let real = self.read(entity);
            let naive = self.naive.row(entity).expect("alive");
            assert!(real == *naive, "{entity} has {}, and should have {}", named(&real), named(naive));
        }
    }
}

fn named(row: &Row) -> String {
    let parts: Vec<String> = row.iter().map(|(kind, value)| format!("{} {value}", NAMES[*kind])).collect();
    format!("[{}]", parts.join(", "))
}

fn made<K: Kit>(seed: u32) -> Row {
    let mut row = Row::new();
    naive::insert(&mut row, &K::parts(seed));
    row
}

impl Driver {
    pub fn new(config: Config, thorough: bool) -> Self {
        reset();
        Self {
            pairs: config.worlds.map(Pair::new),
            current: 0,
            crowd: if cfg!(miri) { 8 } else { config.crowd },
            shapes: shapes::shapes(),
            seed: 0,
            fuse: None,
            thorough,
            budget: 0,
        }
    }

    /// Compares everything, drops both worlds, and counts what is left.
    pub fn finish(mut self) {
        self.compare();
        drop(self.pairs);
        assert_eq!(faults(), Vec::<String>::new());
        assert_eq!(alive(), (0, [0; KINDS]), "values were leaked");
    }

    fn compare(&mut self) {
        for pair in &mut self.pairs {
            pair.compare();
        }
        let (first, second) = (self.pairs[0].naive.census(), self.pairs[1].naive.census());
        let mut counted = first.1;
        for (sum, more) in counted.iter_mut().zip(second.1) {
            *sum += more;
        }
        assert_eq!(faults(), Vec::<String>::new());
        assert_eq!(
            alive(),
            (first.0 + second.0, counted),
            "values that are alive, against values that belong to an entity"
        );
    }

    fn pair(&mut self) -> &mut Pair {
        &mut self.pairs[self.current]
    }

    fn next_seed(&mut self) -> u32 {
        self.seed += 1;
        self.seed.wrapping_mul(0x9E37_79B9)
    }

    /// An entity: mostly a living one; else one that was alive once, one of the other world, or one that never was.
    fn pick(&self, pick: u16) -> Entity {
        let pair = &self.pairs[self.current];
        let far = usize::from(pick >> 4);
        let never = Entity::from_parts(u32::from(pick) + 3_000_000, u32::from(pick & 1)).expect("in range");
        match pick & 15 {
            0 if !pair.known.is_empty() => pair.known[far % pair.known.len()],
            1 if far.is_multiple_of(8) => never,
            1 if far % 8 == 1 => {
                let foreign = self.pairs[1 - self.current].naive.rows.values().next();
                foreign.map_or(never, |(entity, _)| Entity::from_bits(entity.to_bits()).expect("bits of an entity"))
            }
            _ => {
                let issued = pair.naive.issued();
                let from = u32::try_from(far * issued / 4096).expect("an index");
                let rows = &pair.naive.rows;
                rows.range(from..).next().or_else(|| rows.iter().next()).map_or(never, |(_, (entity, _))| *entity)
            }
        }
    }

    fn pick_many(&self, pick: u16, count: usize) -> Vec<Entity> {
        (0..count).map(|i| self.pick(pick.wrapping_add(u16::try_from(i * 2731 % 65536).expect("16 bits")))).collect()
    }

    /// A count that keeps the world at its size.
    fn batch(&self, count: u8) -> usize {
        let alive = self.pairs[self.current].naive.rows.len();
        match (usize::from(count), self.crowd) {
            (count, crowd) if alive >= crowd => count % 2,
            (count, 0..10) => count % 6,
            (count, 0..1000) => count,
            (count, _) => count * 16,
        }
    }

    /// The entities of one table, in walking order.
    fn table(&mut self, pick: u16) -> Vec<Entity> {
        let mut query = self.pair().world.query::<Entity>();
        let tables: Vec<Vec<Entity>> = query.chunks().map(|slice| slice.iter().collect()).collect();
        if tables.is_empty() { Vec::new() } else { tables[usize::from(pick) % tables.len()].clone() }
    }

    fn slice(&mut self, slice: Slice, pick: u16) -> Vec<Entity> {
        let mut entities = match slice {
            Slice::Picked => return self.pick_many(pick, usize::from(pick % 7)),
            _ => self.table(pick),
        };
        match slice {
            Slice::PartOfTable => drop(entities.pop()),
            Slice::TableAndRepeat => entities.extend(entities.first().copied()),
            Slice::Reversed => entities.reverse(),
            Slice::Picked | Slice::Table => {}
        }
        entities
    }

    /// Does an operation to both worlds.
    pub fn apply(&mut self, op: Op) {
        let fuse = self.fuse.take();
        match op {
            Op::Fuse { event, after } => self.fuse = Some((event, after.into())),
            Op::Other => self.current = 1 - self.current,
            Op::Spawn { kit } => with_kit!(kit, K => self.spawn::<K>(fuse)),
            Op::SpawnBatch { kit, count, hint } => with_kit!(kit, K => self.spawn_batch::<K>(count, hint, fuse)),
            Op::SpawnColumns { kit, count, uneven } => self.spawn_columns(kit, count, uneven, fuse),
            Op::Reserve { kit, count } => with_kit!(kit, K => self.pair().world.reserve::<K>(count.into())),
            Op::Despawn { pick } => self.despawn(pick, fuse),
            Op::DespawnBatch { pick, count } => self.despawn_batch(pick, count, fuse),
            Op::Insert { pick, kit } => with_kit!(kit, K => self.insert::<K>(pick, fuse)),
            Op::InsertIfNew { pick, kind } => with_kind!(kind.into(), T => self.insert_if_new::<T>(pick)),
            Op::Replace { pick, kind } => with_kind!(kind.into(), T => self.replace::<T>(pick)),
            Op::Remove { pick, kit } => with_kit!(kit, K => self.remove::<K>(pick, fuse)),
            Op::Take { pick, kit } => with_kit!(kit, K => self.take::<K>(pick)),
            Op::Retain { pick, kit } => with_kit!(kit, K => self.retain::<K>(pick, fuse)),
            Op::Edit { pick, first, second, script } => self.edit(pick, first, second, script),
            Op::InsertWhere { filter, kit, with } => with_filter!(filter, F => {
                with_bulk_kit!(kit, K => self.insert_where::<F, K>(with, fuse));
            }),
            Op::RemoveWhere { filter, kit } => with_filter!(filter, F => {
                with_bulk_kit!(kit, K => self.remove_where::<F, K>(fuse));
            }),
            Op::DespawnWhere { filter } => with_filter!(filter, F => self.despawn_where::<F>(fuse)),
            Op::InsertBatch { slice, pick, kit, short } => {
                let entities = self.slice(slice, pick);
                with_kit!(kit, K => self.insert_batch::<K>(&entities, short, fuse));
            }
            Op::RemoveBatch { slice, pick, kit } => {
                let entities = self.slice(slice, pick);
                with_kit!(kit, K => self.remove_batch::<K>(&entities, fuse));
            }
            Op::Clone { pick, partly } => self.clone_entity(pick, partly, fuse),
            Op::Move { pick } => self.move_entity(pick),
            Op::Clear => self.clear(fuse),
            Op::Shrink => self.pair().world.shrink(),
            Op::Reclaim => self.reclaim(),
            Op::InsertDyn { pick, kind, wrong } => self.insert_dyn(pick, kind.into(), wrong, fuse),
            Op::RemoveDyn { pick, kind } => self.remove_dyn(pick, kind.into(), fuse),
            Op::SetDyn { pick, kind } => self.set_dyn(pick, kind.into()),
            Op::SpawnBuilder { kinds } => self.spawn_builder(kinds, fuse),
            Op::InsertBuilder { pick, kinds } => self.insert_builder(pick, kinds, fuse),
            Op::SparseMut { pick, kind, count } => match kind {
                0 => self.sparse_mut::<Burn>(pick, count),
                1 => self.sparse_mut::<Chill>(pick, count),
                _ => self.sparse_mut::<Curse>(pick, count),
            },
            Op::Set { pick, kind } => with_kind!(kind.into(), T => self.set::<T>(pick)),
            Op::Look { pick, kind } => with_kind!(kind.into(), T => self.look::<T>(pick)),
            Op::Query { shape, mode, pick, write } => self.query(shape, mode, pick, write),
            Op::Chunks { shape } => self.chunks(shape),
            Op::Cross { shape } => self.cross(shape),
            Op::DynQuery { terms, exact, kept } => self.dyn_query(terms, exact, kept),
            Op::Generation { pick, below_last } => self.generation(pick, below_last),
        }
        let faults = faults();
        assert!(faults.is_empty(), "{faults:?}");
        // Under Miri everything takes a thousand times as long.
        self.budget += if cfg!(miri) { 1 } else { 12 };
        let cost = self.pairs.iter().map(|pair| pair.naive.rows.len() + pair.naive.issued() / 16 + 8).sum();
        if self.thorough || self.budget >= cost {
            self.budget = 0;
            self.compare();
        }
    }

    fn spawn<K: Kit>(&mut self, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let room = pair.naive.room();
        match guarded(fuse, || pair.world.try_spawn(<K as Kit>::make(seed))) {
            Some(Ok(entity)) => {
                assert!(room > 0, "spawned past the limit");
                pair.born(entity, made::<K>(seed));
            }
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None if room == 0 => {}
            None => {
                // The id was handed out before the required value was made, and goes back.
                assert!(is_event(fuse, Event::Require));
                let (index, _) = pair.naive.alloc();
                pair.naive.bury(index);
            }
        }
    }

    fn spawn_batch<K: Kit>(&mut self, count: u8, hint: u8, fuse: Fuse) {
        let seed = self.next_seed();
        let count = self.batch(count);
        let pair = self.pair();
        let room = pair.naive.room();
        let least = [0, count / 2, count, count + 5][usize::from(hint)];
        let bundles = (0..count).map(|i| {
            happens(Event::Make);
            <K as Kit>::make(seed.wrapping_add(u32::try_from(i).expect("small")))
        });
        let rows: Vec<Row> =
            (0..count).map(|i| made::<K>(seed.wrapping_add(u32::try_from(i).expect("small")))).collect();
        let (result, blown) = lit(fuse, || pair.world.try_spawn_batch(Hinted(bundles, least)));
        match result {
            Some(Ok(spawned)) => {
                assert!(!blown, "a panic of the user's code was swallowed");
                assert!(count <= room, "spawned past the limit");
                pair.all_born(&spawned, rows);
            }
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert!(count > room || least > room, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None => self.half_a_batch::<K>(fuse, &rows),
        }
    }

    /// A batch that ended in a panic leaves nothing; only ids may have been handed out and taken back.
    fn half_a_batch<K: Kit>(&mut self, fuse: Fuse, rows: &[Row]) {
        let naive = &mut self.pair().naive;
        if !is_event(fuse, Event::Require) {
            return;
        }
        let mut kinds = Vec::new();
        K::kinds(&mut kinds);
        let made_per_row = rows[0].len() - kinds.len();
        let at = fuse.expect("lit").1 as usize / made_per_row;
        let mut ids: Vec<u32> = rows.iter().map(|_| naive.alloc().0).collect();
        // The one that failed goes back first, then those before it and those behind it, in order.
        let failed = ids.remove(at);
        naive.bury(failed);
        for index in ids {
            naive.bury(index);
        }
    }

    fn spawn_columns(&mut self, kit: u8, count: u8, uneven: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let count = self.batch(count);
        let extra = usize::from(uneven);
        fn column<T: Kind>(seed: u32, count: usize) -> Vec<T> {
            (0..count).map(|i| Kit::make(seed.wrapping_add(u32::try_from(i).expect("small")))).collect()
        }
        match kit % 7 {
            0 => self.columns::<(Num, Owned), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Num>(seed, count), column::<Owned>(seed, count + extra)),
            ),
            1 => {
                let (first, second) = (column::<Root>(seed, count), column::<Num>(seed, count + extra));
                self.columns::<(Root, Num), _>(seed, count, uneven, fuse, (&first[..], &second[..]));
            }
            2 => self.columns::<(Flag, Num), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Flag>(seed, count), column::<Num>(seed, count + extra)),
            ),
            3 => self.columns::<(Burn, Num), _>(
                seed,
                count,
                uneven,
                fuse,
                (column::<Burn>(seed, count), column::<Num>(seed, count + extra)),
            ),
            4 => self.columns::<(Needy,), _>(seed, count, false, fuse, (column::<Needy>(seed, count),)),
            5 => {
                let row = |i: u32| seed.wrapping_add(i);
                let seals: [Seal; 3] = [0, 1, 2].map(|i| Kit::make(row(i)));
                let wides: [Wide; 3] = [0, 1, 2].map(|i| Kit::make(row(i)));
                self.columns::<(Seal, Wide), _>(seed, 3, false, fuse, (seals, wides));
            }
            _ => {
                let wides: [Wide; 4] = [0, 1, 2, 3].map(|i| Kit::make(seed.wrapping_add(i)));
                let owned = column::<Owned>(seed, 4 + extra);
                self.columns::<(Wide, Owned), _>(seed, 4, uneven, fuse, (wides, owned));
            }
        }
    }

    fn columns<K: Kit, C: Columns>(&mut self, seed: u32, count: usize, uneven: bool, fuse: Fuse, columns: C) {
        let pair = self.pair();
        let room = pair.naive.room();
        let rows: Vec<Row> =
            (0..count).map(|i| made::<K>(seed.wrapping_add(u32::try_from(i).expect("small")))).collect();
        // As with batches of rows: where the answer is a refusal, it may come in the place of a panic of what is dropped.
        let (result, blown) = lit(fuse, || pair.world.spawn_columns(columns));
        match result {
            Some(Ok(spawned)) => {
                assert!(!blown, "a panic of the user's code was swallowed");
                assert!(!uneven && count <= room, "spawned what should be refused");
                pair.all_born(&spawned, rows);
            }
            Some(Err(SpawnError::Uneven { first, length, position, .. })) => {
                assert!(uneven && (first, length, position) == (count, count + 1, 1));
            }
            Some(Err(SpawnError::Full { 0: full, .. })) => {
                assert!(count > room, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            None if uneven || count > room => {}
            None => self.half_a_batch::<K>(fuse, &rows),
        }
    }

    fn despawn(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let alive = pair.naive.is_alive(entity);
        match guarded(fuse, || pair.world.despawn(entity)) {
            Some(result) => assert_eq!(result.is_ok(), alive, "despawn {entity}"),
            None => assert!(alive),
        }
        if alive {
            pair.naive.bury(entity.index());
        }
    }

    fn despawn_batch(&mut self, pick: u16, count: u8, fuse: Fuse) {
        let mut entities = self.pick_many(pick, count.into());
        entities.extend(entities.first().copied());
        let pair = self.pair();
        match guarded(fuse, || pair.world.despawn_batch(entities.iter().copied())) {
            None => pair.bury_dead(&entities, false),
            Some(result) => {
                let (mut killed, mut missing) = (0, Vec::new());
                for entity in &entities {
                    if pair.naive.is_alive(*entity) {
                        pair.naive.bury(entity.index());
                        killed += 1;
                    } else {
                        missing.push(*entity);
                    }
                }
                match result {
                    Ok(despawned) => assert_eq!((despawned, missing.len()), (killed, 0)),
                    Err(error) => {
                        assert_eq!(error.despawned, killed);
                        assert_eq!(error.missing.iter().map(|dead| dead.entity).collect::<Vec<_>>(), missing);
                    }
                }
            }
        }
    }

    fn insert<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.insert(entity, <K as Kit>::make(seed)));
        if result.is_none() && is_event(fuse, Event::Require) {
            return; // nothing changes
        }
        match pair.naive.row_mut(entity) {
            Some(row) => {
                assert!(!matches!(result, Some(Err(_))), "insert into {entity} was refused");
                naive::insert(row, &K::parts(seed));
            }
            None => assert!(!matches!(result, Some(Ok(()))), "insert into dead {entity}"),
        }
    }

    fn insert_if_new<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = pair.world.insert_if_new(entity, <T as Kit>::make(seed));
        match pair.naive.row_mut(entity) {
            None => assert!(matches!(result, Err(InsertError::Dead { .. }))),
            Some(row) => {
                let new = !row.contains_key(&T::KIND);
                assert_eq!(result.ok(), Some(new), "insert_if_new");
                if new {
                    naive::insert(row, &T::parts(seed));
                }
            }
        }
    }

    fn replace<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = pair.world.replace(entity, <T as Kit>::make(seed));
        match pair.naive.row_mut(entity) {
            None => assert!(matches!(result, Err(InsertError::Dead { .. }))),
            Some(row) => {
                let old = result.unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(old.map(|old| old.value()), row.get(&T::KIND).copied(), "the old value");
                naive::insert(row, &T::parts(seed));
            }
        }
    }

    fn remove<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.remove::<K>(entity));
        match pair.naive.row_mut(entity) {
            None => assert!(matches!(result, Some(Err(InsertError::Dead { .. })))),
            Some(row) => {
                let removed = strip::<K>(row);
                if let Some(result) = result {
                    assert_eq!(result, Ok(removed), "remove from {entity}");
                }
            }
        }
    }

    fn take<K: Kit>(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let mut kinds = Vec::new();
        K::kinds(&mut kinds);
        let result = pair.world.take::<K>(entity);
        match (result, pair.naive.row_mut(entity)) {
            (Err(TakeError::Dead { .. }), None) => {}
            (Err(TakeError::Absent { missing, .. }), Some(row)) => {
                let absent: Vec<&str> = kinds.iter().filter(|k| !row.contains_key(k)).map(|k| NAMES[*k]).collect();
                assert!(!absent.is_empty() && missing == absent, "{missing:?} is missing, expected {absent:?}");
            }
            (Ok(bundle), Some(row)) => {
                // The values are looked at where they are easy to look at: in a world of their own.
                let mut other =
                    Pair::new(naive::Setup { limit: None, min_free: 0, layout: phalanx_ecs::HandleLayout::Wide });
                let taken: Row = kinds.iter().map(|kind| (*kind, row.remove(kind).expect("it was there"))).collect();
                let carrier = other.world.spawn(bundle);
                let mut real = other.read(carrier);
                real.retain(|kind, _| kinds.contains(kind)); // required ones came along
                assert_eq!(real, taken, "what was taken from {entity}");
            }
            (Ok(_), None) => panic!("something was taken from dead {entity}"),
            (Err(error), _) => panic!("{error}"),
        }
    }

    fn retain<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let mut kinds = Vec::new();
        K::kinds(&mut kinds);
        let result = guarded(fuse, || pair.world.retain::<K>(entity));
        match pair.naive.row_mut(entity) {
            None => assert!(matches!(result, Some(Err(_)))),
            Some(row) => {
                let before = row.len();
                row.retain(|kind, _| kinds.contains(kind));
                if let Some(result) = result {
                    assert_eq!(result.ok(), Some(before - row.len()), "retain");
                }
            }
        }
    }

    /// Several changes of one entity as one. The last word on each component counts.
    fn edit(&mut self, pick: u16, first: u8, second: u8, script: u8) {
        let (entity, seed, again) = (self.pick(pick), self.next_seed(), self.next_seed());
        let pair = self.pair();
        let Ok(mut editor) = pair.world.entity_mut(entity) else {
            assert!(!pair.naive.is_alive(entity), "{entity} is alive");
            return;
        };
        assert_eq!(editor.id(), entity);
        let row = pair.naive.row_mut(entity).unwrap_or_else(|| panic!("{entity} is dead"));
        // A chain of edits does what the edits would do one by one.
        let mut staged = row.clone();
        let steps: &[(bool, u8, u32)] = match script % 6 {
            0 => &[(true, first, seed), (false, second, 0)],
            1 => &[(false, first, 0), (true, second, seed)],
            2 => &[(true, first, seed), (true, second, again)],
            3 => &[(true, first, seed), (false, second, 0), (true, first, again)],
            4 => &[(false, first, 0), (false, second, 0)],
            _ => &[(false, first, 0), (true, first, seed), (false, second, 0)],
        };
        for (at, (insert, kit, seed)) in steps.iter().enumerate() {
            with_kit!(*kit, K => {
                let parts = K::parts(*seed);
                if *insert {
                    insert_made::<K>(&mut editor, *seed);
                    naive::insert(&mut staged, &parts);
                } else {
                    editor.remove::<K>();
                    for (kind, _) in parts {
                        staged.remove(&kind);
                    }
                }
            });
            if script & 32 != 0 && at == 0 {
                *row = staged.clone();
                assert_eq!(editor.get::<Num>().map(Kind::value), row.get(&0).copied(), "get while editing");
                assert_eq!(editor.has::<Burn>(), row.contains_key(&7), "has while editing");
            }
        }
        if script >> 6 == 3 {
            editor.despawn();
            pair.naive.bury(entity.index());
        } else {
            if script & 64 == 0 {
                editor.apply();
            }
            drop(editor);
            *row = staged;
        }
    }

    fn insert_where<F: Predicted, K: Kit + Clone>(&mut self, with: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let mut order = pair.walking_order::<F>();
        let seed_of = |entity: Entity| if with { seed.wrapping_add(entity.index()) } else { seed };
        let mut moments = BTreeMap::new();
        for entity in &order {
            let before = pair.naive.row(*entity).expect("alive").clone();
            let mut after = before.clone();
            naive::insert(&mut after, &K::parts(seed_of(*entity)));
            moments.insert(entity.index(), vec![before, after]);
        }
        let mut asked = Vec::new();
        let result = guarded(fuse, || {
            if with {
                pair.world.insert_where_with::<F, K>(|entity| {
                    happens(Event::Make);
                    asked.push(entity);
                    <K as Kit>::make(seed_of(entity))
                })
            } else {
                pair.world.insert_where::<F, K>(<K as Kit>::make(seed))
            }
        });
        let Some(count) = result else { return pair.adopt(moments) };
        assert_eq!(count, order.len(), "insert_where");
        if with {
            asked.sort();
            order.sort();
            assert_eq!(asked, order, "each entity's bundle is asked for once");
        }
        for (index, rows) in moments {
            pair.naive.rows.get_mut(&index).expect("alive").1 = rows.into_iter().next_back().expect("two");
        }
    }

    fn remove_where<F: Predicted, K: Kit>(&mut self, fuse: Fuse) {
        let pair = self.pair();
        let order = pair.walking_order::<F>();
        let (mut moments, mut removed) = (BTreeMap::new(), 0);
        for entity in &order {
            let before = pair.naive.row(*entity).expect("alive").clone();
            let mut after = before.clone();
            removed += strip::<K>(&mut after);
            moments.insert(entity.index(), vec![before, after]);
        }
        match guarded(fuse, || pair.world.remove_where::<F, K>()) {
            None => pair.adopt(moments),
            Some(count) => {
                assert_eq!(count, removed, "remove_where");
                for (index, rows) in moments {
                    pair.naive.rows.get_mut(&index).expect("alive").1 = rows.into_iter().next_back().expect("two");
                }
            }
        }
    }

    fn despawn_where<F: Predicted>(&mut self, fuse: Fuse) {
        let pair = self.pair();
        let order = pair.walking_order::<F>();
        let result = guarded(fuse, || pair.world.despawn_where::<F>());
        if let Some(count) = result {
            assert_eq!(count, order.len(), "despawn_where");
        }
        pair.bury_dead(&order, result.is_some());
    }

    fn insert_batch<K: Kit>(&mut self, entities: &[Entity], short: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let alive = entities.iter().all(|entity| pair.naive.is_alive(*entity));
        let count = if short { entities.len() / 2 } else { entities.len() + 1 };
        let seed_of = |i: usize| seed.wrapping_add(u32::try_from(i).expect("small"));
        let bundles = (0..count).map(|i| {
            happens(Event::Make);
            <K as Kit>::make(seed_of(i))
        });
        let mut moments: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
        if alive {
            for (i, entity) in entities.iter().enumerate().take(count) {
                let before = pair.naive.row(*entity).expect("alive").clone();
                let moments = moments.entry(entity.index()).or_insert_with(|| vec![before]);
                let mut after = moments.last().expect("one at least").clone();
                naive::insert(&mut after, &K::parts(seed_of(i)));
                moments.push(after);
            }
        }
        match guarded(fuse, || pair.world.insert_batch(entities, bundles)) {
            None => pair.adopt(moments),
            Some(Err(error)) => assert!(!alive, "{error}"),
            Some(Ok(())) => {
                assert!(alive, "insert_batch changed a slice with dead entities");
                for (index, rows) in moments {
                    pair.naive.rows.get_mut(&index).expect("alive").1 = rows.into_iter().next_back().expect("two");
                }
            }
        }
    }

    fn remove_batch<K: Kit>(&mut self, entities: &[Entity], fuse: Fuse) {
        let pair = self.pair();
        let alive = entities.iter().all(|entity| pair.naive.is_alive(*entity));
        let mut moments: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
        let mut removed = 0;
        if alive {
            for entity in entities {
                let before = pair.naive.row(*entity).expect("alive").clone();
                let moments = moments.entry(entity.index()).or_insert_with(|| vec![before]);
                let mut after = moments.last().expect("one at least").clone();
                removed += strip::<K>(&mut after);
                moments.push(after);
            }
        }
        match guarded(fuse, || pair.world.remove_batch::<K>(entities)) {
            None => pair.adopt(moments),
            Some(Err(error)) => assert!(!alive, "{error}"),
            Some(Ok(count)) => {
                assert!(alive, "remove_batch changed a slice with dead entities");
                assert_eq!(count, removed, "remove_batch");
                for (index, rows) in moments {
                    pair.naive.rows.get_mut(&index).expect("alive").1 = rows.into_iter().next_back().expect("two");
                }
            }
        }
    }

    fn clone_entity(&mut self, pick: u16, partly: bool, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let room = pair.naive.room();
        let copy = pair.naive.row(entity).map(|row| Naive::cloned(row, partly));
        let result = guarded(fuse, || {
            if partly { pair.world.clone_entity_partly(entity) } else { pair.world.clone_entity(entity) }
        });
        match (result, copy) {
            (None, Some(Some(_))) => {
                // The id was handed out before the clones were made, and goes back.
                assert!(room > 0 && is_event(fuse, Event::Clone));
                let (index, _) = pair.naive.alloc();
                pair.naive.bury(index);
            }
            (Some(Err(CloneError::Dead { .. })), None) => {}
            (Some(Err(CloneError::NotCloneable { components, .. })), Some(None)) => {
                let row = pair.naive.row(entity).expect("alive");
                let mut must: Vec<&str> = row.keys().filter(|k| !is_cloneable(**k)).map(|k| NAMES[*k]).collect();
                must.sort_unstable();
                let mut named = components;
                named.sort();
                assert_eq!(named, must, "what cannot be cloned");
            }
            (Some(Err(CloneError::Full { 0: full, .. })), Some(Some(_))) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            (Some(Ok(clone)), Some(Some(row))) => {
                assert!(room > 0, "cloned past the limit");
                pair.born(clone, row);
            }
            (result, copy) => panic!("clone {entity}: {result:?}, expected {copy:?}"),
        }
    }

    fn move_entity(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let (left, right) = self.pairs.split_at_mut(1);
        let (from, to) = if self.current == 0 { (&mut left[0], &mut right[0]) } else { (&mut right[0], &mut left[0]) };
        let row = from.naive.row(entity).cloned();
        match (from.world.move_entity(entity, &mut to.world), row) {
            (Err(TransferError::Dead { .. }), None) => {}
            (Err(TransferError::Full { 0: full, .. }), Some(_)) => {
                assert_eq!(to.naive.room(), 0, "{full}");
                to.check_full(&full);
            }
            (Ok(arrived), Some(row)) => {
                assert!(to.naive.room() > 0, "moved past the limit");
                to.born(arrived, row);
                from.naive.bury(entity.index());
            }
            (result, row) => panic!("move {entity}: {result:?}, expected {row:?}"),
        }
    }

    fn clear(&mut self, fuse: Fuse) {
        let pair = self.pair();
        guarded(fuse, || pair.world.clear());
        pair.naive.clear();
    }

    fn reclaim(&mut self) {
        let world = &mut self.pair().world;
        let before = world.stats();
        let gone = world.reclaim();
        let after = world.stats();
        assert_eq!(after.tables, before.tables - gone, "reclaim");
        assert!(after.empty_tables <= 1, "only the table without components may stay: {after}");
    }

    fn dyn_made(kind: usize, seed: u32) -> DynValue {
        let value = value_of(seed, kind);
        if kind < FIRST_DYN {
            with_kind!(kind, T => DynValue::new(<T as Kind>::make(value)))
        } else {
            DynValue::bytes(&dyn_bytes(kind, value))
        }
    }

    fn insert_dyn(&mut self, pick: u16, kind: usize, wrong: bool, fuse: Fuse) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let id = pair.id(kind);
        let result = guarded(fuse, || {
            let value = if wrong { DynValue::bytes(&[1; 5]) } else { Self::dyn_made(kind, seed) };
            pair.world.insert_dyn(entity, id, value)
        });
        if result.is_none() && is_event(fuse, Event::Require) {
            return;
        }
        match (result, pair.naive.row_mut(entity)) {
            (Some(Err(DynError::Dead { .. })) | None, None) => {}
            (Some(Err(DynError::Mismatch { component, .. })), Some(_)) => assert!(wrong && component == NAMES[kind]),
            (Some(Ok(())) | None, Some(row)) if !wrong => naive::insert(row, &[(kind, value_of(seed, kind))]),
            (result, row) => panic!("insert_dyn: {result:?} for {row:?}"),
        }
    }

    fn remove_dyn(&mut self, pick: u16, kind: usize, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let id = pair.id(kind);
        match (guarded(fuse, || pair.world.remove_dyn(entity, id)), pair.naive.row_mut(entity)) {
            (Some(Err(DynError::Dead { .. })), None) => {}
            (Some(Ok(had)), Some(row)) => assert_eq!(had, row.remove(&kind).is_some(), "remove_dyn"),
            (None, Some(row)) => assert!(row.remove(&kind).is_some(), "only a value that was there is dropped"),
            (result, row) => panic!("remove_dyn: {result:?} for {row:?}"),
        }
    }

    fn set_dyn(&mut self, pick: u16, kind: usize) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let id = pair.id(kind);
        let value = value_of(seed, kind);
        assert_eq!(
            pair.value(entity, kind, id),
            pair.naive.row(entity).and_then(|row| row.get(&kind).copied()),
            "get_dyn"
        );
        let Some(place) = pair.world.get_dyn_mut(entity, id) else { return };
        if kind < FIRST_DYN {
            with_kind!(kind, T => place.downcast::<T>().expect("a value of the type").set(value));
        } else {
            place.bytes().expect("made at run time").copy_from_slice(&dyn_bytes(kind, value));
        }
        pair.naive.row_mut(entity).expect("alive").insert(kind, value);
    }

    /// A bundle put together at run time, its parts, and whether one is there twice, which is refused.
    fn builder(&mut self, kinds: u32) -> (BundleBuilder, Vec<(usize, u32)>, bool) {
        let (seed, pair) = (self.next_seed(), self.current);
        let (mut builder, mut parts) = (BundleBuilder::new(), BTreeMap::new());
        let chosen = (0..KINDS).filter(|kind| kinds >> kind & 1 == 1);
        let again = (0..KINDS).filter(|kind| kinds >> 19 & kinds >> 21 & kinds >> kind & 1 == 1).take(1);
        let twice = again.clone().count() > 0;
        for (at, kind) in chosen.chain(again).enumerate() {
            let seed = seed.wrapping_add(u32::try_from(at).expect("small"));
            if kind < FIRST_DYN && kinds >> 20 & 1 == 0 {
                with_kind!(kind, T => builder.add(<T as Kit>::make(seed)));
            } else {
                let id = self.pairs[pair].id(kind);
                builder.add_dyn(id, Self::dyn_made(kind, seed));
            }
            parts.insert(kind, value_of(seed, kind));
        }
        (builder, parts.into_iter().collect(), twice)
    }

    fn spawn_builder(&mut self, kinds: u32, fuse: Fuse) {
        let (builder, parts, twice) = self.builder(kinds);
        let pair = self.pair();
        let room = pair.naive.room();
        match guarded(fuse, || pair.world.spawn_dyn(builder)) {
            Some(Err(DynError::Duplicate { .. })) => assert!(twice),
            Some(Ok(entity)) => {
                assert!(room > 0 && !twice, "spawned past the limit, or a component twice");
                let mut row = Row::new();
                naive::insert(&mut row, &parts);
                pair.born(entity, row);
            }
            Some(Err(DynError::Full { 0: full, .. })) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            // What is required is made before the entity is.
            None => {}
        }
    }

    fn insert_builder(&mut self, pick: u16, kinds: u32, fuse: Fuse) {
        let entity = self.pick(pick);
        let (builder, parts, twice) = self.builder(kinds);
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.insert_bundle_dyn(entity, builder));
        let before = pair.naive.row(entity).cloned();
        match (result, before) {
            (Some(Err(DynError::Duplicate { .. })) | None, Some(_)) if twice => {}
            (Some(Err(DynError::Dead { .. })) | None, None) => {}
            (Some(Ok(())), Some(_)) => naive::insert(pair.naive.row_mut(entity).expect("alive"), &parts),
            (None, Some(before)) => {
                let mut after = before.clone();
                naive::insert(&mut after, &parts);
                pair.adopt(BTreeMap::from([(entity.index(), vec![before, after])]));
            }
            (result, row) => panic!("insert_bundle_dyn: {result:?} for {row:?}"),
        }
    }

    fn sparse_mut<T: Kind>(&mut self, pick: u16, count: u8) {
        let (entities, seed) = (self.pick_many(pick, count.into()), self.next_seed());
        let pair = self.pair();
        let mut set = pair.world.sparse_mut::<T>();
        for (i, entity) in entities.into_iter().enumerate() {
            let value = value_of(seed.wrapping_add(u32::try_from(i).expect("small")), T::KIND);
            let row = pair.naive.row_mut(entity);
            let alive = row.is_some();
            let old = row.as_ref().and_then(|row| row.get(&T::KIND).copied());
            assert_eq!(set.get(entity).map(Kind::value), old, "sparse get");
            match (pick.wrapping_add(u16::try_from(i).expect("small"))) % 4 {
                0 | 1 => {
                    assert_eq!(set.insert(entity, <T as Kind>::make(value)).is_ok(), alive, "sparse insert");
                    row.map(|row| row.insert(T::KIND, value));
                }
                2 => {
                    assert_eq!(set.remove(entity).map(|value| value.value()), old, "sparse remove");
                    row.map(|row| row.remove(&T::KIND));
                }
                _ => {
                    if let Some(place) = set.get_mut(entity) {
                        place.set(value);
                        row.expect("alive").insert(T::KIND, value);
                    }
                }
            }
        }
        let len = set.len();
        assert_eq!(len, pair.naive.rows.values().filter(|(_, row)| row.contains_key(&T::KIND)).count(), "sparse len");
    }

    fn set<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let place =
            if pick & 16 == 0 { pair.world.get_mut::<T>(entity) } else { pair.world.lookup_mut::<T>(entity).ok() };
        let known = pair.naive.row_mut(entity).and_then(|row| row.get_mut(&T::KIND));
        match (place, known) {
            (Some(place), Some(known)) => {
                assert_eq!(place.value(), *known, "get_mut");
                *known = value_of(seed, T::KIND);
                place.set(*known);
            }
            (None, None) => {}
            (place, known) => panic!("get_mut on {entity}: {:?}, expected {known:?}", place.map(|place| place.value())),
        }
    }

    fn look<T: Kind>(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let many = self.pick_many(pick, 5);
        let pair = self.pair();
        let known = |entity: Entity| pair.naive.row(entity).and_then(|row| row.get(&T::KIND).copied());
        assert_eq!(pair.world.get::<T>(entity).map(Kind::value), known(entity), "get");
        assert_eq!(pair.world.has::<T>(entity), known(entity).is_some(), "has");
        match pair.world.lookup::<T>(entity) {
            Ok(value) => assert_eq!(Some(value.value()), known(entity), "lookup"),
            Err(LookupError::Dead { .. }) => assert!(!pair.naive.is_alive(entity), "lookup: {entity} is alive"),
            Err(LookupError::Absent { component, present, .. }) => {
                let row = pair.naive.row(entity).expect("alive");
                assert!(!row.contains_key(&T::KIND) && component == NAMES[T::KIND] && present.len() == row.len());
            }
            Err(error) => panic!("{error}"),
        }
        let values: Vec<_> = pair.world.get_many::<T>(&many).into_iter().map(|found| found.map(Kind::value)).collect();
        assert_eq!(values, many.iter().map(|entity| known(*entity)).collect::<Vec<_>>(), "get_many");
        match pair.world.entity(entity) {
            Ok(view) => {
                assert_eq!(view.components().count(), pair.naive.row(entity).map_or(0, Row::len), "components");
                assert_eq!(view.get::<T>().map(Kind::value), known(entity), "get of a view");
            }
            Err(error) => assert!(!pair.naive.is_alive(entity), "{error}"),
        }
        let id = pair.id(T::KIND);
        let mut with = pair.world.entities_with(id);
        with.sort();
        let rows = pair.naive.rows.values().filter(|(_, row)| row.contains_key(&T::KIND));
        assert_eq!(with, rows.map(|(entity, _)| *entity).collect::<Vec<_>>(), "entities_with");
        let present = pair.naive.row(entity).is_some_and(|row| row.contains_key(&T::KIND));
        assert_eq!(pair.world.has_dyn(entity, id), present, "has_dyn");
    }

    fn query(&mut self, shape: u8, mode: u8, pick: u16, write: bool) {
        let picked = self.pick_many(pick, 3).try_into().expect("three");
        let delta = if write { self.next_seed() | 1 } else { 0 };
        let shape = usize::from(shape) % self.shapes.len();
        let pair = &mut self.pairs[self.current];
        self.shapes[shape].walk(&mut pair.world, &mut pair.naive, mode, delta, picked);
    }

    /// Walks by slices.
    fn chunks(&mut self, shape: u8) {
        let seed = self.next_seed();
        let pair = self.pair();
        let mut seen = Vec::new();
        let must: Vec<Entity> = match shape % 3 {
            0 => {
                for (entities, numbers) in pair.world.query::<(Entity, &mut Num)>().chunks() {
                    assert_eq!(entities.len(), numbers.len());
                    for (entity, number) in entities.iter().zip(numbers) {
                        let row = pair.naive.row_mut(entity).expect("alive");
                        assert_eq!(row.insert(0, number.value().wrapping_add(seed)), Some(number.value()));
                        number.set(number.value().wrapping_add(seed));
                        seen.push(entity);
                    }
                }
                let rows = pair.naive.rows.values();
                rows.filter(|(_, row)| row.contains_key(&0)).map(|(entity, _)| *entity).collect()
            }
            1 => {
                let mut query = pair.world.query_filtered::<(Entity, Option<&Owned>, &Flag), Without<Seal>>();
                for (entities, owned, flags) in query.chunks() {
                    assert_eq!(entities.len(), flags.len());
                    for (at, entity) in entities.iter().enumerate() {
                        let row = pair.naive.row(entity).expect("alive");
                        assert_eq!(owned.map(|owned| owned[at].value()), row.get(&2).copied());
                        assert_eq!(entities.get(at), Some(entity));
                        seen.push(entity);
                    }
                }
                let rows = pair.naive.rows.values();
                let fits = |row: &Row| row.contains_key(&5) && !row.contains_key(&6);
                rows.filter(|(_, row)| fits(row)).map(|(entity, _)| *entity).collect()
            }
            _ => {
                let mut query = pair.world.query_filtered::<(&Wide, &Small, Entity), Or<(With<Num>, With<Needy>)>>();
                for (wide, small, entities) in query.chunks() {
                    for ((wide, small), entity) in wide.iter().zip(small).zip(entities.iter()) {
                        let row = pair.naive.row(entity).expect("alive");
                        assert_eq!([Some(&wide.value()), Some(&small.value())], [row.get(&3), row.get(&1)]);
                        seen.push(entity);
                    }
                }
                let rows = pair.naive.rows.values();
                let has = |row: &Row, kind: usize| row.contains_key(&kind);
                let fits = |row: &Row| has(row, 3) && has(row, 1) && (has(row, 0) || has(row, 10));
                rows.filter(|(_, row)| fits(row)).map(|(entity, _)| *entity).collect()
            }
        };
        seen.sort();
        assert_eq!(seen, must, "chunks");
    }

    /// Combines two queries.
    fn cross(&mut self, shape: u8) {
        let pair = self.pair();
        let having = |naive: &Naive, kind: usize| -> Vec<Entity> {
            let rows = naive.rows.values().filter(|(_, row)| row.contains_key(&kind));
            rows.map(|(entity, _)| *entity).collect()
        };
        let (firsts, burning) = (having(&pair.naive, 0), having(&pair.naive, 7));
        let seconds = if shape & 1 == 0 { &burning } else { &firsts };
        if firsts.len() * seconds.len() > 10_000 {
            return;
        }
        let mut met = Vec::new();
        let mut must = Vec::new();
        for first in &firsts {
            for second in seconds {
                // Where both may not have the same component at once, an entity does not meet itself.
                if shape & 1 == 0 || first != second {
                    must.push((*first, *second));
                }
            }
        }
        if shape & 1 == 0 {
            pair.world.cross::<(Entity, &Num), (Entity, &mut Burn)>(|(a, _), (b, burn)| {
                burn.set(burn.value());
                met.push((a, b));
            });
        } else {
            pair.world.cross::<(Entity, &Num), (Entity, &mut Num)>(|(a, first), (b, second)| {
                second.set(second.value());
                assert!(!std::ptr::eq(first, second));
                met.push((a, b));
            });
        }
        met.sort();
        must.sort();
        assert_eq!(met, must, "cross");
    }

    fn dyn_query(&mut self, bytes: [u8; 3], exact: bool, kept: bool) {
        let pair = &mut self.pairs[self.current];
        let seed = self.seed;
        if kept && pair.kept.len() >= 6 {
            let at = usize::from(bytes[0]) % pair.kept.len();
            let (terms, exact, mut query) = pair.kept.swap_remove(at);
            pair.walk_dyn(&terms, exact, &mut query, seed);
            pair.kept.push((terms, exact, query));
            return;
        }
        let mut terms = Vec::new();
        let mut builder = DynQuery::builder();
        for byte in bytes {
            let kind = usize::from(byte) % KINDS;
            let id = pair.id(kind);
            let ask = match usize::from(byte) / KINDS % 7 {
                0 => continue,
                1 => Ask::Read,
                2 => Ask::Write,
                3 => Ask::MaybeRead,
                4 => Ask::MaybeWrite,
                5 => Ask::With,
                _ => Ask::Without,
            };
            builder = match ask {
                Ask::Read => builder.read(id),
                Ask::Write => builder.write(id),
                Ask::MaybeRead => builder.maybe_read(id),
                Ask::MaybeWrite => builder.maybe_write(id),
                Ask::With => builder.with(id),
                Ask::Without => builder.without(id),
            };
            terms.push((kind, ask));
        }
        if exact {
            builder = builder.exact();
        }
        let writes = |ask: Ask| matches!(ask, Ask::Write | Ask::MaybeWrite);
        let uses = |ask: Ask| writes(ask) || matches!(ask, Ask::Read | Ask::MaybeRead);
        let conflict = terms.iter().enumerate().any(|(at, (kind, ask))| {
            let clash = |other: &(usize, Ask)| {
                other.0 == *kind && uses(*ask) && uses(other.1) && (writes(*ask) || writes(other.1))
            };
            terms[..at].iter().any(clash)
        });
        match builder.build() {
            Err(error) => assert!(conflict, "{error}"),
            Ok(mut query) => {
                assert!(!conflict, "{query:?} hands out one component twice");
                pair.walk_dyn(&terms, exact, &mut query, seed);
                if kept {
                    pair.kept.push((terms, exact, query));
                }
            }
        }
    }

    fn generation(&mut self, pick: u16, below_last: u8) {
        let entity = self.pick(pick);
        let pair = self.pair();
        if !pair.naive.is_alive(entity) {
            return;
        }
        let last =
            if pair.naive.setup.layout == phalanx_ecs::HandleLayout::Wide { Entity::MAX_GENERATION } else { 1023 };
        let index = entity.index();
        pair.world.simulate_generation(index, last - u32::from(below_last));
        let now = pair.world.entities().find(|entity| entity.index() == index).expect("still alive");
        assert_eq!(now.generation(), last - u32::from(below_last));
        pair.naive.simulate_generation(index, now);
        pair.remember(now);
    }
}

impl Pair {
    fn walk_dyn(&mut self, terms: &[(usize, Ask)], exact: bool, query: &mut DynQuery, delta: u32) {
        let fits = |row: &Row| {
            let asked = terms.iter().all(|(kind, ask)| match ask {
                Ask::Read | Ask::Write | Ask::With => row.contains_key(kind),
                Ask::Without => !row.contains_key(kind),
                Ask::MaybeRead | Ask::MaybeWrite => true,
            });
            let named = |kind: &usize| terms.iter().any(|(k, ask)| k == kind && *ask != Ask::Without);
            asked && (!exact || row.keys().all(named))
        };
        let rows = self.naive.rows.values().filter(|(_, row)| fits(row));
        let must: Vec<Entity> = rows.map(|(entity, _)| *entity).collect();
        let order = query.entities(&self.world);
        assert_eq!(query.count(&self.world), must.len(), "count of {query:?}");
        let ids: Vec<ComponentId> = terms.iter().map(|(kind, _)| self.id(*kind)).collect();
        let mut seen = Vec::new();
        query.for_each(&mut self.world, |mut item| {
            let entity = item.entity();
            seen.push(entity);
            let row = self.naive.row_mut(entity).expect("a living entity");
            for ((kind, ask), id) in terms.iter().zip(&ids) {
                let found = item.get(*id).map(|found| {
                    if *kind < FIRST_DYN {
                        with_kind!(*kind, T => found.downcast::<T>().expect("of the type").value())
                    } else {
                        dyn_value(*kind, found.bytes().expect("made at run time"))
                    }
                });
                let readable = terms.iter().any(|(k, ask)| k == kind && !matches!(ask, Ask::With | Ask::Without));
                assert_eq!(found, row.get(kind).copied().filter(|_| readable), "{} of {entity}", NAMES[*kind]);
                if matches!(ask, Ask::Write | Ask::MaybeWrite)
                    && let Some(place) = item.get_mut(*id)
                {
                    let value = fit(*kind, found.expect("readable").wrapping_add(delta));
                    if *kind < FIRST_DYN {
                        with_kind!(*kind, T => place.downcast::<T>().expect("of the type").set(value));
                    } else {
                        place.bytes().expect("made at run time").copy_from_slice(&dyn_bytes(*kind, value));
                    }
                    row.insert(*kind, value);
                } else if !matches!(ask, Ask::Write | Ask::MaybeWrite) {
                    let writable =
                        terms.iter().any(|(k, ask)| k == kind && matches!(ask, Ask::Write | Ask::MaybeWrite));
                    assert!(writable || item.get_mut(*id).is_none(), "a term that reads hands out a mutable reference");
                }
            }
        });
        assert_eq!(seen, order, "{query:?} walks in the order of its entities");
        seen.sort();
        assert_eq!(seen, must, "{query:?}");
    }
}

/// Removes a bundle from a row; answers how many values it had.
fn strip<K: Kit>(row: &mut Row) -> usize {
    let mut kinds = Vec::new();
    K::kinds(&mut kinds);
    kinds.iter().filter(|kind| row.remove(kind).is_some()).count()
}

fn insert_made<K: Kit>(editor: &mut EntityMut<'_>, seed: u32) {
    editor.insert(K::make(seed));
}
