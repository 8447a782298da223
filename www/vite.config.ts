import { defineConfig, type Plugin } from 'vite';
import { clinicBehind } from './vite/clinic-behind.js';
import { compressed } from './vite/compressed.js';
import { documents } from './vite/documents.js';
import { moduleAddress } from './vite/module-address.js';
import { operatorDocs } from './vite/operator-docs.js';
import { operatorNames } from './vite/operator-names.js';
import { playgroundTypes } from './vite/playground-types.js';
import { reference, REFERENCE_POLICY } from './vite/reference.js';
import { sandboxFrame, sandboxFrameHash } from './vite/sandbox-frame.js';
import { sandboxText } from './vite/sandbox-text.js';

/** Shared memory, and with it threads, needs both. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * Nothing but this page's own files; wasm may be compiled, text may not be run as code. Workers may be made of text that the
 * page holds (`blob:`): that is where an operator that a visitor writes in the graph tab runs, under this same policy, and
 * never in the page. Programs of the playground, which may come with a link, run in a frame with an origin of its own, which has
 * a narrower policy; the one script that stands in that frame is named here by its hash, since frames take on this policy, too.
 */
const POLICY = {
  'default-src': "'none'",
  'script-src': `'self' 'wasm-unsafe-eval' ${sandboxFrameHash()}`,
  'worker-src': "'self' blob:",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/**
 * Meetings by a relay whose address a person gives: any that is encrypted, or on this machine, until the document binds itself to one (`src/together/relay.ts`). No code of a
 * visitor's runs here.
 */
const RELAYED = {
  ...POLICY,
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  'connect-src': "'self' wss: ws://localhost:* ws://127.0.0.1:*",
};

/** The policy of the document at an address, or in a file of that name. */
function policyOf(path: string): string {
  const policy = /\/together\.html$/.test(path)
    ? RELAYED
    : path.startsWith('/reference/')
      ? REFERENCE_POLICY
      : POLICY;
  return Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** The policy as part of the page, for hosts that cannot set headers, and as a header. The dev server needs inline styles. */
function policies(): Plugin {
  return {
    name: 'content-security-policy',
    apply: (_, { command, isPreview }) => command === 'build' || isPreview === true,
    transformIndexHtml: (_, { path }) => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: policyOf(path) },
        injectTo: 'head-prepend',
      },
    ],
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        response.setHeader('Content-Security-Policy', policyOf(pathname));
        next();
      });
    },
  };
}

/** The picture of links to this page (`scripts/card.mjs`). Whoever shows it needs its whole address: `SITE_URL` says where a build goes. */
function socialCard(): Plugin {
  return {
    name: 'social-card',
    transformIndexHtml: (_, { path }) => {
      const site = process.env['SITE_URL'];
      const address = (file: string): string => (site === undefined ? `./${file}` : new URL(file, site).href);
      const tags = { 'og:image': address('card.png'), 'og:image:width': '1200', 'og:image:height': '630' };
      const list = Object.entries(
        site === undefined
          ? tags
          : { ...tags, 'og:url': address(path === '/index.html' ? '' : path.slice(1)) },
      );
      return list.map(([property, content]) => ({
        tag: 'meta',
        attrs: { property, content },
        injectTo: 'head',
      }));
    },
  };
}

/** `--mode plain` serves without isolation, as a host that sets no headers does: the page then has one thread. */
export default defineConfig(({ mode }) => {
  const isolation = mode === 'plain' ? {} : ISOLATION;
  return {
    base: './',
    plugins: [
      policies(),
      compressed(),
      socialCard(),
      operatorNames(),
      operatorDocs(),
      moduleAddress(),
      documents(),
      reference(),
      playgroundTypes(),
      sandboxFrame(),
      sandboxText(),
    ],
    worker: { format: 'es', plugins: () => [playgroundTypes()] },
    // Files that tests read.
    assetsInclude: ['**/*.parquet', '**/*.xlsx'],
    build: {
      target: 'es2022',
      assetsInlineLimit: 0,
      rolldownOptions: { input: ['index.html', 'together.html'] },
    },
    // A package with workers and wasm of its own must stay as it is.
    optimizeDeps: { exclude: ['cipherloom'] },
    server: { headers: isolation, proxy: clinicBehind() },
    preview: { headers: isolation, proxy: clinicBehind() },
  };
});
