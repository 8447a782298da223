//! The wasm build computes what the native one does: a task from literal to numbers through the JavaScript border, on several threads where the build
//! has them; and the conformance suite, which the scalar kernels pass in `bindings/test/e2e/verify.test.ts`, and all families of the `single` build together.
#![cfg(target_arch = "wasm32")]

use cipherloom::platform::{Simd, conformance};
use cipherloom_border::RawJob;
use cipherloom_border::tasks::{RawClient, RawEvaluator, RawProgram};
use cipherloom_wasm_tests::start_pool;
use js_sys::{BigInt64Array, Float64Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const TASK: &str = r#"{"inputs":[
        {"name":"a","type":"value[1]{kind=\"integer\", shape=[5], where=\"encrypted\"}","min":"-9","max":"9"},
        {"name":"b","type":"value[1]{kind=\"integer\", shape=[5], where=\"encrypted\"}","min":"0","max":"9"}],
    "nodes":[{"op":"value.multiply","inputs":[0,1]},{"op":"value.sum","inputs":[2]},{"op":"stats.covariance","inputs":[0,1],"attrs":"{of=\"sample\"}"}],
    "outputs":[{"name":"sum","operand":3},{"name":"cov","operand":4}]}"#;

fn compiled(task: &str) -> Result<RawProgram, JsValue> {
    let steps = format!(r#"[{{"task":{task}}}]"#);
    Ok(RawProgram::compile_all(&steps, "{}", None).map_err(JsValue::from)?.remove(0))
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn bytes_of(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

fn run(job: &mut RawJob) {
    while !job.step(5.0) {}
}

/// All families together, as they run, where `bindings/test` does not have them so; and those after the first alone, which others leave little to, where kernels
/// are others than in the build with threads. In the `relaxed` build `f64x2-fma` is `relaxed_madd` itself, where this machine rounds it once.
#[wasm_bindgen_test]
fn simd_conforms() {
    let families = Simd::new().families();
    let (fused, relaxed) = (families.contains(&"f64x2-fma"), cfg!(target_feature = "relaxed-simd"));
    assert!(relaxed || !fused, "{families:?}");
    if relaxed && !fused {
        console_log!("NOT TESTED: f64x2-fma, since relaxed_madd rounds twice on this machine");
    }
    let alone = families.into_iter().skip(if cfg!(feature = "threads") && !relaxed { usize::MAX } else { 1 });
    let together = cfg!(feature = "threads").then(Simd::new);
    for platform in alone.map(Simd::only).chain(together) {
        let report = conformance::check(&platform).unwrap();
        assert!(report.operators.iter().all(|(_, cases)| *cases > 0));
    }
}

#[wasm_bindgen_test]
async fn a_task_becomes_numbers() {
    start_pool(3).await.unwrap();
    let program = compiled(TASK).unwrap();
    let client = RawClient::new(&program).ok().unwrap();
    let mut evaluator = RawEvaluator::new(&bytes_of(&program.bytes()), false).ok().unwrap();
    for name in evaluator.missing_keys() {
        let mut job = client.key_job(&name).ok().unwrap();
        run(&mut job);
        evaluator.load_key(&bytes_of(&job.take_bytes().ok().unwrap())).ok().unwrap();
    }
    // One value in doubles, one in 64-bit words.
    let values = vec![
        Float64Array::from([-9.0, 3.0, 0.0, 4.0, 9.0].as_slice()).into(),
        BigInt64Array::from([1i64, 2, 3, 4, 5].as_slice()).into(),
    ];
    let names = || vec!["a".to_owned(), "b".to_owned()];
    let mut job = client.encrypt_job(names(), values, vec![JsValue::UNDEFINED; 2]).ok().unwrap();
    run(&mut job);
    let bytes = |objects: js_sys::Array| -> Vec<Uint8Array> {
        objects.iter().map(|object| get(&object, "bytes").unchecked_into()).collect()
    };
    let inputs = bytes(job.take_objects().ok().unwrap());
    let mut job = evaluator.run_job(names(), inputs.clone(), vec![], vec![], vec![]).ok().unwrap();
    job.set_trace(true);
    run(&mut job);
    let results = bytes(job.take_objects().ok().unwrap());
    let decrypted = client.decrypt_job(results, vec![], vec![], vec![], true, names(), inputs);
    let mut job = decrypted.ok().unwrap();
    run(&mut job);
    let outputs = job.take_cells().ok().unwrap();
    for (index, expected) in [58.0, 9.25].into_iter().enumerate() {
        let cells = get(&outputs.get(index as u32), "cells").unchecked_into::<Float64Array>();
        assert_eq!(cells.to_vec(), [expected]);
    }
}

#[wasm_bindgen_test]
async fn what_is_thrown_has_a_code() {
    // Whoever asks rayon for its threads before fixes them at one.
    start_pool(3).await.unwrap();
    let task = TASK.replace("covariance", "median");
    let Err(thrown) = compiled(&task) else { panic!("an unknown operator was taken") };
    assert_eq!(get(&thrown, "code").as_string().unwrap(), "operator.unknown");
    assert_eq!(get(&get(&thrown, "details"), "operator").as_string().unwrap(), "stats.median");
    assert!(thrown.is_instance_of::<js_sys::Error>());
}
