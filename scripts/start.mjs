#!/usr/bin/env node
// From a clean clone to the page: installs what is missing, builds, does the main job, then serves the page.
// Usage: node scripts/start.mjs [--once] [--yes] [options of scripts/main-job.mjs]
//   --once   ends after the main job, without serving
//   --yes    installs what is missing without asking
import { spawnSync } from 'node:child_process';
import { find, ROOT } from './lib/run.mjs';

const yes = process.argv.includes('--yes');
const args = process.argv.slice(2).filter((arg) => arg !== '--yes');
const npm = find('npm');
if (args.includes('--help') || args.includes('-h')) {
  step(process.execPath, 'scripts/main-job.mjs', '--help');
  process.exit(0);
}

step(process.execPath, 'scripts/setup.mjs', ...(yes ? ['--yes'] : []));
step(npm, 'run', 'build');
step(process.execPath, 'scripts/main-job.mjs', ...args);
if (!args.includes('--once')) step(npm, 'run', 'serve', '--workspace', '@cipherloom/www');

/** Unlike `run`, lets the program read the terminal: set-up asks, and the server stops at a key. */
function step(program, ...rest) {
  const { status, error } = spawnSync(program, rest, { cwd: ROOT, stdio: 'inherit' });
  if (error) console.error(`${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
