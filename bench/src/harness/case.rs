//! A case: one ECS in one variant of one row.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::allocator;
use super::digest::Digest;
use crate::workloads::{self, Workload};

/// One line of the table: how to prepare it, sample it and check it.
pub struct Case {
    pub workload: &'static Workload,
    pub ecs: &'static str,
    /// Empty for the plain case.
    pub variant: &'static str,
    prepare: Box<dyn Fn() -> Box<dyn Prepared>>,
}

impl Case {
    /// Builds what the samples need; the result lives as long as the row is measured.
    pub fn prepare(&self) -> Box<dyn Prepared> {
        (self.prepare)()
    }

    /// The ECS with its variant, as in `bevy/table`.
    pub fn title(&self) -> String {
        if self.variant.is_empty() { self.ecs.to_owned() } else { format!("{}/{}", self.ecs, self.variant) }
    }
}

/// A case ready to be sampled.
pub trait Prepared {
    /// Runs once and digests the resulting state; called once, before any sample.
    fn digest(&mut self) -> Digest;

    /// Nanoseconds (or bytes) per item, measured once.
    fn sample(&mut self) -> f64;
}

/// The cases of one ECS, under construction.
///
/// Every method takes closures for its steps; only the one called `timed` is measured.
pub struct Cases {
    ecs: &'static str,
    cases: Vec<Case>,
}

impl Cases {
    /// An empty list for the ECS of this name.
    pub fn new(ecs: &'static str) -> Self {
        Self { ecs, cases: Vec::new() }
    }

    /// The finished list.
    pub fn into_vec(self) -> Vec<Case> {
        self.cases
    }

    /// A case that keeps its world: `timed` changes it again and again.
    ///
    /// `digest` sees the world after one run of `timed`; it may change the world further, as long as
    /// it leaves it fit for `timed`.
    pub fn lasting<W: 'static>(
        &mut self,
        workload: &'static Workload,
        variant: &'static str,
        build: impl Fn() -> W + 'static,
        timed: impl Fn(&mut W) + Copy + 'static,
        digest: impl Fn(&mut W) -> Digest + Copy + 'static,
    ) {
        let prepare = move || Box::new(Lasting { workload, world: build(), timed, digest }) as Box<dyn Prepared>;
        self.push(workload, variant, Box::new(prepare));
    }

    /// The same, with something to be done before each run that is not measured: what is to be changed is, so that
    /// `timed` finds it changed.
    pub fn readied<W: 'static>(
        &mut self,
        workload: &'static Workload,
        variant: &'static str,
        build: impl Fn() -> W + 'static,
        ready: impl Fn(&mut W) + Copy + 'static,
        timed: impl Fn(&mut W) + Copy + 'static,
        digest: impl Fn(&mut W) -> Digest + Copy + 'static,
    ) {
        let prepare = move || Box::new(Readied { workload, world: build(), ready, timed, digest }) as Box<dyn Prepared>;
        self.push(workload, variant, Box::new(prepare));
    }

    /// The same on one thread, whatever `timed` would do with several.
    pub fn readied_alone<W: Send + 'static>(
        &mut self,
        workload: &'static Workload,
        variant: &'static str,
        build: impl Fn() -> W + 'static,
        ready: impl Fn(&mut W) + Copy + Send + 'static,
        timed: impl Fn(&mut W) + Copy + Send + 'static,
        digest: impl Fn(&mut W) -> Digest + Copy + Send + 'static,
    ) {
        let prepare = move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            Box::new(Alone { pool, case: Readied { workload, world: build(), ready, timed, digest } })
                as Box<dyn Prepared>
        };
        self.push(workload, variant, Box::new(prepare));
    }

    /// A case that needs something new for every sample: `timed` consumes what `build` made and
    /// returns what it does not want to drop within the measured time.
    pub fn fresh<S: 'static, W: 'static>(
        &mut self,
        workload: &'static Workload,
        variant: &'static str,
        build: impl Fn() -> S + Copy + 'static,
        timed: impl Fn(S) -> W + Copy + 'static,
        digest: impl Fn(W) -> Digest + Copy + 'static,
    ) {
        let prepare = move || Box::new(Fresh { workload, build, timed, digest }) as Box<dyn Prepared>;
        self.push(workload, variant, Box::new(prepare));
    }

    /// A case of the `memory` row: the bytes that `build` leaves allocated.
    pub fn memory<W: 'static>(
        &mut self,
        variant: &'static str,
        build: impl Fn() -> W + Copy + 'static,
        digest: impl Fn(&mut W) -> Digest + Copy + 'static,
    ) {
        let prepare = move || Box::new(Memory { build, digest }) as Box<dyn Prepared>;
        self.push(&workloads::MEMORY, variant, Box::new(prepare));
    }

    fn push(
        &mut self,
        workload: &'static Workload,
        variant: &'static str,
        prepare: Box<dyn Fn() -> Box<dyn Prepared>>,
    ) {
        self.cases.push(Case { workload, ecs: self.ecs, variant, prepare });
    }
}

