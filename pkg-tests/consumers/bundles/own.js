// For bundlers that know neither workers nor wasm: both are files of the application's own.
import * as cipherloom from 'cipherloom';
import { work } from './work.mjs';
import { read } from './read.js';

const worker = (role) => new Worker(new URL(`./${role}-worker.js`, import.meta.url), { type: 'module' });
const wasm = {
  relaxed: new URL('./relaxed.wasm', import.meta.url),
  threads: new URL('./threads.wasm', import.meta.url),
  single: new URL('./single.wasm', import.meta.url),
};

window.work = (options) => work(cipherloom, read, { worker, wasm, ...options });
