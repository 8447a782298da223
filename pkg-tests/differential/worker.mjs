// One process of run.mjs: runs the ranges that it is sent, and answers with their counts.
import { runRange } from './suite.mjs';

const { seed, module, mode } = JSON.parse(process.argv[2]);
const pkg = await import(module);
const single = mode === 'single';
const looms = [
  await pkg.load({ mode, threads: single ? undefined : 1 }),
  ...(single ? [] : [await pkg.load({ mode, threads: 2 })]),
];
const print = (text) => process.send({ print: text });

process.on('message', async ({ from, to }) => {
  const counts = await runRange({ pkg, looms, seed, from, to, print });
  process.send({ from, to, counts });
});
process.send({ ready: `${looms[0].mode.variant}, ${looms[0].version}` });
