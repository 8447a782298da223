// Passes, with one that is skipped.
import { describe, test } from 'node:test';

describe('good', () => {
  test('passes', () => undefined);
  test('is skipped', { skip: 'for a reason' }, () => undefined);
});
