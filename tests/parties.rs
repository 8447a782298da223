//! Graphs that several parties share: the known answers K-P1, K-P5, K-P6 and K-P7, what crosses, bytes, and random graphs that all parties
//! together compute as one engine does.

use crate::common::{Evaluator, Nested, Random, Task};
use crate::tensors;
use cipherloom::analyze::analyze;
use cipherloom::circuit::{Circuit, CircuitBuilder, Execution, RunOptions, To};
use cipherloom::engine::{Outgoing, Run};
use cipherloom::graph::{Attrs, Graph, OperandId, ValueType};
use cipherloom::ops::tensor::{Element, Tensor};
use cipherloom::ops::types::{Ciphertext, Form, Limb, Poly, Scheme};
use cipherloom::ops::{OpDef, Registry};
use cipherloom::parties::{Crossing, Cut, NOBODY, Owners, Shared, platform};
use cipherloom::platform::{Mixed, Platform, Scalar};
use std::collections::BTreeMap;
use std::sync::Arc;

fn owners(parties: &[&str], inputs: &[u32], operators: &[u32], outputs: &[u32]) -> Owners {
    Owners {
        parties: parties.iter().map(|&name| name.to_owned()).collect(),
        inputs: inputs.to_vec(),
        operators: operators.to_vec(),
        outputs: outputs.to_vec(),
    }
}

fn registry() -> Arc<Registry> {
    Arc::new(cipherloom::registry())
}

fn u32s(len: u64) -> ValueType {
    Tensor::new(Element::U32, [len]).ty(32).unwrap()
}

/// v1, v2 are party one's, v3, v4 party two's: m1 = v1 + v2 (one), m2 = v3 * v4 (two), m3 = `third` of m1, m2 (one), r = v4 + m3 (two).
fn two_parties(third: &str) -> Shared {
    let registry = registry();
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let [v1, v2, v3, v4] = ["v1", "v2", "v3", "v4"].map(|name| g.input(name, u32s(1)).unwrap());
    let mut op = |name: &str, a: OperandId, b: OperandId| g.op(name, Attrs::new(), &[a, b]).unwrap();
    let m1 = op("u32.add", v1, v2);
    let m2 = op("u32.mul", v3, v4);
    let m3 = op(third, m1, m2);
    let r = op("u32.add", v4, m3);
    g.output("r", r);
    let owners = owners(&["one", "two"], &[0, 0, 1, 1], &[0, 1, 0, 1], &[1]);
    Shared::new(g.finish().unwrap(), owners).unwrap()
}

/// A party at work.
struct Party {
    cut: Cut,
    execution: Arc<Execution>,
    run: Run,
    /// Receives that were handed out.
    open: Vec<Outgoing>,
}

/// What crossed: by channel the bytes and the ends.
type Crossed = BTreeMap<[u8; 16], (Crossing, Vec<u8>)>;

fn number(outgoing: &Outgoing) -> u32 {
    outgoing.call.attrs.uint("number").unwrap() as u32
}

impl Party {
    fn start(cut: Cut, circuit: &Circuit, data: &[(&str, &[u8])]) -> Self {
        // What plans rely on, after passes too, to have one order for all parties.
        let dependencies = analyze(circuit.graph()).unwrap();
        let forward = |op: usize| dependencies.dep(op).iter().all(|&dep| (dep as usize) < op);
        assert!((0..dependencies.len()).all(forward), "operators wait for such as are before them");
        let parts: [Arc<dyn Platform>; 2] = [Arc::new(Scalar::new()), Arc::new(platform())];
        let execution = Arc::new(circuit.plan(&Mixed::new(parts, []), &[], RunOptions::default()).unwrap());
        let run = execution.start(data, || 0.0).unwrap();
        Self { cut, execution, run, open: Vec::new() }
    }

