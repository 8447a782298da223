// Its process ends in the middle.
import { test } from 'node:test';

test('passes', () => undefined);
test('ends the process', () => process.kill(process.pid, 'SIGKILL'));
