// The page's side of circuits, over a worker that answers as the test says. What the real one does: e2e/graph.test.ts.
import { describe, expect, it } from 'vitest';
import { recorded, saved } from '../src/circuit-origin.js';
import { WorkerCircuit } from '../src/circuit.js';
import { f32 } from '../src/element.js';
import { CipherloomError, DisposedError, failure } from '../src/errors.js';
import { GraphRecorder } from '../src/graph-builder.js';
import type { Circuit, GraphBuilder } from '../src/graph-types.js';
import type { WorkerLoom } from '../src/loom.js';
import { OwnOperators } from '../src/own-operators.js';
import { OperatorWorkers } from '../src/worker/operator-workers.js';
import type { NamedBytes, RawPort } from '../src/raw.js';
import type { Connection } from '../src/worker/connection.js';
import type { Engine } from '../src/worker/engine.js';
import { LazyEngine } from '../src/worker/lazy-engine.js';
import type { GraphMethods, OpenCircuit } from '../src/worker/protocol.js';

const PORT: RawPort = { name: 'x', type: 'f32[2]{shape=[2]}', element: 'f32', shape: [2], bytes: 8 };

type Call = { readonly method: string; readonly args: readonly unknown[] };

/** A worker that opens circuits, and adds 1 to what it is given. */
class Worker {
  readonly calls: Call[] = [];
  readonly open = new Set<number>();
  alive = true;
  closed = false;
  outputs: RawPort[] = [{ ...PORT, name: 'y' }];
  /** What the next call fails with. */
  failure: Error | undefined;
  /** Where an answer waits that comes too late. */
  late: (() => void)[] = [];
  #last = 0;

  get connection(): Connection<GraphMethods> {
    return this as unknown as Connection<GraphMethods>;
  }

  /** The names of all calls but freeing. */
  get methods(): string[] {
    return this.calls.map(({ method }) => method).filter((method) => method !== 'free');
  }

  close(): void {
    this.closed = true;
    this.alive = false;
  }

  async call(
    method: string,
    args: readonly unknown[],
    { signal }: { signal?: AbortSignal } = {},
    late?: (result: OpenCircuit) => void,
  ): Promise<unknown> {
    if (!this.alive) throw failure('worker.dead', 'dead');
    signal?.throwIfAborted();
    this.calls.push({ method, args });
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    if (method === 'run') return this.#run(args as never);
    if (method === 'text') return `text of ${args[0]}`;
    if (method === 'expand' || method === 'optimize') expect(this.open.has(args[0] as number)).toBe(true);
    const opened = this.#opened();
    if (signal?.aborted) {
      this.late.push(() => late?.(opened));
      throw signal.reason;
    }
    return opened;
  }

  send(method: string, args: readonly number[]): void {
    this.calls.push({ method, args });
    expect(method).toBe('free');
    expect(this.open.delete(args[0] as number)).toBe(true);
  }

  #opened(): OpenCircuit {
    const circuit = ++this.#last;
    this.open.add(circuit);
    return { circuit, id: `id ${circuit}`, operators: 3, inputs: [PORT], outputs: this.outputs };
  }

  #run([, names, data, keep]: [number, string[], Uint8Array[], Uint32Array]) {
    expect(names).toEqual(['x']);
    const x = new Float32Array((data[0] as Uint8Array).slice().buffer);
    const bytes = () => new Uint8Array(x.map((value) => value + 1).buffer);
    const kept = Array.from(keep, (number) => ({ ...PORT, name: `%${number}` }));
    const ports = [...kept, ...this.outputs];
    const objects: NamedBytes[] = ports.map(({ name }) => ({ names: [name], bytes: bytes() }));
    return { result: { objects, kept }, trace: undefined };
  }
}

/** A loom of such workers, and a builder of one operator. */
function setUp() {
  const workers: Worker[] = [];
  const graphs = new LazyEngine<GraphMethods>(async () => {
    const worker = new Worker();
    workers.push(worker);
    return { connection: worker.connection, version: '', memoryBytes: 2 ** 32 } as Engine<GraphMethods>;
  });
  const loom = {
    graphs,
    own: new OwnOperators(new OperatorWorkers(() => expect.unreachable('no base operators here'), 1)),
    mode: { threads: 1 },
  } as unknown as WorkerLoom;
  const life = new AbortController();
  const g: GraphBuilder = new GraphRecorder(32, async (recording, { signal, onProgress }) => {
    const either = AbortSignal.any(signal ? [life.signal, signal] : [life.signal]);
    return WorkerCircuit.open(loom, 'build', recorded(recording), either, onProgress);
  });
  const x = g.input('x', f32(2));
  const y = g.op('f32.neg', [x]);
  g.output('y', y);
  const only = () => {
    expect(workers.length).toBe(1);
    return workers[0] as Worker;
  };
  return { g, x, y, loom, graphs, workers, only };
}