    /// Works as far as it can without the others; true where something happened.
    fn work(&mut self, crossed: &mut Crossed) -> bool {
        let before = self.run.progress();
        self.run.finish();
        let mut went = self.run.progress() != before;
        for outgoing in self.run.hand_out().unwrap() {
            went = true;
            if outgoing.call.attrs.get("from").is_some() {
                self.open.push(outgoing);
                continue;
            }
            let to = outgoing.call.attrs.text("to").unwrap();
            let send = self.cut.sends.iter().find(|send| send.number == number(&outgoing) && send.to == to);
            let (send, bytes) = (send.unwrap().clone(), outgoing.inputs[0].to_vec());
            assert_eq!(bytes.len() as u64, send.bytes);
            assert_eq!(outgoing.call.inputs[0], send.ty);
            assert!(crossed.insert(send.channel, (send, bytes)).is_none(), "one transfer for each channel");
            let sent = vec![0; outgoing.call.output.size as usize * self.unit().div_ceil(8)];
            self.execution.deliver(&mut self.run, outgoing.op, &sent).unwrap();
        }
        for outgoing in std::mem::take(&mut self.open) {
            let receive =
                self.cut.receives.iter().find(|receive| receive.number == number(&outgoing)).unwrap();
            match crossed.get(&receive.channel) {
                Some((send, bytes)) => {
                    let ends = (&receive.from, &receive.to, &receive.ty, receive.bytes);
                    assert_eq!(ends, (&send.from, &send.to, &send.ty, send.bytes), "both ends agree");
                    self.execution.deliver(&mut self.run, outgoing.op, bytes).unwrap();
                    went = true;
                }
                None => self.open.push(outgoing),
            }
        }
        went
    }

    fn unit(&self) -> usize {
        self.cut.circuit.graph().unit_bits() as usize
    }

    fn is_done(&self) -> bool {
        let (done, all) = self.run.progress();
        done == all
    }

    fn outputs(&self) -> BTreeMap<String, Vec<u8>> {
        let outputs = self.execution.outputs().enumerate();
        outputs
            .map(|(i, (port, _))| (port.name.clone(), self.execution.output(&self.run, i).unwrap()))
            .collect()
    }
}

/// Runs all parties, in this order again and again; gives all outputs, and what crossed.
fn together(parties: &mut [Party]) -> (BTreeMap<String, Vec<u8>>, Crossed) {
    let mut crossed = Crossed::new();
    while !parties.iter().all(Party::is_done) {
        let mut went = false;
        for party in parties.iter_mut() {
            went |= party.work(&mut crossed);
        }
        assert!(went, "the parties wait for each other");
    }
    (parties.iter().flat_map(Party::outputs).collect(), crossed)
}

/// Cuts for everybody and runs, `change` being what each does with its own part before.
fn run(
    shared: &Shared,
    data: &[(&str, Vec<u8>)],
    change: impl Fn(&Circuit) -> Circuit,
) -> (BTreeMap<String, Vec<u8>>, Crossed) {
    let start = |name: &String| {
        let cut = shared.cut(name).unwrap();
        let own = cut.circuit.graph().inputs().iter().map(|port| port.name.as_str());
        let own = own.map(|name| (name, data.iter().find(|(of, _)| *of == name).unwrap().1.as_slice()));
        let circuit = change(&cut.circuit);
        Party::start(cut.clone(), &circuit, &own.collect::<Vec<_>>())
    };
    together(&mut shared.owners().parties.iter().map(start).collect::<Vec<_>>())
}

