#!/usr/bin/env node
// Fits the trees of the trained split strategy to simulated times, and writes them into the package's source. The same on every
// device. Run it after a change of the simulator's cost model, of schedules or of choices: a test compares.
// Usage: node scripts/layout-tree.mjs (after `node bindings/build.mjs`)
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ROOT } from './lib/run.mjs';

const { trainStrategy } = await import(join(ROOT, 'bindings/dist/layout/strategies/train.js'));
const file = join(ROOT, 'bindings/src/layout/strategies/tree.ts');
const text = `/** Made by scripts/layout-tree.mjs: decision trees that were fitted to simulated times. */
import type { Tree } from './choices.js';

/** By operator. */
export const TREES: Readonly<Partial<Record<string, Tree>>> = ${JSON.stringify(trainStrategy())};
`;
writeFileSync(file, await format(text, { ...(await resolveConfig(file)), parser: 'typescript' }));
