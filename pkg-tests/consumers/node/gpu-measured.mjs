// Runs that are placed by measured times on the GPU of this machine, and by other tables: what was chosen, and whether results are the same, as JSON.
import * as cipherloom from 'cipherloom';
import { circuitPlaced, measuredTwice, start } from './gpu/measured.mjs';

const kept = new Map();
const gpuTimes = {
  get: async (name) => kept.get(name),
  put: async (name, text) => void kept.set(name, text),
  delete: async (name) => void kept.delete(name),
};
const options = { mode: 'single', gpuTimes };
const twice = await measuredTwice(cipherloom, options);
const found = { twice, runs: {} };

const [[name, text]] = kept;
const { of, times } = JSON.parse(text);
// What another driver took.
kept.set(name, JSON.stringify({ of: `${of}, other`, times: { ...times, uses: [] } }));
const { loom, run } = await start(cipherloom, options);
await run('measured');
await loom.gpuTimes();
found.anew = JSON.parse(kept.get(name));
found.of = of;

// Other times and pins, on the same device: it is faster, and near; it is far; slow, but for what is pinned there; as fast as this thread.
const line = { fixed: 0, each: 0 };
const timesOf = (each, uses = times.uses) =>
  uses.map((use) => (use.each === undefined ? use : { ...use, wave: 0, each: each(use) }));
const near = { uses: timesOf(({ host }) => host / 1e3), submission: 0, up: line, down: line, shared: false };
const far = { ...near, up: { fixed: 1e9, each: 1e6 } };
found.runs.near = await run({ times: near });
found.runs.far = await run({ times: far });
const slow = { ...near, uses: timesOf(({ host }) => 1e3 * host) };
found.runs.pinned = await run({ times: slow, pins: { 'limb.add': 'gpu' } });
found.runs.equal = await run({ times: { ...near, uses: timesOf(({ host }) => host) } });
// A graph of one's own, which is made of what the program has not.
found.circuits = await circuitPlaced(loom, cipherloom, { measured: 'measured' });
const { uses } = await loom.gpuTimes();
found.products = uses.filter(({ op }) => op === 'limb.mul').length;
const fast = timesOf(({ host }) => host / 1e3, uses);
const both = { near: { ...near, uses: fast }, far: { ...far, uses: fast } };
Object.assign(found.circuits, await circuitPlaced(loom, cipherloom, both));
loom.dispose();
console.log(JSON.stringify(found));
