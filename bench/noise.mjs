#!/usr/bin/env node
// Draws the figures of docs/noise.md from docs/noise/noise.json, which `cargo test --test all -- --ignored noise::` measures. Usage: npm run docs:noise
import { writeFileSync } from 'node:fs';
import { figures, FOLDER } from './lib/noise-plots.mjs';

for (const [name, svg] of figures()) {
  writeFileSync(new URL(name, FOLDER), svg);
  console.log(`docs/noise/${name}`);
}
