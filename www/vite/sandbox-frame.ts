/** The one script that stands in a document of the page's, by its hash: what starts a program in the playground's sandbox. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const MODULE = 'virtual:sandbox-frame';
const FILE = new URL('../src/playground/sandbox/frame.js', import.meta.url);

/** The script, and what a policy's `script-src` takes it by: this text and no other. */
function frameScript(): { text: string; hash: string } {
  const text = readFileSync(FILE, 'utf8');
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

export function sandboxFrameHash(): string {
  return frameScript().hash;
}

/** The same as a module, for the page, which writes the document. */
export function sandboxFrame(): Plugin {
  return {
    name: 'sandbox-frame',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export default ${JSON.stringify(frameScript())};` : undefined),
  };
}
