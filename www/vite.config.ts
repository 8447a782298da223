import { defineConfig, type Plugin } from 'vite';
import { clinicBehind } from './vite/clinic-behind.js';
import { moduleAddress } from './vite/module-address.js';
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
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The policy as part of the page, for hosts that cannot set headers. The dev server needs inline styles. */
function policyInPage(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
        injectTo: 'head-prepend',
      },
    ],
  };
}

/** `--mode plain` serves without isolation, as a host that sets no headers does: the page then has one thread. */
export default defineConfig(({ mode }) => {
  const isolation = mode === 'plain' ? {} : ISOLATION;
  return {
    base: './',
    plugins: [policyInPage(), operatorNames(), moduleAddress()],
    worker: { format: 'es' },
    build: { target: 'es2022', assetsInlineLimit: 0 },
    // A package with workers and wasm of its own must stay as it is.
    optimizeDeps: { exclude: ['cipherloom'] },
    server: { headers: isolation, proxy: clinicBehind() },
    preview: { headers: { ...isolation, 'Content-Security-Policy': POLICY }, proxy: clinicBehind() },
  };
});
