// Security levels: chosen, told, kept in bytes; below them by consent only, and never unsaid.
import { createTask, load, type Loom, type Program, type SecurityLevel, STAGES, type Task } from 'cipherloom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

function squares(kind: 'integer' | 'real'): Task {
  const task = createTask();
  const x = task.encrypted('x', { kind, shape: [4], min: -9, max: 9 });
  task.output('sum', x.multiply(x).sum());
  return task;
}

describe('security levels', () => {
  let loom: Loom;

  beforeAll(async () => {
    loom = await load({ mode: 'single' });
  });
  afterAll(() => loom?.dispose());

  async function sum(program: Program): Promise<number> {
    using client = await program.client();
    const inputs = await client.encrypt({ x: [3, -9, 0, 7] });
    const { sum } = await client.decrypt(await program.run(inputs, client.evaluationKeys));
    return sum as number;
  }

  it('are 128 bits, classical, unless more are asked for', async () => {
    using plain = await loom.compile(squares('integer'));
    expect(plain.info).toMatchObject({ security: 'guidelines-2024', securityBits: 128, quantum: false });
    for (const security of ['guidelines-2024', {}, { bits: 128, quantum: false }] as const) {
      using same = await loom.compile(squares('integer'), { security });
      expect(same.toBytes()).toEqual(plain.toBytes());
    }
    using older = await loom.compile(squares('integer'), { security: 'standard-2018' });
    expect(older.info).toMatchObject({ security: 'standard-2018', securityBits: 128 });
  });

  it.each(['integer', 'real'] as const)('are had by what is compiled (%s)', async (kind) => {
    const levels: SecurityLevel[] = [
      { bits: 192 },
      { quantum: true },
      { table: 'standard-2018', bits: 256 },
      { bits: 256, quantum: true },
    ];
    for (const security of levels) {
      using program = await loom.compile(squares(kind), { security });
      const { table = 'guidelines-2024', bits = 128, quantum = false } = security;
      const told = { security: table, securityBits: bits, quantum };
      expect(program.info).toMatchObject(told);
      expect(program.info.totalBits).toBeLessThanOrEqual(program.info.maxTotalBits);
      expect(await sum(program)).toBeCloseTo(139, 3);
      using opened = await loom.program(program.toBytes());
      expect(opened.info).toEqual(program.info);
      // Parameters take their level along.
      using other = await loom.compile(squares(kind), { parameters: opened.info });
      expect(other.info).toMatchObject(told);
      using client = await program.client();
      using again = await other.restoreClient(await client.save());
      expect(again.evaluationKeys).toHaveLength(client.evaluationKeys.length);
    }
  });

  it('say which would do where one is too high', async () => {
    const deep = createTask();
    let x = deep.encrypted('x', { shape: [4], min: 0, max: 1 });
    for (let i = 0; i < 9; i++) x = x.multiply(x);
    deep.output('y', x);
    const error = await errorOf(loom.compile(deep, { security: { bits: 256, quantum: true } }));
    expect(error).toMatchObject({
      name: 'ParameterError',
      code: 'parameters.none',
      details: { level: '256-bit security against quantum computers (guidelines-2024)' },
    });
    expect(error.message).toContain('would do, at n = ');
  });

  it('are refused where they are none', async () => {
    const compile = (options: object): Promise<unknown> => loom.compile(squares('integer'), options);
    using program = await loom.compile(squares('integer'));
    for (const [options, code] of [
      [{ security: { table: 'none' } }, 'parameters.invalid'],
      [{ security: { bits: 100 } }, 'input.type'],
      [{ security: { level: 128 } }, 'input.option'],
      [{ security: 128 }, 'input.type'],
      [{ allowInsecure: 1 }, 'input.type'],
      [{ parameters: { ...program.info, securityBits: 64 } }, 'input.type'],
      [{ parameters: { ...program.info, security: 'none' } }, 'parameters.invalid'],
      [{ n: 64 }, 'parameters.insecure'],
      [{ n: 1000, allowInsecure: true }, 'parameters.invalid'],
      [{ parameters: { ...program.info, securityBits: 256 } }, 'parameters.insecure'],
    ] as const)
      expect([options, (await errorOf(compile(options))).code]).toEqual([options, code]);
  });

  it('are missing by consent only, and this is said in every print', async () => {
    const task = squares('integer');
    const error = await errorOf(loom.compile(task, { n: 64 }));
    expect(error).toMatchObject({ name: 'ParameterError', details: { what: 'n', found: '64' } });
    expect(error.message).toContain('`allowInsecure: true`');
    using program = await loom.compile(task, { n: 64, allowInsecure: true });
    expect(program.info).toMatchObject({ n: 64, security: 'insecure', securityBits: 0, quantum: false });
    expect(await sum(program)).toBe(139);
    expect(String(await program.explain())).toMatch(/^security +INSECURE, for teaching only/m);
    for (const stage of STAGES)
      expect(await program.toText(stage)).toMatch(/\n\/\/ INSECURE, for teaching only/);
    expect((await program.verify()).passed).toBe(true);
    const bytes = program.toBytes();
    expect(await errorOf(loom.program(bytes))).toMatchObject({ code: 'parameters.insecure' });
    using opened = await loom.program(bytes, { allowInsecure: true });
    expect(opened.info).toEqual(program.info);
    expect(String(await opened.explain())).toContain('INSECURE');
    // In workers that have not met it yet.
    expect(await sum(opened)).toBe(139);
    const under = { parameters: opened.info };
    expect((await errorOf(loom.compile(task, under))).code).toBe('parameters.insecure');
    using other = await loom.compile(task, { ...under, allowInsecure: true });
    expect(other.info.security).toBe('insecure');
    // Where what is allowed is not needed it changes nothing.
    using secure = await loom.compile(task, { allowInsecure: true });
    expect(secure.info.security).toBe('guidelines-2024');
    using trusted = await loom.program(secure.toBytes(), { allowInsecure: true });
    expect(trusted.info).toEqual(secure.info);
  });
});
