import { defineConfig } from 'vitest/config';

// test/*.test.ts need no wasm; test/e2e/*.test.ts run the built package (dist/ and wasm/) in its real workers.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    // In CI alone, and said beside the test's name: elsewhere a race is to be seen.
    retry: process.env.CI ? 1 : 0,
  },
});
