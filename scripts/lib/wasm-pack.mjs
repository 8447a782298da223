// Compiles a crate to wasm, with its JavaScript, through wasm-pack.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { separateInstances } from './glue.mjs';
import { ROOT, run, words } from './run.mjs';
import { VARIANTS, buildEnv, cargoOptions } from './variants.mjs';

/**
 * Builds the crate in `folder` with the flags of a variant, into the folder `out`: cipherloom.js, instance.js,
 * cipherloom_bg.wasm and their types. Gives the environment in which it was built.
 */
export function packWasm(variant, rust, { folder, out, features = [] }) {
  const env = buildEnv(variant, rust);
  const options = ['--release', '--out-dir', relative(join(ROOT, folder), out), folder];
  run(
    'wasm-pack',
    [
      ...words('build --mode force --target web --no-opt --no-pack --no-gitignore --out-name cipherloom'),
      ...options,
      ...cargoOptions(variant),
      ...features.flatMap((feature) => ['--features', feature]),
    ],
    { env },
  );
  checkFeatures(variant, join(out, 'cipherloom_bg.wasm'));
  separateInstances(out);
  return env;
}

/** That what was built has the target features of its variant, of all that some variant has, and no others. */
function checkFeatures(variant, file) {
  const all = (name) => [...VARIANTS[name].target, ...(VARIANTS[name].own ?? [])];
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  for (const feature of new Set(Object.keys(VARIANTS).flatMap(all))) {
    // An entry of the section "target_features": used, length, name.
    const used = bytes.includes(`+${String.fromCharCode(feature.length)}${feature}`, 'latin1');
    if (used !== all(variant).includes(feature)) {
      throw new Error(`${file}: ${variant} ${used ? 'has' : 'lacks'} the target feature ${feature}`);
    }
  }
}
