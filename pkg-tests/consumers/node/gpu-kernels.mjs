// Kernels made at run time for the GPU of this machine: random schedules against the reference, what is refused, a search, and programs that run with them. What came of it, as JSON.
import { createTask, kernelsText, load } from 'cipherloom';
import { deviceClass, newExplorerKeys, operatorKey, signRecord } from 'cipherloom/tune';
import { chooseKernels, gpuTraits, KernelExplorer, seeded, ShaderSpace } from 'cipherloom/tune/kernels';
// How a kernel is planted that no schedule gives: nothing that is exported takes one.
const inside = (name) => import(new URL(`./node_modules/cipherloom/dist/tune/kernels/${name}.js`, import.meta.url));
const [{ Bench }, { derive }] = await Promise.all(['bench', 'derive'].map(inside));

/** Of 17, 30, 31, 50 and 61 bits, 1 modulo 2^16. */
const PRIMES = [65_537n, 0x3ffc_0001n, 2_147_352_577n, 0x3_ffff_ffdf_0001n, 0x1fff_ffff_ffe1_0001n];
const bitsOf = (q) => q.toString(2).length;
const [ONCE, TIMED] = [
  { warmUp: 0, rounds: 1, sample: 0 },
  { warmUp: 1, rounds: 3, sample: 0 },
];
const [work, seed = '3', rounds = '20'] = process.argv.slice(2);
const random = seeded(Number(seed));
const gpu = await gpuTraits();
const device = deviceClass({ processor: 'test', gpu });

function transform(forward, n, q, of = device) {
  const limb = (form) => `limb[${n}]{form="${form}", n=${n}, q=${q}}`;
  const [from, to] = forward ? ['coeff', 'ntt'] : ['ntt', 'coeff'];
  const operator = `limb.${forward ? 'ntt' : 'intt'}@gpu`;
  return operatorKey({ operator, inputs: [limb(from)], outputs: [limb(to)], device: of });
}

const spaceOf = (forward, n, bits, limits = gpu.limits) =>
  ShaderSpace.of(`gpu.${forward ? 'forward' : 'inverse'}`, n, bits, limits);
/** A random schedule with small steps: a GPU in software takes minutes to compile eight words of 64 bits in a step. */
const small = (space, random) => {
  const found = space.random(random);
  return space.schedule({ ...found, each: Math.min(found.each, 4) });
};
const generated = (schedule, more = {}) => ({
  kind: 'generated',
  schedule,
  time: 1,
  spread: 0,
  samples: 1,
  ...more,
});
const LIBRARY = { kind: 'library', call: 'gpu', time: 10, spread: 0.1, samples: 9 };
const keys = await newExplorerKeys();
const recordOf = (key, best) => signRecord({ key, best, at: 1, version: 'test', explorer: keys.publicKey }, keys);
const choose = (...records) => chooseKernels({ records, explorers: [keys.publicKey], device });
const codeOf = (promise) =>
  promise.then(
    (value) => `${value}`,
    ({ code }) => code,
  );

