//! What must not matter: the order in which inputs are handed in, and the number of threads.

#![allow(clippy::unwrap_used, reason = "tests")]

mod road;

use cipherloom::platform::Simd;
use road::{Data, Road, numbers, part, task};
use std::sync::Arc;

const TASK: &str = r#"{"inputs":[{"name":"a","rows":300,"min":"0","max":"120"},{"name":"b","rows":300,"min":"-9","max":"9"},
    {"name":"c","rows":300,"min":"0","max":"50"}],
    "nodes":[{"op":"column.sub","inputs":[0,1]},{"op":"stats.covariance","inputs":[3,2]},{"op":"stats.variance","inputs":[0]}],
    "outputs":[{"name":"difference","operand":3},{"name":"covariance","operand":4},{"name":"variance","operand":5}]}"#;

fn road() -> Road {
    let mut road = Road::on(Arc::new(Simd::new()), task(TASK));
    road.load_keys();
    road
}

fn data() -> Data<'static> {
    let column = |name, seed, min, max| (name, numbers(seed, 300, min, max), None);
    vec![column("a", 1, 0, 120), column("b", 2, -9, 9), column("c", 3, 0, 50)]
}

#[test]
fn inputs_come_in_any_order() {
    let road = road();
    let data = data();
    let [a, b, c] = [0, 1, 2].map(|i| data[i].1.clone());
    let difference: Vec<i128> = a.iter().zip(&b).map(|(a, b)| i128::from(a - b)).collect();
    let product: i128 = difference.iter().zip(&c).map(|(d, &c)| d * i128::from(c)).sum();
    let squares: i128 = a.iter().map(|&a| i128::from(a * a)).sum();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let given: Data<'_> = order.iter().map(|&index| data[index].clone()).collect();
        let inputs = road.encrypt(&given);
        // Handed in to the evaluator in yet another order.
        let turned = [inputs[1].clone(), inputs[2].clone(), inputs[0].clone()];
        for inputs in [inputs.as_slice(), &turned] {
            let results = road.decrypt(&road.evaluate(inputs));
            assert_eq!(results["difference"].parts["values"], difference, "{order:?}");
            assert_eq!(part(&results["covariance"], "sumXY"), product, "{order:?}");
            assert_eq!(part(&results["variance"], "sumSquares"), squares, "{order:?}");
        }
    }
}

#[test]
fn every_number_of_threads_gives_the_same_bytes() {
    let road = road();
    let inputs = road.encrypt(&data());
    let pools = [1, 2, 3, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let expected = pools[0].install(|| road.evaluate(&inputs));
    for pool in &pools {
        for time in 0..3 {
            assert!(
                pool.install(|| road.evaluate(&inputs)) == expected,
                "{} threads, time {time}",
                pool.current_num_threads()
            );
        }
    }
}
