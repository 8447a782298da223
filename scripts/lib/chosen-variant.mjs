// Which of the builds the package runs in this Node: its own rule, compiled on the fly, since no build is there yet.
import { join } from 'node:path';
import { ROOT } from './run.mjs';

const RULE = join(ROOT, 'bindings', 'src', 'choose-mode.ts');

/** The build that `load({ threads })` chooses here. Errors: ParameterError where `threads` is none that it takes. */
export async function chosenVariant(threads) {
  // Not at the top: set-up installs it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ entryPoints: [RULE], bundle: true, format: 'esm', write: false });
  const { chooseMode, detectFeatures } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return chooseMode(detectFeatures(), { threads }).variant;
}
