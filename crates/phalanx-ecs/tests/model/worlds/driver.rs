//! Applies an operation to a real world and to a naive one, and compares what they answer and what they are.
//!
//! Where the order of entities decides something (who is despawned first, and so whose index comes back first), the real world is asked for
//! its walking order before; that the *set* is right is checked, and that the operation keeps to that order too.

use super::components::*;
use super::kits::{Kit, with_bulk_kit, with_changeable, with_filter, with_kind, with_kit, with_own_kind, with_own_kit};
use super::ledger::{Blown, Event, alive, faults, has_blown, light, put_out, reset};
use super::ops::{Config, Op, Slice};
use super::pair::Pair;
use super::readers::{self, Reader};
use super::row;
use super::shapes::{self, Shape};
use phalanx_ecs::Checksum;
use phalanx_ecs::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A fuse for the next operation.
pub type Fuse = Option<(Event, u32)>;

/// Two pairs of worlds, and what is needed to compare them.
pub struct Driver {
    pub pairs: [Pair; 2],
    pub current: usize,
    crowd: usize,
    pub config: Config,
    pub shapes: Vec<Box<dyn Shape>>,
    pub readers: Vec<Box<dyn Reader>>,
    /// Every bundle gets the next number, and makes its values from it.
    pub seed: u32,
    fuse: Fuse,
    /// Whether everything is compared after each operation.
    thorough: bool,
    /// What may be spent on comparing.
    budget: usize,
    /// Whether it is not known any more what was noted as changed.
    pub blurred: bool,
}

/// Runs a call with a lit fuse; `None` if the fuse has blown, and the panic came through.
pub fn guarded<R>(fuse: Fuse, call: impl FnOnce() -> R) -> Option<R> {
    let (result, blown) = lit(fuse, call);
    assert!(result.is_none() == blown, "a panic of the user's code was swallowed");
    result
}

