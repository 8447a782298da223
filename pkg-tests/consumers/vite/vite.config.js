// As an application has it: nothing for cipherloom but the two headers, and here a way to leave them out.
import process from 'node:process';

const headers =
  process.env.ISOLATED === '1'
    ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
    : {};

export default { server: { headers }, preview: { headers } };
