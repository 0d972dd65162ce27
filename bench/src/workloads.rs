//! What is measured: one constant per row, the same sizes and repetitions for every ECS.

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Workload {
    /// The name on the command line, in the table and in the JSON file.
    pub name: &'static str,
    /// What is timed, in one line.
    pub what: &'static str,
    /// A sample's time is divided by this.
    pub items: usize,
    /// How often a sample repeats the timed part of a case that keeps its world.
    pub repeats: usize,
    /// Whether each sample first runs once untimed, so that neither the caches nor the allocator
    /// remember the ECS that ran before. Off where the data are larger than the caches anyway.
    pub warm: bool,
}

impl Workload {
    /// The same row with so many entities, for `--growth`; never freed.
    ///
    /// Small ones are repeated until a sample takes long enough to be timed.
    pub fn with(&self, entities: usize) -> &'static Self {
        let name = format!("growth/{}/{entities}", self.name).leak();
        let (repeats, warm) = ((200_000 / entities).max(1), entities <= 100_000);
        Box::leak(Box::new(Self { name, what: self.what, items: entities, repeats, warm }))
    }
}

/// Declares the rows and the list of them all.
macro_rules! workloads {
    ($($constant:ident = $name:literal, $items:literal items, $repeats:literal x, warm $warm:literal, $what:literal;)+) => {
        $(
            pub const $constant: Workload =
                Workload { name: $name, what: $what, items: $items, repeats: $repeats, warm: $warm };
        )+
        /// Every row, in the order of the table.
        pub const ALL: &[Workload] = &[$($constant),+];
    };
}

