// One process of run.mjs: runs the ranges that it is sent, and answers with their counts.
import { openLooms, runRange } from './suite.mjs';

const { seed, module } = JSON.parse(process.argv[2]);
const pkg = await import(module);
const looms = await openLooms(pkg);
const print = (text) => process.send({ print: text });

process.on('message', async ({ from, to }) => {
  process.send({ counts: await runRange({ pkg, looms, seed, from, to, print }) });
});
const threads = looms.map(({ mode }) => `${mode.threads} (${mode.variant})`).join(', ');
process.send({ ready: `threads ${threads}, ${looms[0].version}` });