fn same(circuit: &Circuit) -> Circuit {
    circuit.clone()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Name of each operator of a cut, told apart by its parent, and those that it waits for.
fn dependencies(cut: &Cut, names: [&str; 4]) -> Vec<(String, Vec<String>)> {
    let graph = cut.circuit.graph();
    let name = |op: u32| {
        let op = &graph.operators()[op as usize];
        let parent = names[op.parent as usize];
        match graph.signature(op).name.as_str() {
            "party.send" => format!("send({parent})"),
            "party.receive" => format!("recv({parent})"),
            _ => parent.to_owned(),
        }
    };
    let analysis = cut.circuit.analyze().unwrap();
    let dep = |op: usize| analysis.dependencies.dep(op).iter().map(|&d| name(d)).collect();
    let mut all: Vec<_> = (0..graph.operators().len()).map(|op| (name(op as u32), dep(op))).collect();
    all.sort();
    all
}

#[test]
fn k_p1_two_parties() {
    let shared = two_parties("u32.mul");
    let [one, two] = ["one", "two"].map(|name| shared.cut(name).unwrap());
    // Numbers: inputs are 0 to 3, m1 to r operators 0 to 3, producers 4 to 7.
    assert_eq!((one.own.as_slice(), two.own.as_slice()), (&[0u32, 2][..], &[1u32, 3][..]));
    let interactions = |cut: &Cut| {
        let of = |i: &cipherloom::parties::Interaction| {
            (i.number, i.party.clone(), i.feeds.clone(), i.reads.clone())
        };
        cut.interactions.iter().map(of).collect::<Vec<_>>()
    };
    let two_owns =
        |number, feeds: &[u32], reads: &[u32]| (number, "two".to_owned(), feeds.to_vec(), reads.to_vec());
    assert_eq!(
        interactions(&one),
        [two_owns(5, &[2], &[]), two_owns(7, &[], &[6])],
        "m2 feeds m3, r reads m3"
    );
    assert_eq!(interactions(&two), [(6, "one".into(), vec![3], vec![5])], "m3 reads m2 and feeds r; not m1");
    let names = ["m1", "m2", "m3", "r"];
    let table = |rows: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        rows.iter().map(|(op, dep)| ((*op).into(), dep.iter().map(|d| (*d).into()).collect())).collect()
    };
    assert_eq!(
        dependencies(&one, names),
        table(&[("m1", &[]), ("m3", &["m1", "recv(m2)"]), ("recv(m2)", &[]), ("send(m3)", &["m3"])])
    );
    assert_eq!(
        dependencies(&two, names),
        table(&[("m2", &[]), ("r", &["recv(m3)"]), ("recv(m3)", &[]), ("send(m2)", &["m2"])])
    );
    let ends = |crossings: &[Crossing]| {
        crossings.iter().map(|c| (c.number, c.from.clone(), c.to.clone(), c.bytes)).collect::<Vec<_>>()
    };
    let m2 = vec![(5, "two".to_owned(), "one".to_owned(), 4)];
    let m3 = vec![(6, "one".to_owned(), "two".to_owned(), 4)];
    assert_eq!((ends(&one.sends), ends(&one.receives)), (m3.clone(), m2.clone()));
    assert_eq!((ends(&two.sends), ends(&two.receives)), (m2, m3));
    assert_eq!(one.sends[0].channel, two.receives[0].channel);
    assert_ne!(one.sends[0].channel, two.sends[0].channel);
    let ports = |cut: &Cut| {
        let names =
            |ports: &[cipherloom::graph::Port]| ports.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        (names(cut.circuit.graph().inputs()), names(cut.circuit.graph().outputs()))
    };
    assert_eq!(ports(&one), (vec!["v1".to_owned(), "v2".into()], vec![]));
    assert_eq!(ports(&two), (vec!["v3".to_owned(), "v4".into()], vec!["r".to_owned()]));
    for ([v1, v2, v3, v4], [m2, m3, r]) in [([1, 2, 3, 4], [12, 36, 40]), ([2, 3, 5, 7], [35, 175, 182])] {
        let data = [("v1", words(&[v1])), ("v2", words(&[v2])), ("v3", words(&[v3])), ("v4", words(&[v4]))];
        for change in [same as fn(&Circuit) -> Circuit, |circuit| circuit.optimize_by_default().unwrap()] {
            let (outputs, crossed) = run(&shared, &data, change);
            assert_eq!(outputs, BTreeMap::from([("r".to_owned(), words(&[r]))]));
            let values: BTreeMap<u32, Vec<u8>> =
                crossed.into_values().map(|(c, bytes)| (c.number, bytes)).collect();
            assert_eq!(
                values,
                BTreeMap::from([(5, words(&[m2])), (6, words(&[m3]))]),
                "nothing else crosses"
            );
        }
    }
}

#[test]
fn k_p5_a_changed_copy_changes_no_other_cut() {
    let (shared, changed) = (two_parties("u32.mul"), two_parties("u32.add"));
    let cuts = [&shared, &changed].map(|shared| shared.cut("two").unwrap());
    assert_eq!(cuts[0].own, cuts[1].own);
    assert_eq!(cuts[0].circuit.to_bytes(), cuts[1].circuit.to_bytes());
    // But the two do not meet: neither identity nor channels are the same.
    assert_ne!(shared.id().unwrap(), changed.id().unwrap());
    assert_ne!(cuts[0].sends[0].channel, cuts[1].sends[0].channel);
    assert_ne!(shared.cut("one").unwrap().circuit.to_bytes(), changed.cut("one").unwrap().circuit.to_bytes());
    // Nor where a name differs.
    let mut owners = shared.owners().clone();
    owners.parties[0] = "uno".into();
    let renamed = Shared::new(shared.circuit().clone(), owners).unwrap();
    assert_ne!(renamed.id().unwrap(), shared.id().unwrap());
}

