import { defineConfig } from 'vitest/config';

// test/*.test.ts need no wasm; test/e2e/*.test.ts run the built package (dist/ and wasm/) in its real workers.
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 1 },
});
