// For bundlers that know neither workers nor wasm: both are files of the application's own.
import * as cipherloom from 'cipherloom';
import { work } from './work.mjs';
import { read } from './read.js';

const worker = (role) => new Worker(new URL(`./${role}-worker.js`, import.meta.url), { type: 'module' });
const builds = (folder) => ({
  relaxed: new URL(`./${folder}/threads/relaxed.wasm`, import.meta.url),
  threads: new URL(`./${folder}/threads/cipherloom_bg.wasm`, import.meta.url),
  single: new URL(`./${folder}/single/cipherloom_bg.wasm`, import.meta.url),
});
const parts = ['graphs', 'conformance'].map((part) => [part, builds(`wasm/${part}`)]);
const wasm = { ...builds('wasm'), ...Object.fromEntries(parts) };

window.work = (options) => work(cipherloom, read, { worker, wasm, ...options });
