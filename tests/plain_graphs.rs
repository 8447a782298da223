//! Small graphs over plain data in the text form, in all units, against values written out by hand.

use cipherloom::engine::{Input, Plan, PlanOptions, Run};
use cipherloom::graph::{GraphError, parse};
use cipherloom::ops::Registry;
use cipherloom::platform::{Platform, Scalar, Simd};
use cipherloom::{Error, Result};
use std::sync::Arc;

fn plan(unit: u32, lines: &str, platform: &dyn Platform) -> Result<Plan> {
    let text = format!("cipherloom-graph 1\nunit {unit}\n{lines}");
    Plan::new(&parse(&text).unwrap(), &Registry::core(), platform, PlanOptions::default())
}

/// Bytes as words, the last one filled up.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).map(word).collect()
}

/// The outputs, as bytes; the same on both platforms, on any number of threads, and one operator after the other.
fn run(unit: u32, lines: &str, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for platform in [&Scalar::new() as &dyn Platform, &Simd::new()] {
        let plan = Arc::new(plan(unit, lines, platform).unwrap_or_else(|error| panic!("{error}")));
        let inputs = || inputs.iter().map(|bytes| Input::from(words(bytes))).collect();
        let new = || Run::new(Arc::clone(&plan), inputs(), || 0.0).unwrap();
        let outputs = |run: &Run| -> Vec<Vec<u8>> {
            let bytes =
                |index| run.output(index).unwrap().iter().flat_map(|word| word.to_le_bytes()).collect();
            (0..plan.graph().outputs().len()).map(bytes).collect()
        };
        let mut straight = new();
        straight.finish_straight().unwrap();
        all.push(outputs(&straight));
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut run = new();
            pool.install(|| run.finish());
            all.push(outputs(&run));
        }
    }
    assert!(all.iter().all(|outputs| *outputs == all[0]), "{all:?}");
    all.swap_remove(0)
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn u32s(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn u64s(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Outputs come in whole words.
fn filled(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

#[test]
fn two_vectors_are_added() {
    let lines = "type !0 = f32[3]{shape=[3]}\ninput %0 : !0 [0,3) \"v1\"\ninput %1 : !0 [3,6) \"v2\"\n\
                 op %2 = f32.add(%0, %1) : !0 [6,9)\noutput %2 \"sum\"\n";
    let found = run(32, lines, &[f32s(&[1.5, -2.0, 0.1]), f32s(&[0.25, 2.0, 0.2])]);
    assert_eq!(found, [filled(f32s(&[1.75, 0.0, 0.3]))], "0.1 + 0.2 is 0.3 in f32, to the last bit");
}

#[test]
fn a_perceptron_of_two_layers() {
    let lines = "type !0 = f32[2]{shape=[1,2]}\ntype !1 = f32[6]{shape=[2,3]}\ntype !2 = f32[3]{shape=[3]}\n\
                 type !3 = f32[6]{shape=[3,2]}\ntype !4 = f32[2]{shape=[2]}\ntype !5 = f32[1]{shape=[]}\n\
                 type !6 = f32[3]{shape=[1,3]}\n\
                 input %0 : !0 [0,2) \"x\"\ninput %1 : !1 [2,8) \"w1\"\ninput %2 : !2 [8,11) \"b1\"\n\
                 input %3 : !3 [11,17) \"w2\"\ninput %4 : !4 [17,19) \"b2\"\ninput %5 : !5 [19,20) \"zero\"\n\
                 op %6 = f32.matmul(%0, %1) : !6 [20,23)\nop %7 = f32.add(%6, %2) : !6 [23,26)\n\
                 op %8 = f32.max(%7, %5) : !6 [26,29)\nop %9 = f32.matmul(%8, %3) : !0 [29,31)\n\
                 op %10 = f32.add(%9, %4) : !0 [31,33)\noutput %8 \"hidden\"\noutput %10 \"y\"\n";
    let inputs = [
        f32s(&[1.0, -2.0]),
        f32s(&[1.0, 0.0, -1.0, 2.0, 1.0, 0.5]),
        f32s(&[4.0, 1.0, 2.5]),
        f32s(&[1.0, 2.0, 3.0, 4.0, -2.0, 6.0]),
        f32s(&[0.25, -1.0]),
        f32s(&[0.0]),
    ];
    // x W1 = [-3, -2, -2], with b1 [1, -1, 0.5]; [1, 0, 0.5] W2 = [0, 5].
    assert_eq!(run(32, lines, &inputs), [filled(f32s(&[1.0, 0.0, 0.5])), f32s(&[0.25, 4.0])]);
}

#[test]
fn bits_from_inside_a_byte() {
    // x = 0b1011_0010_0101_1101: bits [3,11) are 0b0100_1011, bits [6,14) 0b1100_1001.
    let lines = "type !0 = bit[16]{shape=[16]}\ntype !1 = bit[8]{shape=[8]}\ntype !2 = bit[3]{shape=[3]}\n\
                 input %0 : !0 [0,16) \"x\"\n\
                 op %1 = bit.xor(!1 [3,11), !1 [6,14)) : !1 [16,24)\n\
                 op %2 = bit.not(!2 [17,20)) : !2 [24,27)\n\
                 op %3 = bit.and(!2 [25,27)+[1,2), !2 [0,3)) : !2 [27,30)\n\
                 output %1 \"xor\"\noutput %2 \"not\"\noutput %3 \"and\"\noutput !1 [23,24)+[24,27)+[2,6) \"merged\"\n";
    let x = 0b1011_0010_0101_1101u16;
    // 0b0100_1011 ^ 0b1100_1001 = 0b1000_0010; its bits [1,4) are 0b001, not 0b110; bits 1, 2 of those and bit 1 of x
    // are 0b011, and with 0b101 0b001.
    let merged = 0b0111_1101; // bit 7 of the xor, 0b110, bits [2,6) of x: 0b0111.
    let found = run(1, lines, &[x.to_le_bytes().to_vec()]);
    assert_eq!(found, [[0b1000_0010], [0b110], [0b001], [merged]].map(|bytes| filled(bytes.to_vec())));
}

#[test]
fn one_place_as_bytes_bits_and_words() {
    let lines = "type !0 = u8[64]{shape=[8]}\ntype !1 = bit[32]{shape=[32]}\ntype !2 = u32[32]{shape=[1]}\n\
                 type !3 = u8[32]{shape=[4]}\ntype !4 = u32[64]{shape=[2]}\ntype !5 = u64[64]{shape=[]}\n\
                 attrs #0 = {axis=0}\n\
                 input %0 : !0 [0,64) \"bytes\"\n\
                 op %1 = bit.not(!1 [0,32)) : !1 [64,96)\n\
                 op %2 = u32.add(!2 [64,96), !2 [32,64)) : !2 [96,128)\n\
                 op %3 = u8.rotl(!3 [96,128), !3 [4,36)) : !3 [128,160)\n\
                 op %4 = u32.sum#0(!4 [64,128)) : !5 [160,224)\n\
                 output !2 [64,96) \"inverted\"\noutput %2 \"sum\"\noutput %3 \"rotated\"\noutput %4 \"total\"\n";
    let bytes = vec![0x10, 0x32, 0x54, 0x76, 0x01, 0x00, 0x00, 0x80];
    // The first word is 0x76543210, the second 0x80000001.
    let (inverted, sum) = (0x89ab_cdefu32, 0x09ab_cdf0u32);
    // Bits [4,36) as bytes: 0x21, 0x43, 0x65, 0x17; amounts modulo 8: 1, 3, 5, 7.
    let rotated: Vec<u8> =
        [(0xf0u8, 1), (0xcd, 3), (0xab, 5), (0x09, 7)].map(|(x, by)| x.rotate_left(by)).into();
    assert_eq!(rotated, [0xe1, 0x6e, 0x75, 0x84]);
    let total = 0x9357_9bdfu64;
    assert_eq!(
        run(1, lines, &[bytes]),
        [filled(u32s(&[inverted])), filled(u32s(&[sum])), filled(rotated), u64s(&[total])]
    );
}

#[test]
fn pieces_are_merged_and_outputs_scattered() {
    // The output of the second operator lies in two places; what reads across takes a copy.
    let lines = "type !0 = u8[4]{shape=[4]}\ntype !1 = u8[2]{shape=[2]}\ntype !2 = u8[8]{shape=[8]}\n\
                 type !3 = u8[8]{shape=[2,4]}\nattrs #0 = {axes=[1,0]}\ntype !4 = u8[8]{shape=[4,2]}\n\
                 input %0 : !0 [0,4) \"a\"\ninput %1 : !0 [4,8) \"b\"\n\
                 op %2 = u8.add(%0, %1) : !0 [8,10)+[14,16)\n\
                 op %3 = u8.sub(!1 [9,10)+[14,15), !1 [3,4)+[4,5)) : !1 [10,12)\n\
                 op %4 = u8.transpose#0(!3 [0,4)+[8,10)+[14,16)) : !4 [16,24)\n\
                 output %3 \"difference\"\noutput %4 \"turned\"\noutput !2 [14,16)+[0,2)+[10,12)+[8,10) \"mixed\"\n";
    let found = run(8, lines, &[vec![1, 2, 3, 250], vec![10, 20, 30, 40]]);
    // a + b = [11, 22, 33, 34]; [22, 33] - [250, 10] = [28, 23].
    let turned = vec![1, 11, 2, 22, 3, 33, 250, 34];
    assert_eq!(found, [filled(vec![28, 23]), turned, vec![33, 34, 1, 2, 28, 23, 11, 22]]);
}

#[test]
fn a_table_is_looked_up() {
    let lines = "type !0 = u8[256]{shape=[256]}\ntype !1 = u8[16]{shape=[4,4]}\nattrs #0 = {axis=0}\n\
                 type !2 = u8[4]{shape=[4]}\n\
                 input %0 : !0 [0,256) \"table\"\ninput %1 : !1 [256,272) \"state\"\n\
                 op %2 = u8.gather#0(%0, %1) : !1 [272,288)\n\
                 op %3 = u8.reduce_xor#0(%2) : !2 [288,292)\noutput %2 \"found\"\noutput %3 \"columns\"\n";
    let table: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(7) ^ 0x63).collect();
    let state: Vec<u8> = (0..16).map(|i| i * 16).collect();
    let found: Vec<u8> =
        vec![0x63, 0x13, 0x83, 0x33, 0xa3, 0x53, 0xc3, 0x73, 0xe3, 0x93, 0x03, 0xb3, 0x23, 0xd3, 0x43, 0xf3];
    let column = |c: usize| (0..4).fold(0, |sum, r| sum ^ found[4 * r + c]);
    let columns = filled((0..4).map(column).collect());
    assert_eq!(run(8, lines, &[table, state]), [found, columns]);
}

#[test]
fn words_in_a_graph_of_words() {
    // Beside lattice algebra: the residues of a limb are numbers, too, but no tensor becomes a limb.
    let lines = "type !0 = limb[4]{form=\"coeff\", n=4, q=97}\ntype !1 = u64[4]{shape=[4]}\ntype !2 = u64[1]{shape=[]}\n\
                 type !3 = i32[2]{shape=[4]}\ntype !4 = u32[2]{shape=[4]}\nattrs #0 = {axis=0}\n\
                 input %0 : !0 [0,4) \"x\"\ninput %1 : !3 [4,6) \"s\"\n\
                 op %2 = limb.neg(%0) : !0 [6,10)\nop %3 = u64.sum#0(!1 [6,10)) : !2 [10,11)\n\
                 op %4 = i32.lt(%1, !3 [0,2)) : !4 [11,13)\n\
                 output %3 \"sum\"\noutput %4 \"less\"\n";
    let signed: Vec<u8> = [-1i32, 0, 7, i32::MIN].iter().flat_map(|x| x.to_le_bytes()).collect();
    // 96 + 95 + 0 + 1; the words 1 and 2 are 1, 0, 2, 0 as 32-bit numbers.
    assert_eq!(run(64, lines, &[u64s(&[1, 2, 0, 96]), signed]), [u64s(&[192]), u32s(&[1, 0, 0, 1])]);
}

/// What a graph of unit 32 with inputs `a` (`f32[2,3]`), `b` (`f32[4]`), `i` (`i32[6]`), `c` (`u32[2,3]`) is refused for.
fn refused(line: &str) -> Error {
    let lines = "type !0 = f32[6]{shape=[2,3]}\ntype !1 = f32[4]{shape=[4]}\ntype !2 = i32[6]{shape=[6]}\n\
                 type !3 = u32[6]{shape=[2,3]}\ntype !4 = f32[6]{shape=[3,2]}\ntype !5 = f32[5]{shape=[2,3]}\n\
                 type !6 = f32[3]{shape=[3]}\ntype !7 = raw[6]\ntype !8 = f32[6]{shape=[6]}\ntype !9 = u8[1]{shape=[4]}\n\
                 attrs #0 = {axis=2}\nattrs #1 = {axis=-1}\nattrs #2 = {axes=[0,0]}\nattrs #3 = {start=[1,1], size=[1,3]}\n\
                 attrs #4 = {start=[0,0], size=[0,3]}\nattrs #5 = {shape=[3,2]}\nattrs #6 = {axis=0}\n\
                 attrs #7 = {axis=0, mode=\"mean\"}\nattrs #8 = {axis=0, of=\"mean\"}\nattrs #9 = {shape=[18446744073709551615,2,3]}\n\
                 attrs #10 = {start=[18446744073709551615,0], size=[1,3]}\nattrs #11 = {axes=[0]}\n\
                 input %0 : !0 [0,6) \"a\"\ninput %1 : !1 [6,10) \"b\"\ninput %2 : !2 [10,16) \"i\"\n\
                 input %3 : !3 [16,22) \"c\"\n";
    plan(32, &format!("{lines}op %4 = {line}\n"), &Scalar::new()).map(|_| ()).unwrap_err()
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let cases = [
        ("f32.add(%0) : !0 [22,28)", "number of inputs"),
        ("f32.add(%0, %1) : !0 [22,28)", "shape of input 1"),
        ("f32.add(%0, %3) : !0 [22,28)", "input 1"),
        ("f32.neg(!7 [0,6)) : !0 [22,28)", "input 0"),
        ("f32.neg(!5 [0,5)) : !0 [22,28)", "input 0"),
        ("f32.neg(%0) : !4 [22,28)", "output"),
        ("f32.lt(%0, %0) : !0 [22,28)", "output"),
        ("f32.select(%0, %0, %0) : !0 [22,28)", "input 0"),
        ("f32.matmul(%0, %0) : !0 [22,28)", "input 1"),
        ("f32.matmul(%1, %0) : !0 [22,28)", "input 1"),
        ("f32.sum#0(%0) : !6 [22,25)", "axis"),
        ("f32.gather#0(%0, %2) : !0 [22,28)", "axis"),
        ("f32.gather#6(%0, %1) : !0 [22,28)", "input 1"),
        ("f32.scatter#7(!8 [0,6), %2, !8 [0,6)) : !8 [22,28)", "mode"),
        ("f32.scatter#6(%0, %2, %0) : !0 [22,28)", "input 2"),
        ("f32.scan#8(%0) : !0 [22,28)", "of"),
        ("f32.transpose#2(%0) : !0 [22,28)", "axes"),
        ("f32.transpose#11(%0) : !0 [22,28)", "axes"),
        ("f32.slice#3(%0) : !6 [22,25)", "start and size"),
        ("f32.slice#4(%0) : !6 [22,25)", "start and size"),
        ("f32.slice#10(%0) : !6 [22,25)", "start and size"),
        ("f32.broadcast#5(%0) : !4 [22,28)", "shape"),
        ("f32.concat#6(%0, %1) : !0 [22,28)", "input 1"),
        ("f32.concat#6() : !0 [22,28)", "number of inputs"),
    ];
    for (line, expected) in cases {
        match refused(line) {
            Error::Operator { what, op, .. } => {
                assert_eq!((what.as_str(), line.starts_with(&op)), (expected, true), "{line}")
            }
            other => panic!("{line}: {other}"),
        }
    }
    // Attributes that are missing or no size; results that have no type.
    for line in [
        "f32.sum(%0) : !6 [22,25)",
        "f32.sum#1(%0) : !6 [22,25)",
        "f32.slice(%0) : !6 [22,25)",
        "f32.broadcast#9(%0) : !0 [22,28)",
        "bit.convert(!6 [0,3)) : !6 [22,25)",
    ] {
        assert!(matches!(refused(line), Error::Graph(GraphError::Attribute { .. })), "{line}");
    }
    let unknown = |op: &str| Error::UnknownOperator { op: op.into(), at: String::new() };
    for op in ["f32.and", "bit.add", "f32.cbrt", "f16.add", "f32.", ".add"] {
        assert_eq!(refused(&format!("{op}(%0, %0) : !0 [22,28)")), unknown(op));
    }
}
