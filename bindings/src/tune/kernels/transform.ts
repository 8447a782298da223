/**
 * From the schedule of a transform to its code, and to the layout of the doubles that it reads. Deterministic. The arithmetic is that of the built-in kernels
 * (`engine/src/platform/simd/fused.rs`): `h = a w`, `l = h - a w` exactly, `b = round(a w / q)`, and `a w - b q = (h - b q) - l`.
 *
 * Every address is one of the parameters plus offsets that are constants of the schedule: what is touched is `n` words of `a` and `out`, the doubles of the layout, and three
 * more (`rest`), whatever the data.
 */
import { type Plan, pairs, planOf } from './bounds.js';
import { Emitter, INTEGERS, type Made, PARAMETERS, VECTOR, WORD } from './emitter.js';
import { MOST_LAYERS, type TransformSchedule as Schedule } from './schedule.js';
import { type Body, type Local, ModuleWriter } from './wasm-writer.js';

/** Constants at the beginning of the layout: the prime, one by it. */
const HEAD = { forward: 2, inverse: 6 } as const;

/** How a first pass of a forward transform reads residues: of the prime itself; of one that is at most twice as large; of any. */
type Reading = 'own' | 'near' | 'far' | 'none';

/** The code of a schedule that was checked. */
export function makeTransform(schedule: Schedule): Made {
  const plan = planOf(schedule);
  return schedule.piece === 'ring.forward' ? makeForward(schedule, plan) : makeInverse(schedule, plan);
}

/** What is said of one pass. */
interface Pass {
  readonly index: number;
  readonly layers: number;
  /** Blocks of the whole transform before its first layer. */
  readonly blocks: number;
  /** Words of each of the parts of a block that meet. */
  readonly part: number;
  /** The last one works on two blocks side by side, one in each lane. */
  readonly last: boolean;
  readonly computed: boolean;
  /** Bytes of the factors of one block; of two of the last pass. */
  readonly factorBytes: number;
  /** Where its factors begin, in bytes. */
  readonly at: number;
}

function passesOf(schedule: Schedule): Pass[] {
  const { passes, n, computed, piece } = schedule;
  let done = 0;
  let at = WORD * (piece === 'ring.forward' ? HEAD.forward : HEAD.inverse);
  return passes.map((layers, index) => {
    const last = index === passes.length - 1;
    const blocks = 2 ** done;
    const each = (2 ** layers - 1) * (index >= computed ? 1 : 2) * (last ? VECTOR : WORD);
    const pass = {
      index,
      layers,
      blocks,
      part: n / blocks / 2 ** layers,
      last,
      computed: index >= computed,
      factorBytes: each,
      at,
    };
    at += (each * blocks) / (last ? 2 : 1);
    done += layers;
    return pass;
  });
}

/** Numbers of the doubles, in the order in which passes read them. */
function layoutOf(schedule: Schedule, passes: readonly Pass[]): Uint32Array<ArrayBuffer> {
  const { n, piece } = schedule;
  const head = piece === 'ring.forward' ? HEAD.forward : HEAD.inverse;
  const layout = Array.from({ length: head }, (_, at) => 2 * n + at);
  for (const { layers, blocks, last, computed } of passes)
    for (let block = 0; block < blocks; block += last ? 2 : 1)
      for (let layer = 0; layer < layers; layer++)
        for (let at = 0; at < 2 ** layer; at++)
          for (let part = 0; part < (computed ? 1 : 2); part++)
            for (let lane = 0; lane < (last ? 2 : 1); lane++)
              layout.push(2 * (2 ** layer * (blocks + block + lane) + at) + part);
  return new Uint32Array(layout);
}

/** Where the parts of a block lie, from which pointer. */
interface Place {
  readonly pointer: Local;
  readonly offset: number;
}

