// Fails always.
import assert from 'node:assert/strict';
import { test } from 'node:test';

test('fails always', () => assert.fail('as it should'));