/// Runs a call with a lit fuse; `None` if the panic came through, and whether the fuse has blown.
pub fn lit<R>(fuse: Fuse, call: impl FnOnce() -> R) -> (Option<R>, bool) {
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

pub fn is_event(fuse: Fuse, event: Event) -> bool {
    fuse.is_some_and(|(lit, _)| lit == event)
}

/// The parts of `count` bundles made from a seed and the next ones.
pub fn parts_of<K: Kit>(seed: u32, count: usize) -> Vec<Vec<(usize, u32)>> {
    (0..count).map(|i| K::parts(nth(seed, i))).collect()
}

/// The seed of the n-th bundle of a batch.
pub fn nth(seed: u32, n: usize) -> u32 {
    seed.wrapping_add(u32::try_from(n).expect("small"))
}

impl Driver {
    pub fn new(config: Config, thorough: bool) -> Self {
        reset();
        Self {
            pairs: config.worlds.map(Pair::new),
            current: 0,
            crowd: if cfg!(miri) { 8 } else { config.crowd },
            config,
            shapes: shapes::shapes(),
            readers: readers::readers(),
            seed: 0,
            fuse: None,
            thorough,
            budget: 0,
            blurred: false,
        }
    }

    /// Compares everything, drops both worlds, and counts what is left. Answers what the worlds were in the end.
    pub fn finish(mut self) -> [Checksum; 2] {
        self.compare();
        let sums = [0, 1].map(|at| self.pairs[at].world.checksum());
        drop(self.pairs);
        assert_eq!(faults(), Vec::<String>::new());
        assert_eq!(alive(), (0, [0; KINDS]), "values were leaked");
        sums
    }

    fn compare(&mut self) {
        let (mut owned, mut counted) = (0, [0; KINDS]);
        for pair in &mut self.pairs {
            pair.compare();
            let (some, of_kinds) = pair.naive.census();
            let (owned_by_losses, lost) = pair.values_lost();
            owned += some + pair.messages_alive() + pair.queues.owned() + owned_by_losses;
            let queued = pair.queues.counted();
            for (kind, sum) in counted.iter_mut().enumerate() {
                *sum += of_kinds[kind] + queued[kind] + lost[kind];
            }
        }
        assert_eq!(faults(), Vec::<String>::new());
        assert_eq!(alive(), (owned, counted), "values that are alive, against values that belong to somebody");
    }

    pub fn pair(&mut self) -> &mut Pair {
        &mut self.pairs[self.current]
    }

    pub fn next_seed(&mut self) -> u32 {
        self.seed += 1;
        self.seed.wrapping_mul(0x9E37_79B9)
    }

    /// An entity: mostly a living one; else one that was alive once or will be, one of the other world, or one that never was.
    pub fn pick(&self, pick: u16) -> Entity {
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
            2 | 3 if !pair.queues.reserved().is_empty() => pair.queues.reserved()[far % pair.queues.reserved().len()],
            _ => {
                let highest = pair.naive.rows.last_key_value().map_or(0, |(index, _)| *index as usize + 1);
                let from = u32::try_from(far * highest / 4096).expect("an index");
                let rows = &pair.naive.rows;
                rows.range(from..).next().or_else(|| rows.iter().next()).map_or(never, |(_, (entity, _))| *entity)
            }
        }
    }

    pub fn pick_many(&self, pick: u16, count: usize) -> Vec<Entity> {
        (0..count).map(|i| self.pick(pick.wrapping_add(u16::try_from(i * 2731 % 65536).expect("16 bits")))).collect()
    }

    /// A count that keeps the world at its size.
    pub fn batch(&self, count: u8) -> usize {
        let alive = self.pairs[self.current].naive.rows.len();
        match (usize::from(count), self.crowd) {
            (count, crowd) if alive >= crowd => count % 2,
            (count, 0..10) => count % 6,
            (count, 0..1000) => count,
            (count, _) => count * 16,
        }
    }

    /// The entities of one table, in walking order.
    pub fn table(&mut self, pick: u16) -> Vec<Entity> {
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
        row::go_on();
        self.pair().catch_up();
        // Where observers change the world too, it is not known what a panic leaves.
        let reacts = self.pairs.iter().any(|pair| pair.naive.audience.reacts());
        let fuse = self.fuse.take().filter(|_| !reacts && !op.is_about_shared());
        self.act(op, fuse);
        let panicked = has_blown();
        for pair in &mut self.pairs {
            pair.settle(panicked);
        }
        if panicked || std::mem::take(&mut self.blurred) {
            self.skip_readers();
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

    fn act(&mut self, op: Op, fuse: Fuse) {
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
            Op::Replace { pick, kind } => with_own_kind!(usize::from(kind), T => self.replace::<T>(pick)),
            Op::Remove { pick, kit } => with_kit!(kit, K => self.remove::<K>(pick, fuse)),
            Op::Take { pick, kit } => with_own_kit!(kit, K => self.take::<K>(pick)),
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
            Op::Set { pick, kind } => with_changeable!(usize::from(kind), T => self.set::<T>(pick)),
            Op::Look { pick, kind } => with_kind!(kind.into(), T => self.look::<T>(pick)),
            Op::Query { shape, mode, pick, write } => self.query(shape, mode, pick, write),
            Op::Chunks { shape } => self.chunks(shape),
            Op::Cross { shape } => self.cross(shape),
            Op::DynQuery { terms, exact, kept } => self.dyn_query(terms, exact, kept),
            Op::Generation { pick, below_last } => self.generation(pick, below_last),
            Op::Switch { pick, kind, on } => self.switch(pick, kind.into(), on),
            Op::EditShared { pick } => self.edit_shared(pick),
            Op::Groups => self.groups(),
            Op::DespawnLazy { pick } => self.despawn_lazy(pick, fuse),
            Op::Collect { how } => self.collect(how, fuse),
            Op::Read { reader, mode, pick, write } => self.read(reader, mode, pick, write),
            Op::Observe { kind, act, reaction, hook } => self.observe(kind.into(), act, reaction, hook),
            Op::Attend { observer, attention } => self.attend(observer, attention),
            Op::Trigger { pick } => self.trigger(pick),
            Op::Queue { queue, deed, pick, kit, count } => self.queue(queue, deed, pick, kit, count),
            Op::Apply { queues, policy } => self.apply_queues(queues, policy),
            Op::Forget { queue } => self.forget(queue),
            Op::Resource { act, reader } => self.resource(act, reader),
            Op::Event { act, reader, count } => self.event(act, reader, count),
            Op::Loss { kind, act, reader, count } => self.loss(kind, act, reader, count),
            Op::Find { number } => self.find(number.into()),
            Op::Claim { seed } => self.claim(seed),
            Op::Twins { seed } => super::twins::check(seed),
        }
    }
}
