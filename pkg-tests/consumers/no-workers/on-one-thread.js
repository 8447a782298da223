import * as cipherloom from 'cipherloom';
import { read } from './read.js';
import { work } from './work.mjs';

const single = new URL('./tasks.wasm', import.meta.url);
const wasm = { single, graphs: { single: new URL('./graphs.wasm', import.meta.url) } };

/** What every consumer finds, or `{ error }`. */
export async function onOneThread() {
  try {
    return await work(cipherloom, read, { workers: false, mode: 'single', wasm });
  } catch (error) {
    return { error: String(error) };
  }
}
