import { readFile } from 'node:fs/promises';
import * as cipherloom from 'cipherloom';
import { wasmReads } from './reads.mjs';
import { work } from './work.mjs';

const read = (name) => readFile(new URL(`./given/${name}`, import.meta.url));
const results = [];
for (const options of JSON.parse(process.argv[2]))
  results.push({ ...(await work(cipherloom, read, options)), wasm: wasmReads() });
console.log(JSON.stringify(results));