#[test]
fn k_p6_one_transfer_for_several_consumers() {
    let registry = registry();
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let x = g.input("x", u32s(4)).unwrap();
    let own = g.op("u32.add", Attrs::new(), &[x, x]).unwrap();
    let first = g.op("u32.mul", Attrs::new(), &[own, own]).unwrap();
    let part = g.view(own, 1, u32s(2)).unwrap();
    let second = g.op("u32.add", Attrs::new(), &[part, part]).unwrap();
    g.output("first", first);
    g.output("second", second);
    let owners = owners(&["a", "b"], &[0], &[0, 1, 1], &[1, 0]);
    let shared = Shared::new(g.finish().unwrap(), owners).unwrap();
    let [a, b] = ["a", "b"].map(|name| shared.cut(name).unwrap());
    assert_eq!((a.sends.len(), b.receives.len()), (1, 1), "one node feeds two");
    assert_eq!(a.sends[0].ty, u32s(4));
    assert_eq!(b.interactions.len(), 1);
    assert_eq!(b.interactions[0].feeds, [1, 2]);
    // An output crosses to its party as a reader's operand does.
    assert_eq!((a.receives.len(), b.sends.len()), (1, 1));
    let (outputs, crossed) = run(&shared, &[("x", words(&[1, 2, 3, 4]))], same);
    assert_eq!(outputs["first"], words(&[4, 16, 36, 64]));
    assert_eq!(crossed.len(), 2);
}

/// 1 to 2, 2 to 3, 3 to 1.
#[test]
fn k_p7_a_ring_of_three() {
    let registry = registry();
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let [x, y, z] = ["x", "y", "z"].map(|name| g.input(name, u32s(3)).unwrap());
    let a = g.op("u32.add", Attrs::new(), &[x, x]).unwrap();
    let b = g.op("u32.mul", Attrs::new(), &[a, y]).unwrap();
    let c = g.op("u32.add", Attrs::new(), &[b, z]).unwrap();
    let d = g.op("u32.mul", Attrs::new(), &[c, x]).unwrap();
    g.output("d", d);
    let owners = owners(&["1", "2", "3"], &[0, 1, 2], &[0, 1, 2, 0], &[0]);
    let shared = Shared::new(g.finish().unwrap(), owners).unwrap();
    let (outputs, crossed) =
        run(&shared, &[("x", words(&[1, 2, 3])), ("y", words(&[4, 5, 6])), ("z", words(&[7, 8, 9]))], same);
    // (2 x y + z) x
    assert_eq!(outputs["d"], words(&[15, 56, 135]));
    let ways: Vec<_> = crossed.values().map(|(c, _)| (c.number, format!("{}{}", c.from, c.to))).collect();
    let mut ways = ways;
    ways.sort();
    assert_eq!(ways, [(3, "12".to_owned()), (4, "23".to_owned()), (5, "31".to_owned())]);
}

/// Words of single places, views over merges, an output of two parties' units.
#[test]
fn only_the_units_that_are_read_cross() {
    let registry = registry();
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let (x, y) = (g.input("x", u32s(6)).unwrap(), g.input("y", u32s(6)).unwrap());
    let a = g.op("u32.add", Attrs::new(), &[x, x]).unwrap();
    // Of a units 4 and 0, of y unit 2: read by b.
    let (late, early) = (g.view(a, 4, u32s(1)).unwrap(), g.view(a, 0, u32s(1)).unwrap());
    let own = g.view(y, 2, u32s(1)).unwrap();
    let merged = g.merge(&[late, own, early], u32s(3)).unwrap();
    let b = g.op("u32.mul", Attrs::new(), &[merged, merged]).unwrap();
    let both = g.merge(&[a, b], u32s(9)).unwrap();
    g.output("both", both);
    g.output("b", b);
    let owners = owners(&["one", "two"], &[0, 1], &[0, 1], &[0, 1]);
    let shared = Shared::new(g.finish().unwrap(), owners).unwrap();
    let [one, two] = ["one", "two"].map(|name| shared.cut(name).unwrap());
    assert_eq!(one.sends[0].ty.to_string(), "raw[2]");
    assert_eq!(one.receives[0].ty, u32s(3));
    assert_eq!(two.receives[0].bytes, 8);
    let (outputs, crossed) =
        run(&shared, &[("x", words(&[1, 2, 3, 4, 5, 6])), ("y", words(&[7, 7, 9, 7, 7, 7]))], same);
    assert_eq!(outputs["both"], words(&[2, 4, 6, 8, 10, 12, 100, 81, 4]));
    assert_eq!(outputs["b"], words(&[100, 81, 4]));
    let sent: BTreeMap<u32, &Vec<u8>> = crossed.values().map(|(c, bytes)| (c.number, bytes)).collect();
    assert_eq!(sent[&2], &words(&[2, 10]), "in the producer's order, whatever the reader's is");
}

