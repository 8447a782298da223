//! What must not matter: the order in which values are handed in, and the number of threads.

use crate::road::{TaskBuilder, by_name, compile, evaluator, expected, opened, sealed};
use cipherloom::circuit::Outcome;
use cipherloom::platform::Simd;
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Literal, Program};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use std::sync::Arc;

type Cells = SortedMap<String, Exact>;

/// Products, sums and turns of three values.
fn task(kind: &str) -> Literal {
    let mut task = TaskBuilder::default();
    let attrs = format!(r#"kind="{kind}", shape=[300], where="encrypted""#);
    let [a, b, c] = ["a", "b", "c"].map(|name| task.input(name, &attrs, Some(["-9", "9"])));
    let difference = task.op("value.sub", "", &[a, b]);
    let product = task.op("value.multiply", "", &[difference, c]);
    let sum = task.op("value.sum", "", &[product]);
    let turned = task.op("value.rotate", "axis=0, steps=7", &[a]);
    task.output("difference", difference);
    task.output("sum", sum);
    task.output("turned", turned);
    task.finish()
}

fn data() -> Cells {
    let cells = |seed: i128| Exact::new((0..300).map(|k| Number::from((k * seed + 3) % 19 - 9)).collect());
    [("a", 7), ("b", 5), ("c", 11)].map(|(name, seed)| (name.to_owned(), cells(seed))).into()
}

fn road(kind: &str) -> (Literal, Arc<Program>, Client) {
    let task = task(kind);
    let program = compile(&task);
    let client = Client::new(Arc::clone(&program), Arc::new(Simd::new()), || 0.0).unwrap();
    (task, program, client)
}

#[test]
fn values_come_in_any_order() {
    let (task, program, client) = road("integer");
    let (sealed, evaluator) = (sealed(&client, &data()), evaluator(&client, &program));
    let given = by_name(&sealed);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let turned = order.map(|index| given[index]);
        let job = evaluator.run(&turned, &SortedMap::new()).unwrap();
        assert_eq!(opened(&client, job, &SortedMap::new()), expected(&task, &data()), "{order:?}");
    }
}

#[test]
fn every_number_of_threads_gives_the_same_bytes() {
    for kind in ["integer", "real"] {
        let (_, program, client) = road(kind);
        let (sealed, evaluator) = (sealed(&client, &data()), evaluator(&client, &program));
        assert!(!evaluator.plan().is_small(), "too little for several threads");
        let run = || match evaluator.run(&by_name(&sealed), &SortedMap::new()).unwrap().complete().unwrap() {
            Outcome::Objects(objects) => objects,
            _ => panic!("results are objects"),
        };
        let pools = [1, 2, 3, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
        let first = pools[0].install(run);
        for pool in &pools {
            for time in 0..3 {
                let threads = pool.current_num_threads();
                assert!(pool.install(run) == first, "{kind}: {threads} threads, time {time}");
            }
        }
    }
}