/** Writes the layers of one pass on values in locals. */
function butterflies(
  e: Emitter<Schedule>,
  pass: Pass,
  plan: Plan,
  x: readonly Local[],
  factor: (at: number, byPrime: boolean) => () => void,
  scale: ((at: 0 | 1, byPrime: boolean) => () => void) | undefined,
): void {
  const { body, schedule } = e;
  const { layers, index, computed } = pass;
  const { first, within, after } = plan.passes[index] as Plan['passes'][number];
  const reduce = (at: number): void => e.reduce(x[at] as Local);
  const forward = schedule.piece === 'ring.forward';
  const byPrime = (at: number): (() => void) | undefined => (computed ? undefined : factor(at, true));
  const t = e.vector();
  for (let at = 0; at < first; at++) reduce(at);
  for (let step = 0; step < layers; step++) {
    const layer = forward ? step : layers - 1 - step;
    for (const one of within)
      if (Math.floor(one / 2 ** MOST_LAYERS) === layer) reduce(one % 2 ** MOST_LAYERS);
    for (const [low, high, at] of pairs(layers, layer)) {
      const [a, b] = [x[low] as Local, x[high] as Local];
      if (forward) {
        e.product(b, factor(at, false), byPrime(at));
        body.set(t);
        body.get(a).get(t).do('f64x2.sub').set(b);
        body.get(a).get(t).do('f64x2.add').set(a);
        continue;
      }
      body.get(a).get(b).do('f64x2.sub').set(t);
      body.get(a).get(b).do('f64x2.add').set(a);
      const last = scale !== undefined && layer === 0;
      if (last) {
        e.product(t, scale(1, false), scale(1, true));
        body.set(b);
        e.product(a, scale(0, false), scale(0, true));
        body.set(a);
      } else {
        e.product(t, factor(at, false), byPrime(at));
        body.set(b);
      }
    }
  }
  for (const at of after) reduce(at);
}

/** Writes one pass over `blocks` blocks. Parameters: its factors, then those of the kernel. */
function writePass(
  body: Body,
  schedule: Schedule,
  plan: Plan,
  pass: Pass,
  blocks: number,
  { reading, end, source }: { reading: Reading; end: 'words' | 'open' | 'none'; source: 'out' | 'a' },
): void {
  const e = new Emitter(body, schedule, 1);
  const w = body.parameter(0);
  const values = 2 ** pass.layers;
  const forward = schedule.piece === 'ring.forward';
  const fromA = source === 'a';
  const integers = e.vector();
  const [p, half] = [e.vector(), e.vector()];
  const words = reading !== 'none' || end === 'words';
  if (words) body.f64x2(INTEGERS).set(integers);
  if (reading === 'near' || reading === 'far') {
    // Residues from ceil(p/2) on are negative.
    body.get(e.rest).loadSplat(0).get(integers).do('f64x2.add').set(half);
    body.get(e.rest).loadSplat(WORD).set(p);
  }
  const bias = e.vector();
  if (end === 'words' && plan.floor) e.setBias(bias);

  const x = Array.from({ length: values }, () => e.vector());
  // What is not held is loaded where it is used.
  const held = new Map<string, Local>();
  const address = (at: number, byPrime: boolean): number => (pass.computed ? at : 2 * at + (byPrime ? 1 : 0));
  const load = (at: number, byPrime: boolean): void => {
    const place = address(at, byPrime);
    if (pass.last) body.get(w).load(VECTOR * place);
    else body.get(w).loadSplat(WORD * place);
  };
  const factor = (at: number, byPrime: boolean) => (): void => {
    const local = held.get(`${at} ${byPrime}`);
    if (local === undefined) load(at, byPrime);
    else body.get(local);
  };
  const scaleLocals = new Map<string, Local>();
  const isFinal = !forward && pass.index === 0;
  if (isFinal)
    for (const at of [0, 1] as const)
      for (const part of [0, 1]) {
        const local = e.vector();
        body
          .get(e.factors)
          .loadSplat(WORD * (2 + 2 * at + part))
          .set(local);
        scaleLocals.set(`${at} ${part === 1}`, local);
      }
  const scale = isFinal
    ? (at: 0 | 1, byPrime: boolean) => (): void => {
        body.get(scaleLocals.get(`${at} ${byPrime}`) as Local);
      }
    : undefined;

  const read = (place: Place, into: Local): void => {
    body.get(place.pointer).load(place.offset);
    if (reading === 'own') e.fromWords(integers);
    else if (reading !== 'none') {
      body.get(integers).do('v128.or').tee(into).get(integers).do('f64x2.sub');
      body.get(into).get(half).do('f64x2.ge').get(p).do('v128.and').do('f64x2.sub');
    }
    body.set(into);
  };
  const finish = (at: Local): void => {
    if (end === 'words') {
      if (forward && plan.floor) e.floored(at, integers, bias);
      else {
        if (forward) e.reduce(at);
        e.lifted(at, integers);
      }
    } else if (end === 'open') e.reduce(at);
  };
  const far = (): void => {
    // So that all is small by the prime at hand: the others are multiplied first.
    if (reading === 'far') for (let at = 0; at < values / 2; at++) e.reduce(x[at] as Local);
  };

  const count = pass.last ? blocks / 2 : blocks;
  const step = (from: Local, to: Local, offset: number): void => {
    if (pass.last) transposed(from, to);
    else apart(from, to, offset);
  };
  const apart = (from: Local, to: Local, offset: number): void => {
    const place = (pointer: Local, at: number): Place => ({
      pointer,
      offset: offset + at * pass.part * WORD,
    });
    for (const [at, value] of x.entries()) read(place(from, at), value);
    far();
    butterflies(e, pass, plan, x, factor, scale);
    for (const [at, value] of x.entries()) {
      finish(value);
      const { offset: there } = place(to, at);
      body.get(to).get(value).store(there);
    }
  };
  // Vector k has words 2k, 2k+1 of a block; the second block follows. Each lane becomes one block's.
  const transposed = (from: Local, to: Local): void => {
    const [u, v] = [e.vector(), e.vector()];
    const other = values / 2;
    for (let k = 0; k < other; k++) {
      read({ pointer: from, offset: VECTOR * k }, u);
      read({ pointer: from, offset: VECTOR * (k + other) }, v);
      body
        .get(u)
        .get(v)
        .halves('low')
        .set(x[2 * k] as Local);
      body
        .get(u)
        .get(v)
        .halves('high')
        .set(x[2 * k + 1] as Local);
    }
    far();
    butterflies(e, pass, plan, x, factor, scale);
    for (let k = 0; k < other; k++) {
      const [even, odd] = [x[2 * k] as Local, x[2 * k + 1] as Local];
      finish(even);
      finish(odd);
      body
        .get(to)
        .get(even)
        .get(odd)
        .halves('low')
        .store(VECTOR * k);
      body
        .get(to)
        .get(even)
        .get(odd)
        .halves('high')
        .store(VECTOR * (k + other));
    }
  };

  const { out, a } = e;
  const from = fromA ? a : out;
  const vectors = pass.last ? 1 : pass.part / 2;
  const unroll = Math.min(schedule.unroll, vectors);
  const locals: { key: string; at: number; byPrime: boolean; local: Local }[] = [];
  if (!pass.last && schedule.held && vectors > unroll)
    for (let at = 0; at < values - 1; at++)
      for (const byPrime of pass.computed ? [false] : [false, true]) {
        const local = e.vector();
        locals.push({ key: `${at} ${byPrime}`, at, byPrime, local });
      }
  const inner = body.local('i32');
  const end_ = body.local('i32');
  const advance = (local: Local, by: number): void => {
    body.get(local).i32(by).do('i32.add').set(local);
  };
  const block = (): void => {
    for (const { at, byPrime, local } of locals) {
      load(at, byPrime);
      body.set(local);
    }
    for (const { key, local } of locals) held.set(key, local);
    const bytes = unroll * VECTOR;
    const once = (): void => {
      for (let at = 0; at < unroll; at++) step(from, out, at * VECTOR);
    };
    if (vectors === unroll) {
      once();
      return;
    }
    body
      .get(out)
      .i32(vectors * VECTOR)
      .do('i32.add')
      .set(inner);
    body.loop(() => {
      once();
      if (fromA) advance(a, bytes);
      body.get(out).i32(bytes).do('i32.add').tee(out).get(inner).do('i32.lt_u');
    });
  };
  // After the loop over vectors pointers are behind the first part.
  const moved = vectors === unroll ? 0 : vectors * VECTOR;
  const all = (pass.last ? 2 : 1) * values * pass.part * WORD;
  if (count === 1) {
    block();
    return;
  }
  body
    .get(w)
    .i32(count * pass.factorBytes)
    .do('i32.add')
    .set(end_);
  body.loop(() => {
    block();
    if (fromA) advance(a, all - moved);
    advance(out, all - moved);
    body.get(w).i32(pass.factorBytes).do('i32.add').tee(w).get(end_).do('i32.lt_u');
  });
}

