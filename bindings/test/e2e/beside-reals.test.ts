// Integers, decimals, booleans, categories and days in a task that also has encrypted reals, and so is computed in a scheme of these. In one build: all compute the same.
import { createTask, load, type Loom, type Value } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNear, sum } from './compute.js';

describe('beside encrypted reals', () => {
  let loom: Loom;
  beforeAll(async () => {
    loom = await load();
  });
  afterAll(() => loom?.dispose());

  it('what is whole is compared without a gap', async () => {
    const task = createTask();
    const rows = 12;
    const pay = task.encrypted('pay', { kind: 'real', shape: [rows], min: 0, max: 1 });
    const age = task.encrypted('age', { shape: [rows], min: 10, max: 25 });
    const rate = task.encrypted('rate', { shape: [rows], min: 0, max: 1, decimals: 1 });
    const region = task.encrypted('region', { kind: 'category', categories: 3, shape: [rows] });
    const member = task.encrypted('member', { kind: 'boolean', shape: [rows] });
    const since = task.encrypted('since', {
      kind: 'date',
      shape: [rows],
      min: '2024-01-25',
      max: '2024-02-09',
    });
    const all: Record<string, Value> = {
      adult: age.atLeast(18),
      adults: age.greaterThan(17).sum(),
      same: age.equals(18),
      'far or not': age.lessThan(18, { gap: 3 }).sum(),
      rate: rate.atMost(0.3),
      north: region.equals(1),
      'pay north': region.equals(1).select(pay, 0).sum(),
      due: since.lessThan(new Date('2024-02-01')),
      'that day': since.equals(new Date('2024-02-01')),
      members: member.equals(true),
      'less than true': member.lessThan(age.atLeast(18)),
      // Known, though not before it is computed: at 1 the sign of what is compared is anything.
      'at most': pay.atMost(1, { gap: 0.1 }).lessThan(true, { gap: 0.1 }).sum().multiply(0),
    };
    for (const [name, value] of Object.entries(all)) task.output(name, value);
    const given = {
      pay: Array.from({ length: rows }, (_, row) => (row % 5) / 4),
      age: [17, 18, 19, 10, 25, 18, 17, 16, 20, 24, 18, 11],
      rate: Array.from({ length: rows }, (_, row) => (row % 11) / 10),
      region: Array.from({ length: rows }, (_, row) => (row * 2) % 3),
      member: Array.from({ length: rows }, (_, row) => row % 4 === 1),
      since: Array.from({ length: rows }, (_, row) => new Date(Date.UTC(2024, 0, 27 + row))),
    };
    const program = await loom.compile(task, { precision: 12 });
    expect(program.info.scheme).toBe('CKKS');
    const client = await program.client();
    const inputs = await client.encrypt(given);
    const found = await client.decrypt(await program.run(inputs, client.evaluationKeys));
    const { 'pay north': north, 'far or not': far, ...whole } = found;
    const at = (row: number) => given.since[row]?.getTime() as number;
    const february = Date.UTC(2024, 1, 1);
    expect(whole).toEqual({
      adult: given.age.map((age) => age >= 18),
      adults: 7,
      same: given.age.map((age) => age === 18),
      rate: given.rate.map((rate) => rate <= 0.3),
      north: given.region.map((region) => region === 1),
      due: given.since.map((_, row) => at(row) < february),
      'that day': given.since.map((_, row) => at(row) === february),
      members: given.member,
      'less than true': given.member.map((member, row) => !member && (given.age[row] as number) >= 18),
      'at most': 0,
    });
    expectNear(north, [sum(given.pay.filter((_, row) => given.region[row] === 1))], 1e-4);
    // Those from 16 to 20 count anything from 0 to 1.
    expect(far as number).toBeGreaterThanOrEqual(2);
    expect(far as number).toBeLessThanOrEqual(10);
    client.dispose();
    program.dispose();
  });
});