/// Constants are everybody's, and views of nobody's work.
#[test]
fn what_follows_from_the_graph_alone_crosses_nowhere() {
    let registry = registry();
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let x = g.input("x", u32s(2)).unwrap();
    let seven = g.constant(&Tensor::new(Element::U32, [2]), words(&[7, 7]).into()).unwrap();
    let fourteen = g.op("u32.add", Attrs::new(), &[seven, seven]).unwrap();
    let a = g.op("u32.add", Attrs::new(), &[x, fourteen]).unwrap();
    let b = g.op("u32.mul", Attrs::new(), &[a, fourteen]).unwrap();
    g.output("b", b);
    let circuit = g.finish().unwrap();
    let owned =
        |operators: &[u32]| Shared::new(circuit.clone(), owners(&["one", "two"], &[0], operators, &[1]));
    let shared = owned(&[NOBODY, NOBODY, 0, 1]).unwrap();
    let two = shared.cut("two").unwrap();
    assert_eq!((two.own.as_slice(), two.common.as_slice()), (&[3u32][..], &[0u32, 1][..]));
    let (outputs, crossed) = run(&shared, &[("x", words(&[1, 2]))], same);
    assert_eq!((outputs["b"].clone(), crossed.len()), (words(&[210, 224]), 1));
    // What reads data is somebody's.
    let error = owned(&[NOBODY, NOBODY, NOBODY, 1]).err().unwrap();
    assert_eq!(error.code(), "party.shared");
    assert!(error.to_string().contains("operator 2 (u32.add)"), "{error}");
}

/// Two parties that draw for themselves draw two numbers.
#[test]
fn what_draws_is_somebodys() {
    let registry = tensors::registry();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let drawn = g.op("test.draw", Attrs::new(), &[]).unwrap();
    g.output("drawn", drawn);
    let circuit = g.finish().unwrap();
    let owned = |owner: u32| Shared::new(circuit.clone(), owners(&["a", "b"], &[], &[owner], &[1]));
    assert_eq!(owned(NOBODY).err().unwrap().code(), "party.shared");
    assert_eq!(owned(0).unwrap().cut("b").unwrap().receives.len(), 1);
}

#[test]
fn owners_that_are_none_are_refused() {
    let circuit = two_parties("u32.mul").circuit().clone();
    let good = two_parties("u32.mul").owners().clone();
    let wrong = |change: &dyn Fn(&mut Owners)| {
        let mut owners = good.clone();
        change(&mut owners);
        Shared::new(circuit.clone(), owners).err().unwrap().to_string()
    };
    assert!(wrong(&|o| o.parties.truncate(1)).contains("number of parties: found 1"));
    assert!(wrong(&|o| o.parties = (0..257).map(|i| i.to_string()).collect()).contains("257"));
    assert!(wrong(&|o| o.parties[1] = String::new()).contains("0 bytes"));
    assert!(wrong(&|o| o.parties[1] = "a\nb".into()).contains("control"));
    assert!(wrong(&|o| o.parties[1] = "x".repeat(257)).contains("257 bytes"));
    assert!(wrong(&|o| o.parties[1] = "one".into()).contains("`one` twice"));
    assert!(wrong(&|o| o.inputs.truncate(3)).contains("owners of inputs: found 3, expected 4"));
    assert!(wrong(&|o| o.outputs.push(0)).contains("owners of outputs"));
    assert!(wrong(&|o| o.inputs[0] = 2).contains("input `v1`: found party 2"));
    assert!(wrong(&|o| o.outputs[0] = NOBODY).contains("output `r`: found nobody"));
    assert!(wrong(&|o| o.operators[3] = 9).contains("operator 3 (u32.add)"));
    assert!(wrong(&|o| o.operators[0] = NOBODY).contains("nobody"));
    let shared = two_parties("u32.mul");
    assert!(shared.cut("three").err().unwrap().to_string().contains("`three`, expected one, two"));
    // What a cut put in is not cut again.
    let cut = shared.cut("one").unwrap();
    let count = cut.circuit.graph().operators().len();
    let again = owners(&["one", "two"], &[0, 0], &vec![0; count], &[]);
    let error = Shared::new(cut.circuit, again).err().unwrap().to_string();
    assert!(error.contains("an operator that a cut puts in"), "{error}");
}