const SEED = new Uint8Array(32);
const DATA = { x: Float32Array.of(1, 2) };

describe('a circuit', () => {
  it('starts the worker where it is first built, once', async () => {
    const { g, workers, only } = setUp();
    expect(workers.length).toBe(0);
    const [a, b] = await Promise.all([g.build(), g.build()]);
    expect(only().open.size).toBe(2);
    expect(a.inputs).toEqual([{ ...PORT }]);
    expect([a.id, b.id, a.operators]).toEqual(['id 1', 'id 2', 3]);
    a.dispose();
    a.dispose();
    b[Symbol.dispose]();
    await Promise.resolve();
    expect(only().open.size).toBe(0);
  });

  it('runs, and gives outputs and what is kept apart', async () => {
    const { g, x, y, only } = setUp();
    const circuit = await g.build();
    const out = await circuit.run(DATA, { keep: [y, x, y], secret: true });
    expect(Object.entries(out)).toEqual([['y', Float32Array.of(2, 3)]]);
    expect([...out.kept.keys()]).toEqual([y, x]);
    expect(out.kept.get(x)).toEqual(Float32Array.of(2, 3));
    const [, , , keep, options, trace] = only().calls.at(-1)?.args as unknown[];
    expect([...(keep as Uint32Array)]).toEqual([1, 0]);
    expect(options).toEqual({
      platforms: ['simd', 'javascript'],
      memoryLimit: ((2 ** 32 - 2 ** 21) * 7) / 8,
      secret: true,
    });
    expect(trace).toBe(false);
    expect(DATA.x).toEqual(Float32Array.of(1, 2));
  });

  it('is told nothing where data or options are wrong', async () => {
    const { g, y, only } = setUp();
    const circuit = await g.build();
    const z = g.op('f32.neg', [y]);
    const foreign = setUp().y;
    const wrong: [() => Promise<unknown>, string][] = [
      [() => circuit.run({}), 'input.missing'],
      [() => circuit.run({ ...DATA, z: DATA.x }), 'input.unknown'],
      [() => circuit.run({ x: new Float64Array(2) }), 'input.type'],
      [() => circuit.run({ x: new Float32Array(3) }), 'input.length'],
      [() => circuit.run(5 as never), 'input.type'],
      [() => circuit.run(DATA, 5 as never), 'input.type'],
      [() => circuit.run(DATA, { keep: y } as never), 'input.type'],
      [() => circuit.run(DATA, { keep: [5] } as never), 'input.type'],
      [() => circuit.run(DATA, { keep: [foreign] }), 'graph.foreign'],
      [() => circuit.run(DATA, { keep: [z] }), 'operand.not_kept'],
      [() => circuit.run(DATA, { platform: 'cuda' } as never), 'input.type'],
      [() => circuit.run(DATA, { memoryLimit: '1' } as never), 'input.type'],
      [() => circuit.run(DATA, { secret: 1 } as never), 'input.type'],
      [() => circuit.run(DATA, { kept: [] } as never), 'input.option'],
      [() => circuit.expand(undefined as never), 'input.type'],
      [() => circuit.expand({}), 'input.option'],
      [() => circuit.expand({ platform: 'simd', steps: 1 }), 'input.option'],
      [() => circuit.expand({ steps: 0 }), 'input.type'],
      [() => circuit.expand({ steps: 2 ** 32 }), 'input.type'],
      [() => circuit.expand({ level: 'limb' } as never), 'input.type'],
      [() => circuit.expand({ base: 'limb.add' } as never), 'input.type'],
      [() => circuit.optimize({ passes: 'prune' } as never), 'input.type'],
      [() => circuit.optimize({ passes: [5] } as never), 'input.type'],
      [() => circuit.protect({} as never), 'input.type'],
      [() => circuit.protect({ seed: new Uint8Array(31) }), 'input.type'],
      [() => circuit.protect({ seed: SEED, kinds: [] }), 'input.type'],
      [() => circuit.protect({ seed: SEED, kinds: ['dead'] } as never), 'input.type'],
      [() => circuit.protect({ seed: SEED, growth: 0.5 }), 'input.type'],
      [() => circuit.protect({ seed: SEED, growth: Number.NaN }), 'input.type'],
      [() => circuit.protect({ seed: SEED, keep: 1 } as never), 'input.type'],
      [() => circuit.protect({ seed: SEED, hide: true } as never), 'input.option'],
      [() => circuit.analyze({ signal: 5 } as never), 'input.type'],
      [() => circuit.toText(5 as never), 'input.type'],
      [() => circuit.toBytes({ stage: 'base' } as never), 'input.option'],
      [() => circuit.graph(null as never), 'input.type'],
    ];
    for (const [call, code] of wrong) await expect(call()).rejects.toMatchObject({ code });
    expect(only().methods).toEqual(['build']);
    // The one that was built later knows the later operand.
    const later = await g.build();
    expect((await later.run(DATA, { keep: [z] })).kept.size).toBe(1);
  });

  it('expands and optimizes into others that live on without it', async () => {
    const { g, y, only } = setUp();
    const circuit = await g.build();
    const base = await circuit.expand({ base: ['f32.add'], platform: undefined });
    const lean = await base.optimize({ passes: ['dedup'] });
    await lean.optimize();
    circuit.dispose();
    base.dispose();
    await expect(base.toText()).rejects.toBeInstanceOf(DisposedError);
    expect((await lean.run(DATA, { keep: [y] })).kept.size).toBe(1);
    const seed = new Uint8Array(32).fill(7);
    const hidden = await lean.protect({ seed, kinds: ['dead_code'], growth: 2 });
    expect(hidden.growth).toBeUndefined();
    seed.fill(0);
    const asked = only().calls.filter(({ method }) => ['expand', 'optimize', 'protect'].includes(method));
    expect(asked.map(({ args }) => args)).toEqual([
      [1, { platforms: [], base: ['f32.add'] }],
      [2, ['dedup']],
      [3, undefined],
      [
        3,
        {
          seed: new Uint8Array(32).fill(7),
          kinds: ['dead_code'],
          growth: 2,
          keep: undefined,
          anonymous: undefined,
        },
      ],
    ]);
  });

  it('is placed by the times that it was given, also where it is made anew', async () => {
    const { g, graphs, workers } = setUp();
    const circuit = await g.build();
    const line = { fixed: 0, each: 0 };
    const times = { uses: [], submission: 0, up: line, down: line, shared: false };
    const placed = await circuit.place({ times, platform: 'scalar', pin: { 'f32.add': 'gpu' } });
    const text = JSON.stringify(times);
    times.submission = 1;
    workers[0]?.close();
    await graphs.restart();
    await placed.toText();
    for (const { calls } of workers)
      expect(calls.find(({ method }) => method === 'placeByTimes')?.args).toEqual([
        1,
        ['scalar'],
        text,
        ['f32.add'],
        ['gpu'],
      ]);
    expect(workers.length).toBe(2);
  });

  it('of one call of a builder is freed after it', async () => {
    const { g, only } = setUp();
    expect((await g.run(DATA))['y']).toEqual(Float32Array.of(2, 3));
    await g.expand({ steps: 1 });
    await expect(g.optimize({ passes: 5 } as never)).rejects.toMatchObject({ code: 'input.type' });
    await expect(g.expand(undefined as never)).rejects.toMatchObject({ code: 'input.type' });
    await Promise.resolve();
    // What expand gave is the user's.
    expect(only().open.size).toBe(1);
  });

  it('tells how far it is', async () => {
    const { g } = setUp();
    const told: unknown[] = [];
    const onProgress = (progress: object) => told.push(Object.values(progress));
    const circuit = await g.build({ onProgress });
    await circuit.expand({ steps: 1, onProgress });
    await circuit.run(DATA, { onProgress });
    expect(told).toEqual([
      ...[
        ['build', 0, 1],
        ['build', 1, 1],
      ],
      ...[
        ['expand', 0, 1],
        ['expand', 1, 1],
      ],
      ['run', 3, 3],
    ]);
  });

  it('that is aborted leaves nothing open', async () => {
    const { g, only } = setUp();
    await g.build();
    const controller = new AbortController();
    const building = g.build({ signal: controller.signal });
    while (only().calls.length < 2) await Promise.resolve();
    controller.abort('enough');
    await expect(building).rejects.toBe('enough');
    for (const answer of only().late) answer();
    expect(only().open.size).toBe(1);
    await expect(g.build({ signal: AbortSignal.abort('no') })).rejects.toBe('no');
  });

  it('that is disposed ends what is under way', async () => {
    const { g } = setUp();
    const circuit = await g.build();
    const running = circuit.expand({ steps: 1 });
    circuit.dispose();
    await expect(running).rejects.toBeInstanceOf(DisposedError);
    await expect(circuit.run(DATA)).rejects.toMatchObject({ code: 'disposed' });
  });

  it('has errors of the core told where the call was made, also later', async () => {
    const { g, only } = setUp();
    const circuit = await g.build();
    only().failure = new CipherloomError('operator.invalid', 'wrong', { call: '1' });
    for (const call of [() => g.build(), () => circuit.expand({ steps: 1 })]) {
      const error = await call().then(
        () => undefined,
        (error: Error) => error,
      );
      expect(error).toMatchObject({
        name: 'GraphError',
        message: 'wrong (call 1 of the graph, op "f32.neg")',
      });
      expect(error?.stack).toContain('circuit.test.ts');
    }
  });

  it('with names that no builder takes is refused, and freed', async () => {
    const { g, only } = setUp();
    await g.build();
    for (const name of ['__proto__', '', 'kept', '%1']) {
      only().outputs = [{ ...PORT, name }];
      await expect(g.build()).rejects.toMatchObject({ code: 'format.circuit' });
    }
    expect(only().open.size).toBe(1);
  });
});

