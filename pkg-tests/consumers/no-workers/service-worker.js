// A service worker, which may start no workers: it computes, and answers with what it found.
import { onOneThread } from './on-one-thread.js';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => event.waitUntil(onOneThread().then((found) => event.source.postMessage(found))));
