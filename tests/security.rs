//! Security levels: parameters that are chosen have them, what is below them is refused or says so wherever it is told of.

use crate::road::{self, TaskBuilder, expected, run};
use cipherloom::Error;
use cipherloom::graph::{parse, print};
use cipherloom::platform::{Scalar, Simd};
use cipherloom::schemes::security::{SecurityBits, SecurityTable};
use cipherloom::sorted::SortedMap;
use cipherloom::tasks::{Client, Evaluator, Literal, Options, Passes, Program, Step};
use cipherloom::values::Exact;
use cipherloom::values::number::Number;
use std::sync::Arc;

/// The sum of squares of four cells of a kind, and the cells and their sum.
fn squares(kind: &str) -> (Literal, SortedMap<String, Exact>) {
    let mut task = TaskBuilder::default();
    let ty = format!(r#"kind="{kind}", shape=[4], where="encrypted""#);
    let x = task.input("x", &ty, Some(["-9", "9"]));
    let square = task.op("value.square", "", &[x]);
    let sum = task.op("value.sum", "", &[square]);
    task.output("sum", sum);
    let cells = [3.0, -9.0, 0.0, 7.0].map(|cell| Number::from_f64(cell).unwrap());
    (task.finish(), SortedMap::from([("x".to_owned(), Exact::new(cells.into()))]))
}

fn is_right(program: &Arc<Program>, task: &Literal, inputs: &SortedMap<String, Exact>) {
    let (found, expected) = (run(program, inputs), expected(task, inputs));
    for (a, b) in found["sum"].cells.iter().zip(&expected["sum"].cells) {
        assert!((a.to_f64() - b.to_f64()).abs() < 1e-3, "{a:?} {b:?}");
    }
}

fn compile(task: &Literal, options: &Options) -> Result<Arc<Program>, Error> {
    Program::compile(task.clone(), options).map(Arc::new)
}

#[test]
fn parameters_of_each_level_have_it_and_compute() {
    for kind in ["integer", "real"] {
        let (task, inputs) = squares(kind);
        let mut rings = SortedMap::new();
        for table in SecurityTable::ALL {
            for security_bits in SecurityBits::ALL {
                for quantum in [false, true] {
                    let security = Some(table.name().to_owned());
                    let options = Options { security, security_bits, quantum, ..Options::default() };
                    let program = compile(&task, &options).unwrap();
                    let report = program.report().unwrap();
                    let level = program.parameters().level();
                    assert_eq!(report.max_total_bits, level.max_bits(report.n).unwrap());
                    assert!(report.total_bits <= f64::from(report.max_total_bits), "{level}");
                    assert_eq!(
                        (report.security, report.security_bits, report.quantum),
                        (table.name(), security_bits.get(), quantum)
                    );
                    assert!((2048..=32768).contains(&report.n), "{level}: {}", report.n);
                    let told = program.explain().unwrap();
                    let security = told.reasons.iter().find(|reason| reason.about == "security").unwrap();
                    assert!(security.text.starts_with(&level.to_string()), "{}", security.text);
                    is_right(&program, &task, &inputs);
                    // Whoever opens it sees the level.
                    let opened = Program::from_bytes(&program.bytes()).unwrap();
                    assert_eq!((opened.id(), opened.parameters().level()), (program.id(), level));
                    assert!(!program.text("scheme", &Simd::new()).unwrap().contains("//"));
                    rings.insert((table.name(), security_bits, quantum), report.n);
                }
            }
        }
        for ((table, bits, quantum), n) in &rings {
            let lower = |bits, quantum| rings[&(*table, bits, quantum)];
            assert!(*n >= lower(*bits, false) && *n >= lower(SecurityBits::Bits128, *quantum), "{rings:?}");
        }
        let (least, most) = (rings.values().min(), rings.values().max());
        assert!(least < most, "{rings:?}");
    }
}

#[test]
fn rings_beside_those_that_are_chosen_compute_where_they_are_asked_for() {
    for (kind, n) in [("integer", 65536), ("real", 65536), ("integer", 131_072), ("real", 131_072)] {
        let (task, inputs) = squares(kind);
        let security_bits = SecurityBits::Bits192;
        let program = compile(&task, &Options { n: Some(n), security_bits, ..Options::default() }).unwrap();
        assert_eq!(program.parameters().literal().n, n);
        is_right(&program, &task, &inputs);
    }
    // The smallest one has room for a sum.
    let mut task = TaskBuilder::default();
    let x = task.input("x", r#"kind="integer", shape=[4], where="encrypted""#, Some(["0", "9"]));
    let double = task.op("value.add", "", &[x, x]);
    task.output("sum", double);
    let task = task.finish();
    let program = compile(&task, &Options { n: Some(1024), ..Options::default() }).unwrap();
    assert_eq!(program.report().unwrap().security_bits, 128);
    is_right(&program, &task, &SortedMap::from([("x".to_owned(), Exact::integers([1, 2, 3, 9]))]));
    // A standard that says nothing of larger ones.
    let security = Some("standard-2018".to_owned());
    let error = compile(&task, &Options { n: Some(65536), security, ..Options::default() }).err().unwrap();
    assert_eq!(error.code(), "parameters.invalid", "{error}");
}

#[test]
fn the_default_level_is_not_written() {
    let (task, _) = squares("integer");
    let text = |options| {
        let bytes = compile(&task, &options).unwrap().bytes();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let plain = text(Options::default());
    assert!(plain.contains(r#""table":"guidelines-2024"},"precision""#), "{plain}");
    let allowed = Options { allow_insecure: true, ..Options::default() };
    assert_eq!(text(allowed), plain);
    let level = Options { security_bits: SecurityBits::Bits192, quantum: true, ..Options::default() };
    assert!(text(level).contains(r#""table":"guidelines-2024","bits":192,"quantum":true},"#));
}

#[test]
fn what_is_too_deep_says_which_level_would_do() {
    let mut task = TaskBuilder::default();
    let mut x = task.input("x", r#"kind="integer", shape=[4], where="encrypted""#, Some(["0", "1"]));
    for _ in 0..9 {
        x = task.op("value.square", "", &[x]);
    }
    task.output("y", x);
    let task = task.finish();
    assert!(compile(&task, &Options::default()).is_ok());
    let high = Options { security_bits: SecurityBits::Bits256, quantum: true, ..Options::default() };
    let error = compile(&task, &high).err().unwrap();
    assert_eq!(error.code(), "parameters.none");
    let text = error.to_string();
    assert!(text.contains("at 256-bit security against quantum computers (guidelines-2024): "), "{text}");
    assert!(
        text.contains(
            "; 128-bit security against quantum computers (guidelines-2024) would do, at n = 32768"
        ),
        "{text}"
    );
    // Larger rings, where these are asked for.
    let program = compile(&task, &Options { n: Some(65536), ..high }).unwrap();
    assert!(program.parameters().total_bits() <= 773.0);
}

#[test]
fn what_is_not_secure_is_refused_unless_it_is_allowed() {
    let (task, inputs) = squares("integer");
    // A ring that no table has, one that the level lacks, and one that is too small for the task.
    for (n, expected) in [(64, "one of 1024, 2048"), (512, "one of 1024, 2048")] {
        let error = compile(&task, &Options { n: Some(n), ..Options::default() }).err().unwrap();
        let Error::Insecure { what, found, expected: said } = &error else { panic!("{error}") };
        assert_eq!((what.as_str(), found), ("n", &n.to_string()));
        assert!(
            said.starts_with(expected) && said.ends_with("for 128-bit security (guidelines-2024)"),
            "{error}"
        );
        assert!(error.to_string().contains("`allowInsecure: true`"), "{error}");
    }
    let small = compile(&task, &Options { n: Some(1024), ..Options::default() }).err().unwrap();
    assert_eq!(small.code(), "parameters.none", "{small}");
    for n in [0, 8, 1000, 1 << 18] {
        let options = Options { n: Some(n), allow_insecure: true, ..Options::default() };
        assert_eq!(compile(&task, &options).err().unwrap().code(), "parameters.invalid", "{n}");
    }
    for (kind, n) in [("integer", 16), ("integer", 64), ("integer", 1024), ("real", 16), ("real", 256)] {
        let (task, inputs) = squares(kind);
        let options = Options { n: Some(n), allow_insecure: true, ..Options::default() };
        let program = compile(&task, &options).unwrap();
        let report = program.report().unwrap();
        assert_eq!(
            (report.n, report.security, report.security_bits, report.quantum),
            (n, "insecure", 0, false)
        );
        assert_eq!(report.max_total_bits, if n == 1024 { 26 } else { 0 });
        is_right(&program, &task, &inputs);
    }
    // Moduli by hand: those of a larger ring, with room for keys.
    let passes = Passes { open_results: false, ..Passes::ALL };
    let keyed = compile(&task, &Options { passes, ..Options::default() }).unwrap();
    let mut given = road::parameters(&keyed.report().unwrap());
    given.n = 2048;
    given.layouts = SortedMap::new();
    let under = |allow_insecure| {
        compile(&task, &Options { parameters: Some(given.clone()), allow_insecure, ..Options::default() })
    };
    let error = under(false).err().unwrap();
    let Error::Insecure { what, expected, .. } = &error else { panic!("{error}") };
    assert_eq!(
        (what.as_str(), expected.as_str()),
        ("bits of all moduli", "at most 53 at n = 2048 for 128-bit security (guidelines-2024)")
    );
    let program = under(true).unwrap();
    assert_eq!(program.report().unwrap().security, "insecure");
    is_right(&program, &task, &inputs);
}

#[test]
fn what_is_not_secure_says_so_in_every_print_and_is_opened_by_consent() {
    let (task, inputs) = squares("integer");
    let options = Options { n: Some(64), allow_insecure: true, ..Options::default() };
    let program = compile(&task, &options).unwrap();
    let warning = program.warning().unwrap();
    assert!(warning.starts_with("INSECURE, for teaching only"), "{warning}");
    assert!(
        warning.ends_with("are not 128-bit security (guidelines-2024), which has no n = 64"),
        "{warning}"
    );
    let told = program.explain().unwrap();
    assert!(told.reasons.iter().any(|reason| reason.about == "security" && reason.text == warning));
    for stage in Program::STAGES {
        let text = program.text(stage, &Scalar::new()).unwrap();
        assert_eq!(text.lines().nth(1).unwrap(), format!("// {warning}"), "{stage}");
        let graph = program.stage(stage, &Scalar::new()).unwrap();
        assert_eq!(print(&parse(&text).unwrap()), print(&graph), "{stage}");
    }
    // Bytes of others.
    let bytes = program.bytes();
    let error = Program::from_bytes(&bytes).err().unwrap();
    let Error::Insecure { what, found, .. } = &error else { panic!("{error}") };
    assert_eq!((what.as_str(), found.as_str()), ("n", "64"));
    let refused = Evaluator::new(&bytes, &Scalar::new(), || 0.0).err().unwrap();
    assert_eq!(refused.code(), "parameters.insecure");
    let opened = Arc::new(Program::opened(&bytes, true).unwrap());
    assert_eq!((opened.id(), opened.warning()), (program.id(), Some(warning)));
    is_right(&opened, &task, &inputs);
    // Secure ones need no consent, and it changes nothing.
    let secure = compile(&task, &Options::default()).unwrap();
    assert_eq!(Program::opened(&secure.bytes(), true).unwrap().id(), secure.id());
    assert!(secure.warning().is_none());
    // A key is one of parameters, whoever compiles under them again has to allow it, too.
    let mut given = road::parameters(&program.report().unwrap());
    given.layouts = SortedMap::new();
    let again = |allow_insecure| {
        let options = Options { parameters: Some(given.clone()), allow_insecure, ..Options::default() };
        Program::compile_all(vec![Step::from(task.clone())], &options)
    };
    assert_eq!(again(false).err().unwrap().code(), "parameters.insecure");
    let again = Arc::new(again(true).unwrap().remove(0));
    let client = Client::new(program, Arc::new(Simd::new()), || 0.0).unwrap();
    assert!(client.for_program(again).is_ok());
}
