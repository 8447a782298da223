// Does not end by itself.
import { test } from 'node:test';

test('waits for nothing', () => new Promise(() => setInterval(() => {}, 1000)));
