/** The code of the root README runs as it is written, and prints what its comment says. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

test('the code of the README runs as written', async () => {
  const readme = await readFile(join(PACKAGE, '..', 'README.md'), 'utf8');
  const code = /```js\n([^]*?)```/.exec(readme)?.[1] ?? '';
  const expected = /console\.log\(.*\);\s*\/\/ (.*)/.exec(code)?.[1];
  expect(expected).toBeDefined();
  // Inside the package, so that `cipherloom` is this package.
  const folder = await mkdtemp(join(PACKAGE, 'dist', 'readme-'));
  try {
    await writeFile(join(folder, 'readme.mjs'), code);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'readme.mjs')]);
    expect(stdout.trim()).toBe(expected);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);
