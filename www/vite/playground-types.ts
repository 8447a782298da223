/**
 * The declarations that a program of the playground is checked against, as a module: those of cipherloom's entries that it may
 * import, and of the language itself, without a browser's. By path, as the language service reads them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { Plugin } from 'vite';

const MODULE = 'virtual:playground-types';
const ENTRIES = ['dist/index.d.ts', 'dist/table.d.ts'];
const LANGUAGE = 'lib.es2023.d.ts';

export function playgroundTypes(): Plugin {
  return {
    name: 'playground-types',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? moduleText() : undefined),
  };
}

function moduleText(): string {
  const { resolve } = createRequire(import.meta.url);
  const manifest = resolve('cipherloom/package.json');
  const own = walk(dirname(manifest), ENTRIES, (text, from) =>
    Array.from(text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]*)\.js['"]/g), ([, path]) =>
      posix.join(posix.dirname(from), `${path}.d.ts`),
    ),
  );
  const language = walk(dirname(resolve('typescript')), [LANGUAGE, 'lib.esnext.disposable.d.ts'], (text) =>
    Array.from(text.matchAll(/<reference lib="([^"]*)"/g), ([, name]) => `lib.${name}.d.ts`),
  );
  const files = {
    '/node_modules/cipherloom/package.json': readFileSync(manifest, 'utf8'),
    ...under('/node_modules/cipherloom/', own),
    ...under('/lib/', language),
  };
  return `export default JSON.parse(${JSON.stringify(JSON.stringify(files))});`;
}

/** Files of a folder, and those that they lead to. */
function walk(
  folder: string,
  from: readonly string[],
  next: (text: string, path: string) => string[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const waiting = [...from]; waiting.length > 0;) {
    const path = waiting.pop()!;
    if (found.has(path)) continue;
    const text = readFileSync(join(folder, path), 'utf8');
    found.set(path, text);
    waiting.push(...next(text, path));
  }
  return found;
}

function under(folder: string, files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(Array.from(files, ([path, text]) => [folder + path, text]));
}
