//! Many threads give what one gives.

use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;
use std::sync::Mutex;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Place(f32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Force(f32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Charge(f32);

const THREADS: &[usize] = if cfg!(miri) { &[1, 2] } else { &[1, 2, 3, 8] };
const COUNT: u16 = if cfg!(miri) { 66 } else { 1000 };

fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(f)
}

fn filled() -> World {
    let mut world = World::new();
    for n in 0..COUNT {
        let place = Place(f32::from(n) * 0.37 + 1.0 / f32::from(n + 1));
        match n % 3 {
            0 => world.spawn((place, Force(0.0))),
            1 => world.spawn((place, Force(0.0), Charge(f32::from(n) * 0.1))),
            _ => world.spawn((Charge(0.5), Force(0.0), place)),
        };
    }
    world
}

fn bits(world: &mut World) -> Vec<u32> {
    world.query::<&Force>().iter().map(|force| force.0.to_bits()).collect()
}

fn pull((p, f): (&Place, &mut Force), (q, g): (&Place, &mut Force)) {
    let pull = 1.0 / (q.0 - p.0 + 0.001);
    f.0 += pull;
    g.0 -= pull * 1.000_1;
}

#[test]
fn pairs_in_parallel_are_equal_to_the_last_bit_on_any_number_of_threads() {
    let mut expected = filled();
    expected.query::<(&Place, &mut Force)>().pairs_mut(pull);
    let expected = bits(&mut expected);
    assert!(expected.iter().any(|bits| *bits != 0));
    for &threads in THREADS {
        let mut world = filled();
        on_threads(threads, || world.query::<(&Place, &mut Force)>().par_pairs_mut(pull));
        assert_eq!(bits(&mut world), expected, "{threads} threads");
    }
}

#[test]
fn pairs_driven_by_a_sparse_set_are_equal_too() {
    let meet = |(c, f): (&Charge, &mut Force), (d, g): (&Charge, &mut Force)| {
        f.0 = f.0 * 0.99 + d.0;
        g.0 = g.0 * 1.01 - c.0;
    };
    let mut expected = filled();
    expected.query::<(&Charge, &mut Force)>().pairs_mut(meet);
    let expected = bits(&mut expected);
    for &threads in THREADS {
        let mut world = filled();
        on_threads(threads, || world.query::<(&Charge, &mut Force)>().par_pairs_mut(meet));
        assert_eq!(bits(&mut world), expected, "{threads} threads");
    }
}

#[test]
fn shared_pairs_in_parallel_are_the_same_set() {
    let mut world = filled();
    let (mut one, many) = (Vec::new(), Mutex::new(Vec::new()));
    let query = world.query_filtered::<Entity, With<Charge>>();
    query.pairs(|a, b| one.push((a, b)));
    on_threads(2, || query.par_pairs(|a, b| many.lock().expect("no panic").push((a, b))));
    let mut many = many.into_inner().expect("no panic");
    many.sort();
    one.sort();
    assert_eq!(one, many);
}

#[test]
fn each_item_is_visited_once_on_any_number_of_threads() {
    for &threads in THREADS {
        let mut world = filled();
        on_threads(threads, || {
            world.query::<&mut Force>().par_for_each(|force| force.0 += 1.0);
            world.query::<(&mut Force, &Charge)>().par_for_each(|(force, _)| force.0 += 2.0);
            world.query_filtered::<&mut Force, Without<Charge>>().par_for_each(|force| force.0 += 4.0);
            world.query::<&mut Charge>().par_for_each(|charge| charge.0 = 9.0);
            world.query::<(Option<&Charge>, &mut Force)>().par_for_each(|(charge, force)| {
                assert!(charge.is_none_or(|charge| charge.0.to_bits() == 9.0f32.to_bits()));
                force.0 += 8.0;
            });
        });
        for (force, charged) in world.query::<(&Force, Has<Charge>)>() {
            assert_eq!(force.0.to_bits(), if charged { 11.0f32 } else { 13.0 }.to_bits());
        }
        assert!(world.query::<&Charge>().iter().all(|charge| charge.0.to_bits() == 9.0f32.to_bits()));
    }
}

#[test]
fn nothing_to_visit_is_fine() {
    let mut world = World::new();
    world.query::<&mut Force>().par_for_each(|_| unreachable!());
    world.query::<&mut Charge>().par_for_each(|_| unreachable!());
    world.query::<&mut Force>().par_pairs_mut(|_, _| unreachable!());
    assert_eq!(world.query::<&Force>().par_chunks(8, <[Force]>::len), [0; 0]);
}

#[test]
fn chunks_in_parallel_depend_on_rows_alone_and_come_in_order() {
    let mut one = filled();
    let mut expected: Option<Vec<(usize, u32)>> = None;
    for &threads in THREADS {
        let sums = on_threads(threads, || {
            one.query::<&Place>()
                .par_chunks(64, |places| (places.len(), places.iter().map(|p| p.0).sum::<f32>().to_bits()))
        });
        assert!(sums.iter().all(|(rows, _)| *rows <= 64));
        assert_eq!(sums.iter().map(|(rows, _)| *rows).sum::<usize>(), usize::from(COUNT));
        assert_eq!(*expected.get_or_insert_with(|| sums.clone()), sums, "{threads} threads");
    }
    let mut walked = one.query::<&Place>().iter().map(|place| place.0.to_bits()).collect::<Vec<_>>();
    let chunked =
        one.query::<&Place>().par_chunks(7, |places| places.iter().map(|p| p.0.to_bits()).collect::<Vec<_>>());
    assert_eq!(chunked.concat(), walked);
    one.query::<(&mut Place, Entity)>().par_chunks(5, |(places, entities)| {
        assert_eq!(places.len(), entities.len());
        for place in places {
            place.0 = -place.0;
        }
    });
    for bits in &mut walked {
        *bits ^= 1 << 31;
    }
    assert_eq!(one.query::<&Place>().iter().map(|place| place.0.to_bits()).collect::<Vec<_>>(), walked);
}

#[test]
#[should_panic(expected = "a chunk has at least one row")]
fn chunks_of_no_rows_are_refused() {
    World::new().query::<&Place>().par_chunks(0, |_| ());
}

#[test]
fn a_cross_in_parallel_equals_a_cross() {
    let combine = |(force, place): (&mut Force, &Place), charge: &Charge| force.0 = force.0 * 0.9 + charge.0 * place.0;
    let mut expected = filled();
    expected.cross::<(&mut Force, &Place), &Charge>(combine);
    let expected = bits(&mut expected);
    for &threads in THREADS {
        let mut world = filled();
        let (mut forces, mut charges) = (Prepared::<(&mut Force, &Place)>::new(), Prepared::<&Charge>::new());
        on_threads(threads, || forces.par_cross(&mut charges, &mut world, combine)).expect("no conflict");
        assert_eq!(bits(&mut world), expected, "{threads} threads");
    }
}

#[test]
fn a_cross_in_parallel_that_writes_what_the_other_reads_is_refused() {
    let mut world = filled();
    let before = bits(&mut world);
    let (mut forces, mut reads) = (Prepared::<&mut Force>::new(), Prepared::<(&Place, &Force)>::new());
    let error = forces.par_cross(&mut reads, &mut world, |force, _| force.0 = 1.0).expect_err("conflict");
    assert!(error.to_string().contains("the first writes what the second reads"), "{error}");
    assert_eq!(bits(&mut world), before);
}
