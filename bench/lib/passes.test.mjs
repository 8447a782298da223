// What the compiler makes of the ten programs is what it made when the counts were last kept: whoever changes them looks at them (node bench/passes.mjs --write).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { PROGRAMS } from '../programs/index.mjs';
import { countsOfPasses, GOLDEN } from './passes.mjs';

const golden = JSON.parse(readFileSync(GOLDEN, 'utf8'));
let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom?.dispose());

for (const [name, program] of Object.entries(PROGRAMS)) {
  test(`${name}, with all passes and with none`, { timeout: 120_000 }, async () => {
    const { all, none } = await countsOfPasses(loom, program, []);
    assert.deepEqual({ all, none }, { all: golden[name].all, none: golden[name].none });
  });
}
