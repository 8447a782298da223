import { defineConfig, type Plugin } from 'vite';
import { clinicBehind } from './vite/clinic-behind.js';
import { moduleAddress } from './vite/module-address.js';
import { operatorDocs } from './vite/operator-docs.js';
import { operatorNames } from './vite/operator-names.js';

/** Shared memory, and with it threads, needs both. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * Nothing but this page's own files; wasm may be compiled, text may not be run as code. Workers may be made of text that the
 * page holds (`blob:`): that is where an operator that a visitor writes in the graph tab runs, under this same policy, and
 * never in the page.
 */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
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
  'worker-src': "'self'",
  'connect-src': "'self' wss: ws://localhost:* ws://127.0.0.1:*",
};

/** The policy of the document at an address, or in a file of that name. */
function policyOf(path: string): string {
  const policy = /\/together\.html$/.test(path) ? RELAYED : POLICY;
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

/** `--mode plain` serves without isolation, as a host that sets no headers does: the page then has one thread. */
export default defineConfig(({ mode }) => {
  const isolation = mode === 'plain' ? {} : ISOLATION;
  return {
    base: './',
    plugins: [policies(), operatorNames(), operatorDocs(), moduleAddress()],
    worker: { format: 'es' },
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
