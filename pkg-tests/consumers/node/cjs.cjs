const { readFile } = require('node:fs/promises');
const { join } = require('node:path');
const cipherloom = require('cipherloom');
const { wasmReads } = require('./reads.mjs');
const { work } = require('./work.mjs');

const read = (name) => readFile(join(__dirname, 'given', name));

async function main() {
  const results = [];
  for (const options of JSON.parse(process.argv[2]))
    results.push({ ...(await work(cipherloom, read, options)), wasm: wasmReads() });
  console.log(JSON.stringify(results));
}

main();