/** Calls passes `first` to `last` for one part of the data after the other, or for all of it. */
function writeCalls(
  body: Body,
  schedule: Schedule,
  calls: readonly { readonly pass: Pass; readonly function: number; readonly source: 'out' | 'a' }[],
  parts: number,
): void {
  const [out, a, factors, rest] = [0, 1, 2, 3].map((at) => body.parameter(at)) as [
    Local,
    Local,
    Local,
    Local,
  ];
  const size = (schedule.n / parts) * WORD;
  const each = ({ pass }: (typeof calls)[number]): number =>
    (pass.factorBytes * pass.blocks) / (pass.last ? 2 : 1) / parts;
  const pointers = calls.map((call) => ({ call, w: body.local('i32') }));
  for (const { call, w } of pointers) body.get(factors).i32(call.pass.at).do('i32.add').set(w);
  const once = (at: Local, from: Local): void => {
    for (const { call, w } of pointers)
      body.get(w).get(at).get(from).get(factors).get(rest).call(call.function);
  };
  if (parts === 1) {
    once(out, a);
    return;
  }
  const [to, from, end] = [body.local('i32'), body.local('i32'), body.local('i32')];
  body.get(out).set(to).get(a).set(from);
  body
    .get(out)
    .i32(schedule.n * WORD)
    .do('i32.add')
    .set(end);
  body.loop(() => {
    once(to, from);
    for (const { call, w } of pointers) body.get(w).i32(each(call)).do('i32.add').set(w);
    body.get(from).i32(size).do('i32.add').set(from);
    body.get(to).i32(size).do('i32.add').tee(to).get(end).do('i32.lt_u');
  });
}