describe('a circuit whose worker died', () => {
  async function die() {
    const all = setUp();
    const circuit = await all.g.build();
    const base = await circuit.expand({ steps: 2 });
    const [first] = all.workers as [Worker];
    first.close();
    await expect(base.toText()).rejects.toMatchObject({ code: 'worker.dead' });
    return { ...all, circuit, base };
  }
  const restarted = async (all: { graphs: LazyEngine<GraphMethods>; workers: Worker[] }) => {
    await all.graphs.restart();
    return all.workers[1] as Worker;
  };

  it('is made anew from what it was made of', async () => {
    const all = await die();
    const second = await restarted(all);
    expect(await all.base.toText()).toBe('text of 2');
    // Its own origin was open for that moment only.
    expect(second.methods).toEqual(['build', 'expand', 'text']);
    expect([...second.open]).toEqual([2]);
    await all.base.toText();
    expect((await all.circuit.run(DATA))['y']).toEqual(Float32Array.of(2, 3));
    expect(second.methods).toEqual(['build', 'expand', 'text', 'text', 'build', 'run']);
    expect(second.calls[0]).toEqual({ method: 'build', args: [expect.objectContaining({ unit: 32 })] });
    expect(all.workers.length).toBe(2);
  });

  it('is made with what was recorded then', async () => {
    const all = await die();
    const [before] = (all.workers[0] as Worker).calls[0]?.args as [object];
    all.g.output('later', all.g.op('f32.wrong', [all.x], { axis: 7 }));
    const second = await restarted(all);
    await all.circuit.toText();
    expect(second.calls[0]?.args).toEqual([before]);
  });

  it('can be expanded at once', async () => {
    const all = await die();
    const second = await restarted(all);
    const again: Circuit = await all.circuit.expand({ steps: 3 });
    expect(again.id).toBe('id 2');
    expect([...second.open]).toEqual([1, 2]);
  });

  it('and was opened from bytes comes from a copy of these', async () => {
    const { loom, graphs, workers } = setUp();
    const bytes = Uint8Array.of(1, 2, 3);
    const signal = new AbortController().signal;
    const circuit = await WorkerCircuit.open(loom, 'build', saved(bytes), signal, undefined);
    bytes.fill(0);
    (workers[0] as Worker).close();
    await graphs.restart();
    await circuit.toText();
    expect((workers[1] as Worker).calls[0]).toEqual({ method: 'openBytes', args: [Uint8Array.of(1, 2, 3)] });
    const printed = await WorkerCircuit.open(loom, 'build', saved('text'), signal, undefined);
    await expect(printed.run(DATA, { keep: [setUp().x] })).rejects.toMatchObject({ code: 'graph.foreign' });
  });
});

describe('the graph worker', () => {
  it('is tried again after it did not start, and not started twice', async () => {
    let starts = 0;
    const worker = new Worker();
    const graphs = new LazyEngine<GraphMethods>(async () => {
      starts += 1;
      if (starts === 1) throw failure('worker.failed', 'no');
      return { connection: worker.connection, version: '', memoryBytes: 1 };
    });
    await graphs.restart();
    expect(starts).toBe(0);
    const both = [graphs.worker(), graphs.worker()];
    for (const one of both) await expect(one).rejects.toMatchObject({ code: 'worker.failed' });
    expect(starts).toBe(1);
    expect((await graphs.worker()).connection).toBe(worker);
    await graphs.restart();
    expect(starts).toBe(2);
    graphs.close();
    expect(worker.closed).toBe(true);
  });

  it('that starts after the end is ended', async () => {
    const worker = new Worker();
    const graphs = new LazyEngine<GraphMethods>(async () => ({
      connection: worker.connection,
      version: '',
      memoryBytes: 1,
    }));
    const starting = graphs.worker();
    graphs.close();
    await starting;
    expect(worker.closed).toBe(true);
  });
});
