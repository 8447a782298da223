// A service worker, which may start no workers: it computes, and answers with what it found.
import * as cipherloom from 'cipherloom';
import { read } from './read.js';
import { work } from './work.mjs';

const single = new URL('./tasks.wasm', import.meta.url);
const wasm = { single, graphs: { single: new URL('./graphs.wasm', import.meta.url) } };

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => {
  const answer = work(cipherloom, read, { workers: false, mode: 'single', wasm });
  event.waitUntil(
    answer.then(
      (found) => event.source.postMessage(found),
      (error) => event.source.postMessage({ error: String(error) }),
    ),
  );
});
