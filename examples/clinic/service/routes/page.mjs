/**
 * The page (`www/dist`), from the address of the service: so it needs to talk to no other one, and its policy stays as it is. What is served is listed when the service starts: an address
 * is looked up in that list, and never becomes a path.
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ServiceError } from '../errors.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};
/** Isolation, for threads; what the page may load and where it may talk to is in the page itself as well. Nobody else may frame it. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
/** `scripts`: what the page names by hash, ` 'sha256-…'`. */
const policyOf = (scripts) =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'${scripts}; worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
/** Files whose names have a hash of their content never change. */
const HASHED = /^assets\//;

/** Errors: `config.invalid` where there is no page. */
export function open(app, folder) {
  const files = filesOf(folder);
  const policy = policyOf(hashesOf(readFileSync(join(folder, 'index.html'), 'utf8')));
  for (const file of files) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const headers = {
      ...HEADERS,
      'content-security-policy': policy,
      'content-type': type,
      'cache-control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    app.get(`/${file === 'index.html' ? '' : encodeURI(file)}`, async (_request, reply) =>
      reply.headers(headers).send(createReadStream(join(folder, file))),
    );
  }
}

/** The scripts that a page's own policy takes by their hashes: those of frames that it writes. */
function hashesOf(page) {
  const own = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  return Array.from(own.matchAll(/sha256-[\w+/]+=*/g), ([hash]) => ` '${hash}'`).join('');
}

function filesOf(folder) {
  const expected = 'the folder of the built page: npm run build --workspace @cipherloom/www makes www/dist';
  try {
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = found
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        join(parentPath, name).slice(join(folder, '/').length).replaceAll('\\', '/'),
      );
    if (files.includes('index.html')) return files;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(error.code)) throw error;
  }
  throw new ServiceError(500, 'config.invalid', `CLINIC_PAGE: expected ${expected}, found ${folder}`, {
    where: 'CLINIC_PAGE',
    found: folder,
    expected,
  });
}
