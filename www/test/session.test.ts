import type { Loom, Explanation } from 'cipherloom';
import { expect, test } from 'vitest';
import type { Application, Question } from '../src/applications/application.js';
import { Session } from '../src/applications/session.js';
import { Phases } from '../src/run/phases.js';

/** What was called, in order. */
const calls: string[] = [];
const question: Question = {
  inputs: { x: 1 },
  plain: {},
  answer: () => ({ verdict: '', agrees: true, contents: [] }),
};
const signal = new AbortController().signal;

function applicationOf(id: string, failures = 0): Application {
  const client = {
    evaluationKeys: [new Uint8Array(30), new Uint8Array(4)],
    encrypt: () => Promise.resolve({ x: new Uint8Array(20) }),
    decrypt: () => Promise.resolve({ y: 2 }),
    dispose: () => calls.push(`${id}: keys away`),
  };
  const program = {
    client: () => (calls.push(`${id}: keys`), Promise.resolve(client)),
    run: () => Promise.resolve({ y: new Uint8Array(7) }),
    toBytes: () => new Uint8Array(5),
    explain: () =>
      failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve({} as Explanation),
    dispose: () => calls.push(`${id}: program away`),
  };
  const compile = () => (calls.push(`${id}: compile`), Promise.resolve(program));
  return { id, describe: () => ({ compile }) } as unknown as Application;
}

function run(session: Session, application: Application, loom: Loom): ReturnType<Session['run']> {
  return session.run({ application, question, loom, gpu: false, phases: new Phases(() => {}), signal });
}

test('program and keys serve the next run of the same application in the same loom', async () => {
  const session = new Session({});
  const [one, other] = [applicationOf('one'), applicationOf('other')];
  const [loom, next] = [{} as Loom, {} as Loom];
  const { decrypted, crossings } = await run(session, one, loom);
  expect(decrypted).toEqual({ y: 2 });
  expect(crossings).toEqual({ program: 5, keys: 34, upload: 20, download: 7 });
  await run(session, one, loom);
  expect(calls.splice(0)).toEqual(['one: compile', 'one: keys']);
  await run(session, other, loom);
  await run(session, other, next);
  expect(calls.splice(0)).toEqual([
    'one: keys away',
    'one: program away',
    'other: compile',
    'other: keys',
    'other: keys away',
    'other: program away',
    'other: compile',
    'other: keys',
  ]);
});

test('an explanation is of the application that ran last, and is asked for again where it failed', async () => {
  const session = new Session({});
  const [one, other] = [applicationOf('one', 1), applicationOf('other')];
  expect(await session.explanation(one)).toBeUndefined();
  await run(session, one, {} as Loom);
  await expect(session.explanation(one)).rejects.toThrow('not now');
  const explanation = await session.explanation(one);
  expect(await session.explanation(one)).toBe(explanation);
  expect(await session.explanation(other)).toBeUndefined();
});
