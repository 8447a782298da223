// As an application has it: the two headers, and what keeps the package out of the server's bundle, here with a way to leave that out.
import process from 'node:process';

const ISOLATION = [
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Embedder-Policy', value: 'require-corp' },
];

export default {
  distDir: `built-${process.env.KEPT_OUT}`,
  serverExternalPackages: process.env.KEPT_OUT === 'yes' ? ['cipherloom'] : [],
  headers: async () => [{ source: '/:path*', headers: ISOLATION }],
  turbopack: { root: import.meta.dirname },
};
