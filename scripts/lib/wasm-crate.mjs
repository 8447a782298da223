// Compiles a crate to wasm, with its JavaScript, by cargo and wasm-bindgen.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { separateInstances } from './glue.mjs';
import { ROOT, run, words } from './run.mjs';
import { VARIANTS, TRIPLE, buildEnv, cargoOptions, target } from './variants.mjs';

/**
 * Builds the crate in `folder` with the flags of a variant, into the folder `out`: cipherloom.js, instance.js,
 * cipherloom_bg.wasm and their types. Gives the environment in which it was built.
 */
export function buildWasmCrate(variant, rust, { folder, out, features = [] }) {
  const env = buildEnv(variant, rust);
  const manifest = join(ROOT, folder, 'Cargo.toml');
  const [, name] = readFileSync(manifest, 'utf8').match(/^name = "(.+)"/m);
  run(
    'cargo',
    [
      ...words(`build --lib --release --target ${TRIPLE} --manifest-path`),
      manifest,
      ...cargoOptions(variant),
      ...features.flatMap((feature) => ['--features', feature]),
    ],
    { env },
  );
  const built = join(target(variant), TRIPLE, 'release', `${name.replaceAll('-', '_')}.wasm`);
  run('wasm-bindgen', [built, '--out-dir', out, ...words('--target web --typescript --out-name cipherloom')], { env });
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
