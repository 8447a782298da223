// Fails where the file that FAILED_ONCE names is not there yet, and makes it.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

test('fails the first time', () => {
  const before = existsSync(process.env.FAILED_ONCE);
  writeFileSync(process.env.FAILED_ONCE, '');
  assert.ok(before);
});
test('passes beside it', () => undefined);
