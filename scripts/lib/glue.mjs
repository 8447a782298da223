// The JavaScript of wasm-bindgen has one instance for all that import it. Here its text becomes a function that makes
// instances, in a file of its own, instance.js; what had been there has one of these.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LAST = /^export \{ initSync, __wbg_init as default \};$/m;
const EXPORTED = /^export (class|function|async function) (\w+)/gm;

/** Rewrites cipherloom.js in a folder, and puts instance.js and its types beside it. */
export function separateInstances(folder) {
  const file = join(folder, 'cipherloom.js');
  const text = readFileSync(file, 'utf8');
  if (!LAST.test(text) || /^import /m.test(text)) throw new Error(`${file} is not what wasm-bindgen was known to make`);
  const names = [...Array.from(text.matchAll(EXPORTED), ([, , name]) => name), 'initSync'];
  const body = text.replace(EXPORTED, '$1 $2').replace(LAST, `return { ${names.join(', ')}, init: __wbg_init };`);
  if (/^export /m.test(body)) throw new Error(`${file} exports what is not known here`);
  writeFileSync(
    join(folder, 'instance.js'),
    `/** An instance that has no wasm yet: each has a state of its own. */\nexport function instance() {\n${body}}\n`,
  );
  writeFileSync(
    join(folder, 'instance.d.ts'),
    "export declare function instance(): typeof import('./cipherloom.js');\n",
  );
  writeFileSync(
    file,
    `/* @ts-self-types="./cipherloom.d.ts" */
import { instance } from './instance.js';
const one = instance();
export const { ${names.join(', ')} } = one;
export default one.init;
`,
  );
}