#[test]
fn bytes_and_identity() {
    let shared = two_parties("u32.mul");
    let bytes = shared.save().unwrap();
    let again = Shared::from_bytes(&bytes, registry()).unwrap();
    assert_eq!((again.save().unwrap(), again.owners()), (bytes.clone(), shared.owners()));
    assert_eq!(again.id().unwrap(), shared.id().unwrap());
    for at in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut bad = bytes.clone();
            bad[at] ^= bit;
            let error = Shared::from_bytes(&bad, registry()).err().unwrap();
            assert!(error.code().starts_with("format."), "byte {at}: {error}");
        }
        assert!(Shared::from_bytes(&bytes[..at], registry()).is_err());
    }
    let circuit = shared.circuit().to_bytes();
    assert_eq!(Shared::from_bytes(&circuit, registry()).err().unwrap().code(), "format.kind");
    // A cut is a circuit like others.
    let cut = shared.cut("one").unwrap();
    let saved = Circuit::from_bytes(&cut.circuit.to_bytes(), registry()).unwrap();
    assert_eq!(saved.to_text(), cut.circuit.to_text());
    assert_eq!(
        Circuit::from_text(&cut.circuit.to_text(), registry()).unwrap().to_bytes(),
        cut.circuit.to_bytes()
    );
}

fn lattice(n: usize, q: u64) -> ValueType {
    Limb { n, q, form: Form::Coeff }.ty()
}

/// Residues stay residues: whole, in parts, moved, and beside words that may be any; what arrives is checked.
#[test]
fn residues_are_checked_on_arrival() {
    let registry = registry();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let (n, q) = (8, vec![97, 12289]);
    let poly = Poly { n, q: q.clone(), form: Form::Coeff };
    let x = g.input("x", poly.ty()).unwrap();
    let raw = g.input("raw", ValueType::new("raw", 8, Attrs::new())).unwrap();
    let limbs = [0, 1].map(|i| g.view(x, 8 * i as u64, lattice(n, q[i])).unwrap());
    let whole = g.op("limb.neg", Attrs::new(), &[limbs[0]]).unwrap();
    let moved = g.op("copy", Attrs::new(), &[limbs[1], raw]).unwrap();
    let seen = g.view(moved, 0, lattice(n, q[1])).unwrap();
    for (name, operand) in [("y0", whole), ("y1", limbs[1]), ("y2", seen)] {
        let negated = g.op("limb.neg", Attrs::new(), &[operand]).unwrap();
        g.output(name, negated);
    }
    g.output("moved", moved);
    let owners = owners(&["one", "two"], &[0, 0], &[0, 0, 1, 1, 1], &[1, 1, 1, 1]);
    let shared = Shared::new(g.finish().unwrap(), owners).unwrap();
    let two = shared.cut("two").unwrap();
    let types: Vec<String> = two.receives.iter().map(|receive| receive.ty.to_string()).collect();
    assert_eq!(
        types,
        [
            "part[8]{below=[12289], runs=[8]}",
            "limb[8]{form=\"coeff\", n=8, q=97}",
            "part[16]{below=[12289,0], runs=[8,8]}"
        ]
    );
    // It may be saved, and read by who does not know where it comes from.
    let again = Circuit::from_bytes(&two.circuit.to_bytes(), Arc::clone(&registry)).unwrap();
    assert_eq!(again.to_text(), two.circuit.to_text());
    let mut party = Party::start(two.clone(), &two.circuit, &[]);
    assert!(party.work(&mut Crossed::new()));
    assert_eq!(party.open.len(), 3);
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    for outgoing in std::mem::take(&mut party.open) {
        let receive = two.receives.iter().find(|receive| receive.number == number(&outgoing)).unwrap();
        let q = if receive.ty.head == "limb" { 97 } else { 12289 };
        let mut words = vec![q - 1; 8];
        if receive.bytes == 128 {
            words.extend([u64::MAX; 8]);
        }
        for at in [0, 7] {
            let mut bad = words.clone();
            bad[at] = q;
            let error = party.execution.deliver(&mut party.run, outgoing.op, &bytes(&bad)).unwrap_err();
            assert_eq!(error.code(), "operator.result");
            assert!(
                error.to_string().contains("no residues") && error.to_string().contains("from=\"one\""),
                "{error}"
            );
        }
        let short = party.execution.deliver(&mut party.run, outgoing.op, &bytes(&words)[8..]).unwrap_err();
        assert_eq!(short.code(), "input.length");
        party.execution.deliver(&mut party.run, outgoing.op, &bytes(&words)).unwrap();
        let twice = party.execution.deliver(&mut party.run, outgoing.op, &bytes(&words)).unwrap_err();
        assert_eq!(twice.code(), "job.state");
    }
    party.run.finish();
    assert!(party.is_done());
    assert_eq!(party.outputs()["y0"], bytes(&[1; 8]));
}

