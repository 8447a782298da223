/** The reference that `npm run docs` makes, beside the page, at `reference/`: where it was made, it goes into what is built. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const MADE = fileURLToPath(new URL('../../target/reference', import.meta.url));

/** What its pages may do, which are made of this repository's comments alone: TypeDoc and rustdoc write small scripts and styles into them. */
export const REFERENCE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self' 'unsafe-inline'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** Whether there is one. */
export function hasReference(): boolean {
  return existsSync(join(MADE, 'index.html'));
}

export function reference(): Plugin {
  let folder: string;
  return {
    name: 'reference',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir, 'reference');
    },
    writeBundle: () => {
      if (hasReference()) cpSync(MADE, folder, { recursive: true });
    },
  };
}