struct Lasting<W, T, D> {
    workload: &'static Workload,
    world: W,
    timed: T,
    digest: D,
}

impl<W, T: Fn(&mut W), D: Fn(&mut W) -> Digest> Prepared for Lasting<W, T, D> {
    fn digest(&mut self) -> Digest {
        (self.timed)(&mut self.world);
        (self.digest)(&mut self.world)
    }

    fn sample(&mut self) -> f64 {
        if self.workload.warm {
            (self.timed)(black_box(&mut self.world));
        }
        let start = Instant::now();
        for _ in 0..self.workload.repeats {
            (self.timed)(black_box(&mut self.world));
        }
        start.elapsed().as_nanos() as f64 / (self.workload.items * self.workload.repeats) as f64
    }
}

struct Readied<W, R, T, D> {
    workload: &'static Workload,
    world: W,
    ready: R,
    timed: T,
    digest: D,
}

impl<W, R: Fn(&mut W), T: Fn(&mut W), D: Fn(&mut W) -> Digest> Readied<W, R, T, D> {
    fn run(&mut self) -> Duration {
        (self.ready)(black_box(&mut self.world));
        let start = Instant::now();
        (self.timed)(black_box(&mut self.world));
        start.elapsed()
    }
}

impl<W, R: Fn(&mut W), T: Fn(&mut W), D: Fn(&mut W) -> Digest> Prepared for Readied<W, R, T, D> {
    fn digest(&mut self) -> Digest {
        self.run();
        (self.digest)(&mut self.world)
    }

    fn sample(&mut self) -> f64 {
        if self.workload.warm {
            self.run();
        }
        let elapsed: Duration = (0..self.workload.repeats).map(|_| self.run()).sum();
        elapsed.as_nanos() as f64 / (self.workload.items * self.workload.repeats) as f64
    }
}

/// All of it in a pool of one thread.
struct Alone<P> {
    pool: rayon::ThreadPool,
    case: P,
}

impl<P: Prepared + Send> Prepared for Alone<P> {
    fn digest(&mut self) -> Digest {
        self.pool.install(|| self.case.digest())
    }

    fn sample(&mut self) -> f64 {
        self.pool.install(|| self.case.sample())
    }
}

struct Fresh<B, T, D> {
    workload: &'static Workload,
    build: B,
    timed: T,
    digest: D,
}

impl<S, W, B: Fn() -> S, T: Fn(S) -> W, D: Fn(W) -> Digest> Prepared for Fresh<B, T, D> {
    fn digest(&mut self) -> Digest {
        (self.digest)((self.timed)((self.build)()))
    }

    fn sample(&mut self) -> f64 {
        if self.workload.warm {
            drop(black_box((self.timed)(black_box((self.build)()))));
        }
        let input = black_box((self.build)());
        let start = Instant::now();
        let world = black_box((self.timed)(input));
        let elapsed = start.elapsed();
        drop(world);
        elapsed.as_nanos() as f64 / self.workload.items as f64
    }
}

struct Memory<B, D> {
    build: B,
    digest: D,
}

impl<W, B: Fn() -> W, D: Fn(&mut W) -> Digest> Prepared for Memory<B, D> {
    fn digest(&mut self) -> Digest {
        (self.digest)(&mut (self.build)())
    }

    fn sample(&mut self) -> f64 {
        let (world, bytes) = allocator::live_bytes_of(&self.build);
        drop(black_box(world));
        bytes as f64 / workloads::MEMORY.items as f64
    }
}