function partsOf(schedule: Schedule, passes: readonly Pass[]): number {
  return schedule.tile === 0 ? 1 : (passes[schedule.tile] as Pass).blocks;
}

function makeForward(schedule: Schedule, plan: Plan): Made {
  const passes = passesOf(schedule);
  const module = new ModuleWriter();
  const parts = partsOf(schedule, passes);
  const tiled = (pass: Pass): boolean => schedule.tile > 0 && pass.index >= schedule.tile;
  const blocks = (pass: Pass): number => pass.blocks / (tiled(pass) ? parts : 1);
  const add = (pass: Pass, reading: Reading, end: 'words' | 'open' | 'none'): number =>
    module.add(PARAMETERS + 1, (body) =>
      writePass(body, schedule, plan, pass, blocks(pass), {
        reading,
        end,
        source: reading === 'none' ? 'out' : 'a',
      }),
    );
  const [first, ...others] = passes as [Pass, ...Pass[]];
  const firsts = (['own', 'near', 'far'] as const).map((reading) => add(first, reading, 'none'));
  const between = others.slice(0, -1).map((pass) => ({ pass, function: add(pass, 'none', 'none') }));
  const last = others.at(-1) as Pass;
  for (const [name, end] of [
    ['closed', 'words'],
    ['open', 'open'],
  ] as const) {
    const calls = [...between, { pass: last, function: add(last, 'none', end) }].map((call) => ({
      ...call,
      source: 'out' as const,
    }));
    module.add(
      PARAMETERS,
      (body) => {
        const [out, a, factors, rest] = [0, 1, 2, 3].map((at) => body.parameter(at)) as [
          Local,
          Local,
          Local,
          Local,
        ];
        const w = body.local('i32');
        body.get(factors).i32(first.at).do('i32.add').set(w);
        const start = (index: number) => (): void => {
          body
            .get(w)
            .get(out)
            .get(a)
            .get(factors)
            .get(rest)
            .call(firsts[index] as number);
        };
        const prime = (): void => void body.get(factors).loadDouble(0);
        body.get(rest).loadDouble(WORD);
        prime();
        body.do('f64.eq').either(start(0), () => {
          body.get(rest).loadDouble(WORD);
          prime();
          prime();
          body.do('f64.add').do('f64.le').either(start(1), start(2));
        });
        writeCalls(
          body,
          schedule,
          calls.filter(({ pass }) => !tiled(pass)),
          1,
        );
        if (schedule.tile > 0)
          writeCalls(
            body,
            schedule,
            calls.filter(({ pass }) => tiled(pass)),
            parts,
          );
      },
      name,
    );
  }
  return { bytes: module.bytes(), layout: layoutOf(schedule, passes) };
}

function makeInverse(schedule: Schedule, plan: Plan): Made {
  const passes = passesOf(schedule);
  const module = new ModuleWriter();
  const parts = partsOf(schedule, passes);
  const tiled = (pass: Pass): boolean => schedule.tile > 0 && pass.index >= schedule.tile;
  const add = (pass: Pass, reading: Reading, source: 'out' | 'a'): number =>
    module.add(PARAMETERS + 1, (body) =>
      writePass(body, schedule, plan, pass, pass.blocks / (tiled(pass) ? parts : 1), {
        reading,
        end: pass.index === 0 ? 'words' : 'none',
        source,
      }),
    );
  const backwards = [...passes].reverse();
  const [first, ...others] = backwards as [Pass, ...Pass[]];
  const rest = others.map((pass) => ({ pass, function: add(pass, 'none', 'out'), source: 'out' as const }));
  for (const [name, reading] of [
    ['closed', 'own'],
    ['open', 'none'],
  ] as const) {
    const calls = [{ pass: first, function: add(first, reading, 'a'), source: 'a' as const }, ...rest];
    module.add(
      PARAMETERS,
      (body) => {
        if (schedule.tile > 0)
          writeCalls(
            body,
            schedule,
            calls.filter(({ pass }) => tiled(pass)),
            parts,
          );
        writeCalls(
          body,
          schedule,
          calls.filter(({ pass }) => !tiled(pass)),
          1,
        );
      },
      name,
    );
  }
  return { bytes: module.bytes(), layout: layoutOf(schedule, passes) };
}
