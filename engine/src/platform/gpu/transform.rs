//! Number-theoretic transforms: layers of far distances in registers, all others in the memory of a workgroup.

use super::{Constants, Shader, made, source};
use crate::Result;
use crate::graph::ValueType;
use crate::math::Modulus;
use crate::math::ntt::Roots;
use crate::ops::Call;
use crate::ops::types::Limb;

/// Words of a block that one workgroup transforms: the 16 KiB that every adapter has.
const BLOCK: usize = 2048;

/// The largest dimension that the suite tries; beyond it threads would hold too many words.
pub(super) const MOST: usize = 1 << 15;

/// Threads of such a workgroup.
const THREADS: usize = 256;

pub(super) fn shader(call: &Call<'_>, output: &ValueType) -> Result<Shader> {
    let Limb { n, q, .. } = Limb::of(output)?;
    if n > MOST {
        return Err(super::missing(call));
    }
    let modulus = Modulus::new(q)?;
    let (block, forward) = (n.min(BLOCK), call.name == "limb.ntt");
    if let Some(made) = made::find(forward, n, &modulus)? {
        return Ok(made);
    }
    let roots = Roots::new(n, &modulus)?;
    let factors = if forward { &roots.forward } else { &roots.inverse };
    let mut constants = Constants::default().with(q);
    if !forward {
        constants = constants.with_factor(roots.scale, &modulus);
    }
    let table = factors.iter().flat_map(|&w| [w, modulus.shoup(w)]).collect();
    let pass = |first, last| Pass { n, block, forward, first, last };
    let (near, far) = ((n / block) as u32, block.div_ceil(64) as u32);
    // The one that comes second works in place.
    let (body, passes) = match (n > block, forward) {
        (false, _) => (pass(true, true).in_workgroup(0), vec![near]),
        (true, true) => {
            (pass(true, false).in_registers(0) + &pass(false, true).in_workgroup(1), vec![far, near])
        }
        (true, false) => {
            (pass(true, false).in_workgroup(0) + &pass(false, true).in_registers(1), vec![near, far])
        }
    };
    let body = format!("{}{body}", butterfly(forward));
    Ok(Shader { source: source(1, &constants, &body), name: None, passes, constants: constants.0, table })
}

/// What two residues become, by the factor number `at`.
fn butterfly(forward: bool) -> &'static str {
    if forward {
        "
fn butterfly(r: u32, at: u32, u: ptr<function, Word>, v: ptr<function, Word>, q: Word) {
  let x = *u;
  let y = mul_known(*v, entry(r, 2u * at), entry(r, 2u * at + 1u), q);
  *u = add_mod(x, y, q);
  *v = sub_mod(x, y, q);
}
"
    } else {
        "
fn butterfly(r: u32, at: u32, u: ptr<function, Word>, v: ptr<function, Word>, q: Word) {
  let x = *u;
  let y = *v;
  *u = add_mod(x, y, q);
  *v = mul_known(sub_mod(x, y, q), entry(r, 2u * at), entry(r, 2u * at + 1u), q);
}
"
    }
}

/// Some layers.
struct Pass {
    n: usize,
    block: usize,
    forward: bool,
    /// Whether it reads the input, and not what was written before.
    first: bool,
    /// Whether nothing comes after it.
    last: bool,
}

impl Pass {
    fn read(&self, at: &str) -> String {
        if self.first { format!("load(r, 0u, {at})") } else { format!("arena[records[r] + {at}]") }
    }

    /// What a word is when it is written: backward, the last thing is the factor 1/n.
    fn written(&self, word: &str) -> String {
        if self.forward || !self.last {
            word.to_owned()
        } else {
            format!("mul_known({word}, number(r, 1u), number(r, 2u), q)")
        }
    }

    /// Butterflies of distances of at least a block: each thread has the words that are blocks apart.
    fn in_registers(&self, number: usize) -> String {
        let (count, block) = (self.n / self.block, self.block);
        let layers = count.trailing_zeros();
        let layer = |depth: u32| {
            // Of 2^depth parts, halves are so many of the thread's words apart.
            let (parts, half) = (1usize << depth, count >> (depth + 1));
            let pairs = (0..parts).flat_map(|part| (0..half).map(move |k| (part, 2 * half * part + k)));
            let lines = pairs.map(|(part, at)| {
                let (other, factor) = (at + half, parts + part);
                format!("  butterfly(r, {factor}u, &x{at}, &x{other}, q);\n")
            });
            lines.collect::<String>()
        };
        let layers: String = if self.forward {
            (0..layers).map(layer).collect()
        } else {
            (0..layers).rev().map(layer).collect()
        };
        let at = |k: usize| format!("i + {}u", k * block);
        let read: String = (0..count).map(|k| format!("  var x{k} = {};\n", self.read(&at(k)))).collect();
        let write: String = (0..count)
            .map(|k| format!("  store(r, {}, {});\n", at(k), self.written(&format!("x{k}"))))
            .collect();
        format!(
            "
@compute @workgroup_size(64)
fn pass{number}(@builtin(global_invocation_id) id: vec3<u32>) {{
  let r = id.y * STRIDE;
  let i = id.x;
  let q = number(r, 0u);
{read}{layers}{write}}}
"
        )
    }

    /// Butterflies within blocks, each block in the memory of a workgroup.
    fn in_workgroup(&self, number: usize) -> String {
        let (n, block) = (self.n, self.block);
        let layer = |half: usize| {
            format!(
                "  for (var t = thread; t < {pairs}u; t += {THREADS}u) {{
    let part = t / {half}u;
    let at = {whole}u * part + t % {half}u;
    var u = words[at];
    var v = words[at + {half}u];
    butterfly(r, {first}u + {parts}u * group.x + part, &u, &v, q);
    words[at] = u;
    words[at + {half}u] = v;
  }}
  workgroupBarrier();
",
                pairs = block / 2,
                whole = 2 * half,
                first = n / (2 * half),
                parts = block / (2 * half),
            )
        };
        let halves = (0..block.trailing_zeros()).map(|log| 1usize << log);
        let layers: String =
            if self.forward { halves.rev().map(layer).collect() } else { halves.map(layer).collect() };
        format!(
            "
var<workgroup> words: array<Word, {block}>;

@compute @workgroup_size({THREADS})
fn pass{number}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {{
  let r = group.y * STRIDE;
  let q = number(r, 0u);
  let first = {block}u * group.x;
  for (var t = thread; t < {block}u; t += {THREADS}u) {{ words[t] = {}; }}
  workgroupBarrier();
{layers}  for (var t = thread; t < {block}u; t += {THREADS}u) {{ store(r, first + t, {}); }}
}}
",
            self.read("first + t"),
            self.written("words[t]")
        )
    }
}
