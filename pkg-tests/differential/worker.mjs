// One process of run.mjs: runs the ranges that it is sent, and answers with their counts.
import { runRange, runRangePlain } from './suite.mjs';

const { seed, plain, module, mode } = JSON.parse(process.argv[2]);
const pkg = await import(module);
const loom = plain ? undefined : await pkg.load({ mode, threads: mode === 'single' ? undefined : 1 });
const print = (text) => process.send({ print: text });

process.on('message', async ({ from, to }) => {
  const counts = await (plain ? runRangePlain : runRange)({ pkg, loom, seed, from, to, print });
  process.send({ from, to, counts });
});
process.send({ ready: loom ? `${loom.mode.variant}, ${loom.version}` : 'plain' });