/// Bits that fill the last byte up are 0.
#[test]
fn bits_beyond_the_end_are_refused() {
    let registry = registry();
    let mut g = CircuitBuilder::new(1, &registry).unwrap();
    let x = g.input("x", Tensor::new(Element::Bit, [3]).ty(1).unwrap()).unwrap();
    let y = g.op("bit.not", Attrs::new(), &[x]).unwrap();
    g.output("y", y);
    let shared = Shared::new(g.finish().unwrap(), owners(&["a", "b"], &[0], &[1], &[1])).unwrap();
    let b = shared.cut("b").unwrap();
    let mut party = Party::start(b.clone(), &b.circuit, &[]);
    party.work(&mut Crossed::new());
    let op = party.open[0].op;
    let error = party.execution.deliver(&mut party.run, op, &[0b1010]).unwrap_err();
    assert!(error.to_string().contains("bits beyond its end"), "{error}");
    party.execution.deliver(&mut party.run, op, &[0b010]).unwrap();
    party.run.finish();
    assert_eq!(party.outputs()["y"], [0b101]);
}

/// What stands beside a part in its last byte stays at home.
#[test]
fn no_bit_beyond_what_is_read_leaves() {
    let registry = registry();
    let bits = |len: u64| Tensor::new(Element::Bit, [len]).ty(1).unwrap();
    let mut g = CircuitBuilder::new(1, &registry).unwrap();
    let x = g.input("x", bits(16)).unwrap();
    let part = g.view(x, 0, bits(3)).unwrap();
    let y = g.op("bit.not", Attrs::new(), &[part]).unwrap();
    g.output("y", y);
    let shared = Shared::new(g.finish().unwrap(), owners(&["a", "b"], &[0], &[1], &[1])).unwrap();
    let (outputs, crossed) = run(&shared, &[("x", vec![0b1111_1010, 0b1111_1111])], same);
    assert_eq!(crossed.values().next().unwrap().1, [0b010]);
    assert_eq!(outputs["y"], [0b101]);
}

/// By its type, whichever part of it crosses.
#[test]
fn ciphertexts_are_told() {
    let registry = registry();
    let mut g = CircuitBuilder::new(64, &registry).unwrap();
    let ciphertext = Ciphertext::new(8, vec![97], 2, Scheme::Bfv { t: 17 });
    let x = g.input("x", ciphertext.ty()).unwrap();
    let y = g.input("y", lattice(8, 97)).unwrap();
    let poly = g.view(x, 8, lattice(8, 97)).unwrap();
    let sum = g.op("limb.add", Attrs::new(), &[poly, y]).unwrap();
    g.output("sum", sum);
    let shared = Shared::new(g.finish().unwrap(), owners(&["a", "b"], &[0, 0], &[1], &[1])).unwrap();
    let told: Vec<_> = shared.cut("a").unwrap().sends.iter().map(|s| (s.encrypted, s.bytes)).collect();
    assert_eq!(told, [(Some("BFV"), 64), (None, 64)]);
}

/// A plan uses storage again, and lets operators wait for who had it before: where a receive stands before the place of its producer, what is between
/// them may wait for it, and the producer for that. What is received in two pieces is copied at once, so that its storage is free for others then.
#[test]
fn storage_that_is_used_again_makes_nobody_wait_in_a_ring() {
    let registry = registry();
    let len = 1 << 10;
    let mut g = CircuitBuilder::new(32, &registry).unwrap();
    let (x, y) = (g.input("x", u32s(len)).unwrap(), g.input("y", u32s(len)).unwrap());
    let mut owner = Vec::new();
    let (mut a, mut b) = (x, y);
    // All but one element in the middle, in as many words as the whole.
    let part = |g: &mut CircuitBuilder<'_>, of: OperandId| {
        let (front, back) = (g.view(of, 0, u32s(9)).unwrap(), g.view(of, 10, u32s(len - 10)).unwrap());
        g.merge(&[front, back], u32s(len - 1)).unwrap()
    };
    let mut sums = [part(&mut g, x), part(&mut g, y)];
    for _ in 0..40 {
        let mut op = |g: &mut CircuitBuilder<'_>, of: [OperandId; 2], party: u32| {
            owner.push(party);
            g.op("u32.add", Attrs::new(), &of).unwrap()
        };
        a = op(&mut g, [a, x], 0);
        b = op(&mut g, [b, y], 1);
        let (of_a, of_b) = (part(&mut g, a), part(&mut g, b));
        sums[0] = op(&mut g, [sums[0], of_b], 0);
        sums[1] = op(&mut g, [sums[1], of_a], 1);
    }
    g.output("first", sums[0]);
    g.output("second", sums[1]);
    let owners = owners(&["one", "two"], &[0, 1], &owner, &[0, 1]);
    let shared = Shared::new(g.finish().unwrap(), owners).unwrap();
    let data = [("x", words(&vec![1; len as usize])), ("y", words(&vec![3; len as usize]))];
    for change in [same as fn(&Circuit) -> Circuit, |circuit| circuit.optimize_by_default().unwrap()] {
        let (outputs, crossed) = run(&shared, &data, change);
        assert_eq!(crossed.len(), 80);
        // x + sum of (k + 1) y, k from 1 to 40; y + sum of (k + 1) x.
        assert_eq!(outputs["first"][..4], (1 + 3 * 860u32).to_le_bytes());
        assert_eq!(outputs["second"][..4], (3 + 860u32).to_le_bytes());
    }
}

