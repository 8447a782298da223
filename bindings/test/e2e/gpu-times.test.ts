/** Runs that are placed by times, where there is no GPU: nothing fails that need not, and no worker is started for what cannot be. What GPUs do: `pkg-tests/consumers/gpu.test.mjs`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Ciphertexts,
  type Circuit,
  type Client,
  createTask,
  type GpuTimes,
  load,
  type Loom,
  type Program,
  type RunOptions,
  type TraceView,
  type,
} from '../../dist/index.js';
import { startWorker } from '../../dist/worker/start.js';
import { errorOf } from './error-of.js';

const line = { fixed: 0, each: 1 };
const times = (uses: GpuTimes['uses'], shared: boolean): GpuTimes => ({
  uses,
  submission: 1000,
  up: line,
  down: line,
  shared,
});
const add = (each: number): GpuTimes['uses'] => [{ op: 'limb.add', work: 1, host: 1e6, wave: 0, each }];

const roles: string[] = [];
let loom: Loom;
let program: Program;
let client: Client;
let inputs: Ciphertexts;
let expected: Ciphertexts;
beforeAll(async () => {
  const worker = (role: Parameters<typeof startWorker>[0]) => {
    roles.push(role);
    return startWorker(role);
  };
  loom = await load({ mode: 'single', worker, gpuTimes: false });
  const task = createTask();
  const x = task.encrypted('x', { shape: [8], min: 0, max: 100 });
  task.output('sum', x.sum());
  program = await loom.compile(task);
  client = await program.client();
  inputs = await client.encrypt({ x: [1, 2, 3, 4, 5, 6, 7, 8] });
  expected = await program.run(inputs, client.evaluationKeys);
});
afterAll(() => loom.dispose());

async function run(gpu: RunOptions['gpu']): Promise<TraceView['placement']> {
  let trace: TraceView | undefined;
  const found = await program.run(inputs, client.evaluationKeys, { gpu, onTrace: (told) => (trace = told) });
  expect(found).toEqual(expected);
  return trace?.placement;
}

it('times decide, and say so; without a GPU only what has to go there fails', async () => {
  // Far slower there.
  expect(await run({ times: times(add(1e9), false) })).toMatchObject({ way: 'host', operators: 0 });
  // Faster, but on the processors, and not as fast as these are... nothing is expanded to know that.
  const told = await run({ times: times(add(1e6), true) });
  expect(told).toEqual({ way: 'host', operators: 0, expected: 0, alone: 0 });
  const keys = client.evaluationKeys;
  for (const gpu of [
    { times: times(add(1), false) },
    { times: times(add(1e9), false), pins: { 'limb.add': 'gpu' } },
    { pins: { 'limb.add': 'gpu' } },
  ] as const)
    expect((await errorOf(program.run(inputs, keys, { gpu }))).code).toBe('gpu.none');
  expect(await run({ times: times(add(1), false), pins: { 'limb.add': 'simd' } })).toMatchObject({
    way: 'host',
  });
  expect(roles).not.toContain('conformance');
});

it('what is no table, and no pin, is refused', async () => {
  const refused = async (gpu: unknown) =>
    (await errorOf(program.run(inputs, client.evaluationKeys, { gpu } as RunOptions))).code;
  for (const gpu of ['fast', 1, { time: {} }, { pins: { 'limb.add': 'tpu' } }, { times: [] }])
    expect(await refused(gpu), JSON.stringify(gpu)).toBe('input.type');
  expect(await refused({ times: { ...times(add(1), false), submission: -1 } })).toBe('task.invalid');
  expect(await refused({ times: times(add(1), false), pins: { 'limb.nothing': 'simd' } })).toBe(
    'operator.unknown',
  );
  expect(await run(false)).toBeUndefined();
});

it('who asks for measured times without a GPU gets results all the same, and is told why if they ask', async () => {
  expect(await run('measured')).toBeUndefined();
  expect((await errorOf(loom.gpuTimes())).code).toBe('gpu.none');
  // It was tried once.
  expect(await run('measured')).toBeUndefined();
  expect((await errorOf(loom.gpuTimes())).code).toBe('gpu.none');
  expect(roles.filter((role) => role === 'conformance')).toHaveLength(1);
});

/** A circuit of one operator on x and x, eight residues. */
function circuitOf(operator: 'limb.add' | 'limb.mul', q: bigint): Promise<Circuit> {
  const graph = loom.graph({ unit: 64 });
  const x = graph.input('x', type('limb', { n: 8, q, form: 'ntt' }));
  graph.output('y', graph.op(operator, [x, x]));
  return graph.build();
}

const data = { x: BigUint64Array.from({ length: 8 }, (_, at) => BigInt(at)) };

it('circuits are placed by them, too, and say how; without a GPU what is placed there fails', async () => {
  const circuit = await circuitOf('limb.add', 17n);
  const y = data.x.map((value) => 2n * value);
  expect(circuit.placement).toBeUndefined();
  const there = await circuit.place({ times: times(add(1), false) });
  expect(there.placement).toMatchObject({ way: 'device', operators: 1 });
  expect(await there.toText()).toContain('limb.add@gpu');
  expect((await errorOf(there.run(data))).code).toBe('gpu.none');
  for (const table of [times(add(1e9), false), times(add(1e6), true), 'measured'] as const) {
    const placed = await circuit.place({ times: table });
    expect(placed.placement).toMatchObject({ way: 'host', operators: 0 });
    expect(await placed.toText()).not.toContain('@gpu');
    expect(await placed.run(data)).toEqual({ y });
  }
  // What it reads twice crosses once: 2000 there, 1.25 times as much here.
  const crossing = { fixed: 1000, each: 0 };
  const near = [{ op: 'limb.add', work: 0.8, host: 2000, wave: 0, each: 0 }];
  const twice = await circuit.place({
    times: { uses: near, submission: 0, up: crossing, down: crossing, shared: false },
  });
  expect(twice.placement).toMatchObject({ way: 'device', operators: 1 });
  const pinned = await circuit.place({ times: times(add(1), false), pin: { 'limb.add': 'scalar' } });
  expect(await pinned.toText()).toContain('limb.add@scalar');
  for (const [table, code] of [
    ['fast', 'input.type'],
    [[], 'input.type'],
    [{ ...times(add(1), false), submission: -1 }, 'task.invalid'],
  ] as const)
    expect((await errorOf(circuit.place({ times: table as GpuTimes }))).code).toBe(code);
});

it('what nobody has placed goes to no GPU, whatever its prime', async () => {
  const circuit = await circuitOf('limb.mul', 1152921504606846577n);
  for (const options of [{}, { platform: 'scalar' }, { times: 'measured' }] as const) {
    const placed = await circuit.place(options);
    const platform = 'platform' in options ? options.platform : 'simd';
    expect(await placed.toText()).toContain(`limb.mul@${platform}`);
    expect(await placed.run(data)).toEqual({ y: data.x.map((value) => value * value) });
  }
});

it('a circuit that is disposed of while it is measured, or asked twice, is no worse', async () => {
  const circuit = await circuitOf('limb.add', 17n);
  const asked = [1, 2].map(() => circuit.place({ times: 'measured' }));
  for (const placed of await Promise.all(asked)) expect(placed.placement).toMatchObject({ operators: 0 });
  const late = circuit.place({ times: 'measured', platform: 'scalar' });
  circuit.dispose();
  expect((await errorOf(late)).name).toBe('DisposedError');
});
