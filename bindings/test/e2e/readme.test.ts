/** The code of both READMEs, and of the guide, runs as it is written, and prints what its comments say. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

// Blocks of one file continue each other.
it.each([
  ['the README of the repository', '../README.md', 2],
  ['the README of the package', 'README.md', 17],
  ['the first page of the guide', '../docs/guide/start.md', 4],
  ['its ten things to do', '../docs/guide/how-to.md', 12],
  ['its concepts', '../docs/guide/concepts.md', 5],
  ['its page for who comes from elsewhere', '../docs/guide/coming-from.md', 2],
])('the code of %s runs as written', async (_, file, least) => {
  const readme = await readFile(join(PACKAGE, file), 'utf8');
  const blocks = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code as string);
  const code = blocks.join('\n');
  const expected = [...code.matchAll(/console\.log\(.*\);\s*\/\/ (.*)/g)].map(([, says]) => says);
  expect(expected.length).toBeGreaterThanOrEqual(least);
  expect(expected.length).toBe(code.split('console.log').length - 1);
  // Inside the package, so that `cipherloom` is this package.
  const folder = await mkdtemp(join(PACKAGE, 'dist', 'readme-'));
  try {
    await writeFile(join(folder, 'readme.mjs'), code);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'readme.mjs')]);
    expect(stdout.trim().split('\n')).toEqual(expected);
  } finally {
    await rm(folder, { recursive: true });
  }
});