/// A random graph of 2 to 5 parties, cut as it is written and expanded before and after, is what one engine computes.
fn random_graph(seed: u64, registry: &Arc<Registry>) {
    let mut random = Random::new(seed ^ 0x5eed);
    let nested = seed.is_multiple_of(3);
    let steps = 1 + random.index(40);
    let plain = Task::random(seed, steps, registry, if nested { 3 } else { 0 }, !nested);
    let task = if seed.is_multiple_of(2) { plain } else { plain.scattered(seed) };
    let evaluator = Evaluator::new(registry);
    let values = evaluator.run(&task.graph, &task.data).outputs(&task.graph);
    let parties = 2 + random.index(4) as u32;
    let names: Vec<String> = (0..parties).map(|party| format!("party {party}")).collect();
    let owners = random_owners(&task.graph, registry, parties, &names, &mut random);
    let circuit = Circuit::new(task.graph.clone(), Arc::clone(registry)).unwrap();
    let shared = Shared::new(circuit, owners).unwrap();
    let bytes = |words: &Vec<u64>| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let ports = task.graph.inputs().iter().zip(&task.data);
    let data: Vec<(&str, Vec<u8>)> = ports.map(|(port, words)| (port.name.as_str(), bytes(words))).collect();
    let ports = task.graph.outputs().iter().zip(&values);
    let expected: BTreeMap<String, Vec<u8>> =
        ports.map(|(port, words)| (port.name.clone(), bytes(words))).collect();
    let base = |circuit: &Circuit| {
        let parts: [Arc<dyn Platform>; 2] = [Arc::new(Scalar::new()), Arc::new(platform())];
        circuit.expand(To::Platform(&Mixed::new(parts, []))).unwrap()
    };
    let optimized = |circuit: &Circuit| base(circuit).optimize_by_default().unwrap();
    assert_eq!(run(&shared, &data, base).0, expected, "seed {seed}: cut as written");
    assert_eq!(run(&shared, &data, optimized).0, expected, "seed {seed}: cut as written, optimized");
    if nested {
        let expanded = shared.expand(To::Platform(&Scalar::new())).unwrap();
        assert_eq!(run(&expanded, &data, same).0, expected, "seed {seed}: expanded before");
        let twice = shared.expand(To::Steps(2)).unwrap();
        assert_eq!(run(&twice, &data, base).0, expected, "seed {seed}: two levels down");
    }
}

/// Any owners; half of what anybody may have is nobody's.
fn random_owners(
    graph: &Graph,
    registry: &Registry,
    parties: u32,
    names: &[String],
    random: &mut Random,
) -> Owners {
    let mut any = || random.below(parties.into()) as u32;
    let inputs = graph.inputs().iter().map(|_| any()).collect();
    let outputs = graph.outputs().iter().map(|_| any()).collect();
    let operators = graph.operators().iter().map(|op| {
        let free =
            graph.inputs_of(op).is_empty() && !registry.get(&graph.signature(op).name).unwrap().random();
        if free && any() % 2 == 0 { NOBODY } else { any() }
    });
    let operators = operators.collect();
    Owners { parties: names.to_vec(), inputs, operators, outputs }
}

fn random_graphs(seeds: std::ops::Range<u64>) {
    let mut registry = cipherloom::registry();
    registry.add_all(Nested::all().into_iter().map(|def| def as Arc<dyn OpDef>));
    let registry = Arc::new(registry);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (registry, seeds) = (&registry, seeds.clone());
            scope.spawn(move || {
                seeds
                    .skip(thread as usize)
                    .step_by(threads as usize)
                    .for_each(|seed| random_graph(seed, registry));
            });
        }
    });
}

#[test]
fn random_graphs_are_what_one_engine_computes() {
    random_graphs(0..100);
}

#[test]
#[ignore = "longer: a thousand graphs"]
fn a_thousand_random_graphs_are_what_one_engine_computes() {
    random_graphs(100..1_100);
}
