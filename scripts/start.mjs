#!/usr/bin/env node
// From a clean clone to the page: installs what is missing, builds what the main job needs and does it, then builds the
// rest and serves the page.
// Usage: node scripts/start.mjs [--once] [--yes] [options of scripts/main-job.mjs]
//   --once   ends after the main job, without serving
//   --yes    installs what is missing without asking
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { chosenVariant } from './lib/chosen-variant.mjs';
import { find, ROOT } from './lib/run.mjs';
import { steps } from './lib/steps.mjs';

const yes = process.argv.includes('--yes');
const args = process.argv.slice(2).filter((arg) => arg !== '--yes');
const once = args.includes('--once');
const npm = find('npm');
const script = (name, ...rest) => [process.execPath, `scripts/${name}.mjs`, ...rest];
const workspace = (name, ...rest) => [npm, 'run', ...rest, '--workspace', name];
if (args.includes('--help') || args.includes('-h')) {
  process.exit(
    spawnSync(process.execPath, ['scripts/main-job.mjs', '--help'], { cwd: ROOT, stdio: 'inherit' }).status ?? 1,
  );
}

await steps('npm start', [
  { what: 'what is missing is installed', run: script('setup', ...(yes ? ['--yes'] : [])) },
  {
    what: 'the WebAssembly that this Node runs',
    run: async () => script('build-wasm', 'tasks', await neededVariant()),
  },
  { what: 'the package', run: workspace('cipherloom', 'build') },
  { what: 'the main job', run: script('main-job', ...args) },
  ...(once
    ? []
    : [
        { what: 'the WebAssembly that other engines run', run: script('build-wasm') },
        { what: 'the page', run: workspace('@cipherloom/www', 'build') },
        { what: 'the page is served', run: workspace('@cipherloom/www', 'serve') },
      ]),
]);

/** The build of the main job. */
async function neededVariant() {
  const { threads } = parseArgs({ args, options: { threads: { type: 'string' } }, strict: false }).values;
  try {
    return await chosenVariant(threads === undefined ? undefined : Number(threads));
  } catch (error) {
    if (!error.code) throw error;
    console.error(`error: ${error.message} (${error.code})`);
    process.exit(2);
  }
}
