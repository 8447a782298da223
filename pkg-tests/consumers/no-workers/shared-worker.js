// A shared worker, which may start no workers in Chromium: it computes, and answers who connects with what it found.
import { onOneThread } from './on-one-thread.js';

addEventListener('connect', async ({ ports: [port] }) => port.postMessage(await onOneThread()));
