// A program with keys and encrypted inputs, made once, so that every consumer can run the very same ones.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTask, load } from 'cipherloom';
import { digest } from '../consumers/work.mjs';
import { ofOne, ofTwo } from '../job/reference.mjs';
import { keptLater } from './kept.mjs';
import { PACKED } from './package.mjs';

const MADE_OF = [
  ...PACKED,
  ...['lib/given.mjs', 'consumers/work.mjs', 'job/reference.mjs'].map((name) => `pkg-tests/${name}`),
];
const ROWS = 500;
/** Fixed, with ties and extremes. */
const VALUES = {
  x: Array.from({ length: ROWS }, (_, i) => (((i * 7919) % 1201) - 600) / 10),
  y: Array.from({ length: ROWS }, (_, i) => (i % 11 === 0 ? null : (i * i) % 1000)),
};

/** Writes the files that `work` reads into a folder; gives the digests that every evaluator's results must have. */
export async function writeGiven(folder) {
  const made = await keptLater('given', MADE_OF, async (made) =>
    writeFileSync(join(made, 'digests.json'), JSON.stringify(await makeGiven(join(made, 'given')))),
  );
  cpSync(join(made, 'given'), folder, { recursive: true });
  return JSON.parse(readFileSync(join(made, 'digests.json'), 'utf8'));
}

async function makeGiven(folder) {
  const task = createTask();
  const x = task.encrypted('x', { shape: [ROWS], min: -60, max: 60, decimals: 1 });
  const y = task.encrypted('y', { shape: [ROWS], min: 0, max: 1000, missing: true });
  task.output('sum', x.sum());
  task.output('covariance', x.covariance(y));
  task.output('product', x.multiply(x).sub(3));

  const loom = await load({ mode: 'single' });
  const program = await loom.compile(task);
  const client = await program.client();
  const inputs = await client.encrypt(VALUES);
  const results = await program.run(inputs, client.evaluationKeys);
  const decrypted = await client.decryptExact(results);
  const bytes = program.toBytes();
  loom.dispose();
  // Equal bytes are worth something only where they are right.
  const [ofX, ofY] = [
    { decimals: 1, units: VALUES.x.map((cell) => Math.round(10 * cell)) },
    { decimals: 0, units: VALUES.y },
  ];
  const expected = {
    sum: ofOne(ofX).sum,
    covariance: ofTwo(ofX, ofY).covariance,
    product: ofX.units.map((units) => ((units * units - 300) / 100).toFixed(2)),
  };
  for (const [name, right] of Object.entries(expected)) {
    if (String(decrypted[name]) !== String(right))
      throw new Error(`"${name}": found ${decrypted[name]}, expected ${right}`);
  }

  mkdirSync(folder, { recursive: true });
  const write = (name, content) => writeFileSync(join(folder, name), content);
  write('program', bytes);
  for (const [index, key] of client.evaluationKeys.entries()) write(`key-${index}`, key);
  for (const [name, bytes] of Object.entries(inputs)) write(`input-${name}`, bytes);
  write('list.json', JSON.stringify({ keys: client.evaluationKeys.length, inputs: Object.keys(inputs) }));
  return Object.fromEntries(
    await Promise.all(Object.entries(results).map(async ([name, bytes]) => [name, await digest(bytes)])),
  );
}