workloads! {
    SIMPLE_INSERT = "simple_insert", 10_000 items, 1 x, warm true,
        "10,000 entities x (64-byte matrix, 3 x Vec3) into a new world, given as columns";
    SIMPLE_INSERT_ROWS = "simple_insert_rows", 10_000 items, 1 x, warm true,
        "the same from an iterator of tuples";
    SIMPLE_ITER = "simple_iter", 10_000 items, 20 x, warm true,
        "10,000 x pos += vel";
    FRAG_ITER = "frag_iter", 520 items, 400 x, warm true,
        "26 tables x 20 entities, double Data; sparse or as variant `table`";
    HEAVY_COMPUTE = "heavy_compute", 1_000 items, 1 x, warm false,
        "1,000 entities x 100 inversions of a 4x4 matrix, on 2 threads";
    ADD_REMOVE = "add_remove", 10_000 items, 1 x, warm true,
        "10,000 x insert B, then 10,000 x remove B, one at a time";
    ADD_REMOVE_5COLS = "add_remove_5cols", 10_000 items, 1 x, warm true,
        "the same with four 16-byte columns beside it";
    DESPAWN = "despawn", 10_000 items, 1 x, warm false,
        "10,000 x 4 components despawned one by one in spawn order, 100 further types in use";
    SPAWN_ONE = "spawn_one", 10_000 items, 1 x, warm true,
        "10,000 x 4 components spawned one by one into a new world";
    RANDOM_GET = "random_get", 100_000 items, 1 x, warm true,
        "100,000 checked reads by shuffled handle";
    RANDOM_GET_MUT = "random_get_mut", 100_000 items, 1 x, warm true,
        "100,000 checked writes by shuffled handle";
    ITER_1M = "iter_1m", 1_000_000 items, 1 x, warm false,
        "1,000,000 x pos += vel";
    PAR_ITER_1M = "par_iter_1m", 1_000_000 items, 1 x, warm false,
        "the same on 2 threads";
    FILTERED_ITER = "filtered_iter", 45_000 items, 20 x, warm true,
        "100,000, half with C, 10 % with D: count up one f32 where C and not D; per matched entity";
    SPARSE_ITER = "sparse_iter", 1_000 items, 100 x, warm true,
        "100,000, 1 % tagged: pos.x += tag; per tagged entity";
    BULK_ADD = "bulk_add", 100_000 items, 1 x, warm true,
        "insert a 12-byte component on all 100,000, then remove it from all, bulk route";
    CHANGED_ITER = "changed_iter", 1_000 items, 20 x, warm true,
        "of 100,000 modify 1,000 by handle, then visit what has changed; per modified entity";
    COMMANDS = "commands", 10_000 items, 1 x, warm true,
        "10,000 x 4 components spawned one by one, deferred: queue and apply, a new world";
    COMMANDS_BATCH = "commands_batch", 10_000 items, 1 x, warm true,
        "one deferred batch of 10,000 x 4 components: queue and apply, a new world";
    OBSERVED = "observed", 10_000 items, 1 x, warm true,
        "10,000 x spawn 4 components, insert B and remove it, with 100 observers on other components; raw: Phalanx without observers";
    TOGGLE_ITER = "toggle_iter", 100_000 items, 10 x, warm true,
        "100,000 x value += 1 where a toggle is on, half of them off at random; raw tests a bit";
    COLLECT = "collect", 1_000 items, 1 x, warm false,
        "collecting 1,000 dead of 100,000 by sampling; per removed row; raw: Phalanx, exact collection";
    SHARED_ITER = "shared_iter", 100_000 items, 10 x, warm true,
        "1,000 shared values x 100 entities, total += value; raw: Phalanx, the same entities in 1,000 tables, nothing shared";
    SHARED_EDIT = "shared_edit", 1 items, 10_000 x, warm true,
        "one edit of a shared value that 100,000 entities have; raw: Phalanx, one entity has it";
    SCHEDULE = "schedule", 1 items, 20 x, warm true,
        "3 systems that swap components over 4 kinds of 10,000 entities, by the scheduler; per run";
    EMPTY_SYSTEMS_100 = "empty_systems_100", 1 items, 100 x, warm true,
        "100 systems that do nothing, by the scheduler; per run";
    SYSTEMS_1000 = "systems_1000", 1_000 items, 4 x, warm true,
        "1,000 systems that walk 4 entities each, by the scheduler; per system; raw: called in a row by hand";
    SYSTEMS_CHAIN_1000 = "systems_chain_1000", 1_000 items, 4 x, warm true,
        "the same in a chain: each comes after the one before";
    SYSTEMS_ASLEEP_9000 = "systems_asleep_9000", 10_000 items, 4 x, warm true,
        "10,000 systems of which 9,000 sleep; per system; raw calls the 1,000";
    SYSTEMS_ONE_HEAVY = "systems_one_heavy", 100 items, 4 x, warm true,
        "100 systems, one of which walks 200,000 entities; per system; raw: called in a row by hand";
    HIERARCHY = "hierarchy", 11_111 items, 4 x, warm true,
        "a tree of 1 + 10 + 100 + 1,000 + 10,000 nodes with 4x4 matrices, all changed: world = world above x local; or as variant `written` together with the change";
    HIERARCHY_1PCT = "hierarchy_1pct", 100_000 items, 1 x, warm true,
        "1,000 of 100,000 nodes in random trees changed, drawn at random: of trees of 10, of their leaves (`leaves`), until 1,000 are changed or below one (`in_all`), of one tree (`one_tree`); on one thread; raw: Phalanx, all changed; by_hand: a list of what is worked out was made before";
    TRANSFORMS = "transforms", 11_111 items, 4 x, warm true,
        "the tree of `hierarchy` with transforms instead of matrices, all changed";
    TRANSFORMS_RANDOM = "transforms_random", 100_000 items, 1 x, warm true,
        "the same with 1,000 random trees of 100 nodes, on 2 threads where the ECS uses them";
    TRANSFORMS_1PCT = "transforms_1pct", 1_000 items, 4 x, warm true,
        "1,000 of the 100,000 nodes changed, drawn at random; per changed node";
    TRANSFORMS_WIDE = "transforms_wide", 100_000 items, 1 x, warm true,
        "99,999 nodes below one, all changed";
    TRANSFORMS_DEEP = "transforms_deep", 10_000 items, 4 x, warm true,
        "10,000 nodes, each below the one before it, all changed";
    REPARENT = "reparent", 10_000 items, 1 x, warm true,
        "10,000 leaves of the tree of `hierarchy`, shuffled, are given other parents, one by one";
    SCENE_WALK = "scene_walk", 10_000 items, 20 x, warm true,
        "10,000 nodes of a scene x pos += vel, by a query that is kept, or in a system (`system`); raw: Phalanx, a plain query over as many entities";
    ROLES_400 = "roles_400", 400 items, 1 x, warm true,
        "20 types of nodes x 20 scenes, each role had by a half, a tenth or a hundredth of 10,000 entities at random; per walk of a role; raw: Phalanx, a plain query over as many entities; by_hand: lists of rows were made before";
    ADD_MATCHING = "add_matching", 100_000 items, 1 x, warm true,
        "100,000 entities of one table, or of ten (`ten_tables`), become nodes of a scene, all that match; raw makes a list";
    PREFAB = "prefab", 100_000 items, 1 x, warm true,
        "10,000 instances of a prefab of 10 entities x 4 components, a new world; per entity; raw: Phalanx, batches of the same rows, part by part";
    MEMORY = "memory", 1_000_000 items, 1 x, warm false,
        "live bytes per entity, 1,000,000 x 2 Vec3 (bytes in the place of ns)";
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = super::ALL.iter().map(|workload| workload.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), super::ALL.len());
    }
}
