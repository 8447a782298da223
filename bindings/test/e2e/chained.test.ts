// Results that are inputs of the next task: what two programs make one after the other, with nobody decrypting in between. Runs once per build of the wasm.
import { createTask, load, type Loom, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS, threadsOf } from './builds.js';
import { expectNear } from './compute.js';
import { errorOf } from './error-of.js';

const SHAPE = { shape: [5] };

/** Prices times amounts, to the cent. */
function billing(keep = false): Task {
  const task = createTask();
  const price = task.encrypted('price', { ...SHAPE, min: 0, max: 99, decimals: 2 });
  const amount = task.encrypted('amount', { ...SHAPE, min: -9, max: 9 });
  const cost = price.multiply(amount);
  task.output('cost', cost, { keep });
  task.output('total', cost.sum());
  task.output('mean', cost.mean());
  return task;
}

describe.each(BUILDS)('the %s build', (mode) => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load({ mode, threads: threadsOf(mode) });
  });
  afterAll(() => loom?.dispose());

  const given = { price: [1.25, 0.5, 99, 3, 0.01], amount: [4, -2, 9, 0, 1] };
  const cost = [5, -1, 891, 0, 0.01];

  it('computes on results of tasks that were compiled together', async () => {
    const bills = billing();
    const tax = createTask();
    const before = tax.result('bill', bills, 'cost');
    expect(before).toMatchObject({ kind: 'integer', shape: [5], decimals: 2, place: 'encrypted' });
    const rate = tax.encrypted('rate', { ...SHAPE, min: 0, max: 2, decimals: 1 });
    const amount = tax.encrypted('amount', { ...SHAPE, min: -9, max: 9 });
    tax.output('taxed', before.multiply(rate));
    tax.output('mean', before.add(amount).mean());
    const again = createTask();
    again.output('again', again.result('taxed', tax).sum().multiply(2));
    const [first, second, third] = await loom.compileAll([bills, tax, again]);
    const [, program] = [first, second, third].map(({ info }) => info.moduli.join());
    expect(program).toBe(first.info.moduli.join());
    expect(second.info.inputs.map(({ result }) => result)).toEqual(['cost', undefined, undefined]);
    // 99 times 9 at most, and in the unit of both.
    expect(second.info.inputs[0]?.max).toMatchObject({ units: 891_00n, decimals: 2 });

    using client = await first.client();
    const saved = await client.save();
    using next = await second.restoreClient(saved);
    using last = await third.restoreClient(saved);
    const bill = await client.encrypt(given);
    const costs = await first.run(bill, client.evaluationKeys);
    expect(await client.decrypt(costs, { inputs: bill })).toEqual({ cost, total: 895.01, mean: 179.002 });
    const inputs = {
      bill: costs['cost'] as Uint8Array,
      // What both take was encrypted once.
      amount: bill['amount'] as Uint8Array,
      ...(await next.encrypt({ rate: [1, 2, 0.5, 1.9, 2] })),
    };
    const taxed = await second.run(inputs, next.evaluationKeys);
    const expected = { taxed: [5, -2, 445.5, 0, 0.02], mean: (895.01 + 12) / 5 };
    expect(await next.decrypt(taxed, { inputs })).toEqual(expected);
    const result = await third.run({ taxed: taxed['taxed'] as Uint8Array }, last.evaluationKeys);
    expect(await last.decrypt(result)).toEqual({ again: 897.04 });

    // The exact interpreter takes cells for a result.
    expect(await last.plain({ taxed: expected.taxed })).toEqual(await last.decryptExact(result));
    // Another run of the first program gives another result, of which the second run was not made.
    const others = await first.run(await client.encrypt(given), client.evaluationKeys);
    const bound = { inputs: { ...inputs, bill: others['cost'] as Uint8Array } };
    expect(await errorOf(next.decrypt(taxed, bound))).toMatchObject({ code: 'key.foreign' });
    // Only that result of that program, and no fresh value.
    const run = (bill: Uint8Array | undefined) =>
      errorOf(second.run({ ...inputs, bill: bill as Uint8Array }, next.evaluationKeys));
    expect(await run(bill['price'])).toMatchObject({ code: 'task.invalid' });
    expect(await run(costs['total'])).toMatchObject({ code: 'task.invalid' });
    expect(await run(taxed['taxed'])).toMatchObject({ code: 'key.foreign', details: { of: 'program' } });
    expect(await errorOf(next.encrypt({ bill: cost }))).toMatchObject({ code: 'task.invalid' });
    expect(await errorOf(last.plain({ taxed: [1e9, 0, 0, 0, 0] }))).toMatchObject({ code: 'range.value' });
    for (const each of [first, second, third]) each.dispose();
  });

  it('computes on results of a program that came as bytes', async () => {
    // Chosen for this task alone, parameters would leave no level.
    const other = createTask();
    other.output(
      'out',
      other
        .encrypted('x', { ...SHAPE, min: 0, max: 99 })
        .power(4)
        .rotate(1),
    );
    using wider = await loom.compile(other);
    using program = await loom.compile(billing(true), { parameters: wider.info });
    using opened = await loom.program(program.toBytes());
    const task = createTask();
    const bill = task.result('bill', opened, 'cost');
    task.output('turned', bill.negate().rotate(1).sum());
    using next = await loom.compile(task);
    expect(next.info.moduli).toEqual(program.info.moduli);
    using client = await program.client();
    using holder = await next.restoreClient(await client.save());
    const costs = await program.run(await client.encrypt(given), client.evaluationKeys);
    const result = await next.run({ bill: costs['cost'] as Uint8Array }, holder.evaluationKeys);
    expect(await holder.decrypt(result)).toEqual({ turned: -895.01 });
    using reopened = await loom.program(next.toBytes());
    expect(reopened.info).toEqual(next.info);
    const verification = await next.verify({ trials: 1 });
    expect(verification.passed).toBe(true);
  });

  it('computes on results of reals, within what programs say', async () => {
    const first = createTask();
    const x = first.encrypted('x', { kind: 'real', shape: [3], min: -1, max: 1 });
    first.output('square', x.square());
    const second = createTask();
    const square = second.result('square', first);
    second.output(
      'cube',
      square.multiply(second.encrypted('x', { kind: 'real', shape: [3], min: -1, max: 1 })),
    );
    const [one, two] = await loom.compileAll([first, second]);
    using client = await one.client();
    using next = await two.restoreClient(await client.save());
    const inputs = await client.encrypt({ x: [0.5, -1, 0.125] });
    const squares = await one.run(inputs, client.evaluationKeys);
    const cubes = await two.run({ ...inputs, square: squares['square'] as Uint8Array }, next.evaluationKeys);
    const off = 2 ** Math.max(...two.info.ciphertexts.map(({ errorBits = NaN }) => errorBits));
    expect(off).toBeLessThan(2 ** -19);
    expectNear((await next.decrypt(cubes))['cube'], [0.125, -1, 0.125 ** 3], off);
    one.dispose();
    two.dispose();
  });

  it('says what is no result', async () => {
    const bills = billing();
    const task = createTask();
    const thrown = (call: () => unknown): unknown => {
      try {
        return call();
      } catch (error) {
        return error;
      }
    };
    expect(thrown(() => task.result('a', bills, 'none'))).toMatchObject({
      code: 'input.unknown',
      details: { expected: ['cost', 'total', 'mean'] },
    });
    expect(thrown(() => task.result('a', 5 as never))).toMatchObject({ code: 'input.type' });
    const holes = createTask();
    holes.output('x', holes.encrypted('x', { shape: [2], min: 0, max: 1, missing: true }));
    expect(thrown(() => task.result('x', holes))).toMatchObject({ code: 'operator.invalid' });
    const mean = task.encrypted('y', { shape: [2], min: 0, max: 1 }).mean();
    expect(thrown(() => task.output('mean', mean, { keep: true }))).toMatchObject({
      code: 'operator.invalid',
    });
    task.output('out', task.result('cost', bills).sum());
    for (const wrong of [loom.compile(task), loom.compileAll([task, bills]), loom.compileAll([task])])
      expect(await errorOf(wrong)).toMatchObject({ code: 'graph.foreign', details: { input: 'cost' } });
    expect(await errorOf(loom.compileAll([] as never))).toMatchObject({ code: 'input.type' });
    // What the client finishes is nothing that a server has, and a task's own outputs are values that it has.
    expect(thrown(() => task.result('mean', bills))).toMatchObject({ code: 'operator.invalid' });
    expect(thrown(() => bills.result('own', bills, 'cost'))).toMatchObject({ code: 'operator.invalid' });
    using program = await loom.compile(bills);
    // A sum is handed over as nothing but the sum, and a product in three parts.
    expect(program.info.outputs.map(({ result }) => result)).toEqual([undefined, undefined, undefined]);
    using keyed = await loom.compile(bills, { passes: { openResults: false } });
    expect(keyed.info.outputs.map(({ result }) => result?.given.name)).toEqual([
      'cost',
      undefined,
      undefined,
    ]);
    for (const name of ['cost', 'total', 'mean'])
      expect(thrown(() => createTask().result(name, program))).toMatchObject({ code: 'operator.invalid' });
  });
});
