// The same on a thread of one's own, which ends by itself.
import process from 'node:process';
import { Worker } from 'node:worker_threads';

new Worker(new URL('./main.mjs', import.meta.url), { argv: process.argv.slice(2) });
