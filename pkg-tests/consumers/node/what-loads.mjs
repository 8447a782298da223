// Which of Node's modules are beneath `fetch`, and are there once a loom without workers is.
import process from 'node:process';
import { load } from 'cipherloom';

(await load({ mode: 'single', workers: false })).dispose();
console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes('undici'))));