const works = {
  /** Random schedules, every ring and every prime, and beside some a planted one. */
  async schedules() {
    const bench = new Bench();
    const found = { tried: 0, wrong: [], missed: [], seen: [], times: [] };
    const seen = new Set();
    for (let round = 0; round < Number(rounds); round++) {
      const n = 2 ** (4 + (round % 10));
      const [forward, q] = [Math.floor(round / 10) % 2 === 0, PRIMES[Math.floor(random() * PRIMES.length)]];
      const schedule = small(spaceOf(forward, n, Math.max(17, bitsOf(q))), random);
      const one = q < 2n ** 53n && random() < 0.2 ? { ...schedule, prime: Number(q) } : schedule;
      const { kernel } = await derive(one);
      // The factors of other blocks.
      const body = kernel.body.replaceAll(/\+ part;/g, '+ part + 1u;');
      const planted = { ...kernel, body: body === kernel.body ? '' : body };
      // A GPU in software compiles each of them for seconds: some are compared alone.
      const all = round % 4 === 0;
      const candidates = [[kernel], ...(all ? [[planted], []] : [])].map((kernels) => ({ platform: 'gpu', kernels }));
      const settings = round % 20 === 0 ? TIMED : ONCE;
      const [right, other, built] = await bench.trial(transform(forward, n, q), candidates, settings);
      found.tried++;
      if (right.problem !== undefined) found.wrong.push(`${kernel.name} of ${q}: ${right.problem}`);
      if (all && built.problem !== undefined) found.wrong.push(`built in: ${built.problem}`);
      if (all && other.problem === undefined) found.missed.push(`${kernel.name} of ${q}`);
      if (settings === TIMED) found.times.push([built.time, right.time, other.time ?? null]);
      for (const name of ['words', 'product', 'lazy', 'staged']) seen.add(`${name} ${schedule[name]}`);
    }
    bench.close();
    found.seen = [...seen].sort();
    return found;
  },

  /** What is no kernel for this device, by what it is refused with. */
  async refused() {
    const explorer = new KernelExplorer({ device });
    const [n, q] = [64, PRIMES[3]];
    const key = transform(true, n, q);
    const right = spaceOf(true, n, 50).schedule({ each: 4 });
    const { code } = await derive(right);
    const large = {
      ...right,
      n: 32_768,
      passes: [
        [4, 4],
        [4, 3],
      ],
      group: 1024,
      each: 16,
    };
    const other = deviceClass({ processor: 'test', gpu: { vendor: 'another', architecture: 'one' } });
    const refused = async (record) => {
      const { names, refused } = await choose(await record);
      return [names.length, refused.map((error) => error.code).join()];
    };
    const found = {
      limits: gpu.limits,
      right: await refused(recordOf(key, { library: LIBRARY, generated: generated(right, { code }) })),
      large: await refused(recordOf(transform(true, 32_768, q), { library: LIBRARY, generated: generated(large) })),
      code: await refused(
        recordOf(key, { library: LIBRARY, generated: generated({ ...right, lazy: !right.lazy }, { code }) }),
      ),
      text: await refused(
        recordOf(key, { library: LIBRARY, generated: generated({ ...right, body: 'fn pass0() {}' }) }),
      ),
      other: await refused(recordOf(transform(true, n, q, other), { library: LIBRARY, generated: generated(right) })),
      // Whose class says nothing of a GPU, or of another one, finds nothing here.
      explored: await codeOf(explorer.explore(transform(true, n, q, other), { signal: new AbortController().signal })),
      verified: await codeOf(explorer.verify({ key: transform(true, 32_768, q) }, generated(large))),
    };
    explorer.close();
    return found;
  },

  /** A search on this device, and what becomes of its record. */
  async explored() {
    const technique = {
      name: 'small steps',
      propose: (space, tried, count, random) =>
        Array.from({ length: tried.length < 2 ? Math.min(count, 2) : 0 }, () => small(space, random)),
    };
    const explorer = new KernelExplorer({ device, trials: 2, techniques: () => [technique] });
    const found = [];
    for (const [forward, n, q] of [
      [true, 16, PRIMES[1]],
      [false, 32, PRIMES[4]],
    ]) {
      const key = transform(forward, n, q);
      let tried = 0;
      const onTried = (count) => (tried = count);
      const best = await explorer.explore(key, { signal: new AbortController().signal, onTried });
      const record = await recordOf(key, best);
      const verified = best.generated && (await explorer.verify(record, best.generated));
      const { refused } = await choose(record);
      found.push({ tried, best, verified, refused: refused.map(String) });
    }
    const sum = { ...transform(true, 256, PRIMES[1]), operator: 'limb.add@gpu' };
    const added = { ...sum, inputs: [...sum.inputs, ...sum.inputs] };
    found.push({ best: await explorer.explore(added, { signal: new AbortController().signal }) });
    explorer.close();
    return found;
  },

  /** A program with made kernels on the GPU, with the built-in ones there, and on the processors alone. */
  async programs() {
    const plain = await load({ mode: 'single' });
    const task = createTask();
    const [x, y] = ['x', 'y'].map((name) => task.encrypted(name, { shape: [8], min: -1000, max: 1000 }));
    task.output('z', x.multiply(y).multiply(x).add(x));
    task.output('sum', x.multiply(x).sum());
    const program = await plain.compile(task);
    const client = await program.client();
    const values = { x: [1, -2, 3, 1000, -1000, 7, 0, 5], y: [9, 8, -7, 1000, 1000, 3, 1, -5] };
    const inputs = await client.encrypt(values);
    const { n } = program.info;
    const records = [true, false].map((forward) => {
      const schedule = small(spaceOf(forward, n, 61), random);
      return recordOf(transform(forward, n, PRIMES[4]), { library: LIBRARY, generated: generated(schedule) });
    });
    const kernels = await choose(...(await Promise.all(records)));
    const loom = await load({ mode: 'single', kernels });
    const same = await loom.program(program.toBytes());
    const runs = {};
    const expected = await program.run(inputs, client.evaluationKeys);
    for (const [name, of, own] of [
      ['made', same, loom],
      ['built', program, plain],
    ]) {
      let trace;
      const results = await of.run(inputs, client.evaluationKeys, { gpu: true, onTrace: (told) => (trace = told) });
      const texts = new Set();
      for (const op of trace.op)
        if (/^limb\.i?ntt$/.test(trace.types[trace.type[op]])) texts.add(kernelsText(trace, op, own.mode.chosen));
      const wrong = Object.keys(expected).filter(
        (output) => !Buffer.from(results[output]).equals(Buffer.from(expected[output])),
      );
      runs[name] = { wrong, lost: trace.gpu?.lost, submissions: trace.gpu?.submissions, texts: [...texts] };
    }
    const decrypted = await client.decrypt(expected);
    const found = {
      n,
      names: kernels.names,
      mode: loom.mode.kernels,
      refused: kernels.refused.map(String),
      runs,
      decrypted,
      values,
    };
    loom.dispose();
    plain.dispose();
    return found;
  },
};

console.log(JSON.stringify(await works[work]()));
