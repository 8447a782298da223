// For Node, which opens files one by one: the same modules in a few files, in dist/node/, which `exports` names under its condition `node`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const OUT = 'dist/node';
/** All that the package's first entry loads is one file; other entries take what they share with it from there, so that there is one class of each error. */
const CORE = 'core.js';
const ENTRY = 'dist/index.js';
/** Workers that run nobody's code but the package's own: they share no class with anybody, and are one file each. */
const APART = ['client-worker', 'evaluator-worker', 'graph-worker', 'conformance-worker'];
const OPTIONS = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  outdir: OUT,
  metafile: true,
  legalComments: 'inline',
  logLevel: 'warning',
};
/** The glue goes with its wasm, and what Node has stays there. */
const EXTERNAL = ['./wasm/*/cipherloom.js', './wasm/*/instance.js', 'node:*'];

/** Makes dist/node/ of dist/. `entries`: what each file there is made of, by its name. */
export async function buildNode(entries) {
  const { modules, later } = await coreOf(ENTRY);
  await buildCore(modules, later);
  const rest = { ...Object.fromEntries([...later].map(([file, name]) => [name, file])), ...entries };
  for (const name of APART) delete rest[name];
  await build({
    ...OPTIONS,
    entryPoints: points(rest),
    external: EXTERNAL,
    splitting: true,
    chunkNames: '[name]-[hash]',
    plugins: [ofCore(modules)],
  });
  for (const name of APART)
    await build({ ...OPTIONS, entryPoints: points({ [name]: entries[name] }), external: EXTERNAL });
  for (const file of readdirSync(OUT)) checkAddresses(file);
}

function points(entries) {
  return Object.entries(entries).map(([out, file]) => ({ in: `./${file}`, out }));
}

/** The modules that are loaded with an entry, and those that these load later, with the names of their files. */
async function coreOf(entry) {
  const later = new Map();
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: [entry],
    write: false,
    external: EXTERNAL,
    plugins: [laterOnes(later)],
  });
  return { modules: Object.keys(metafile.inputs), later };
}

/** Leaves out what is imported later, and notes it. */
function laterOnes(later) {
  return {
    name: 'later ones',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = relative('.', resolve(resolveDir, path));
        const name = relative('dist', file).replace(/\.js$/, '').replaceAll('/', '-');
        later.set(file, name);
        return { path: `./${name}.js`, external: true };
      });
    },
  };
}

async function buildCore(modules, later) {
  const { metafile } = await build({
    ...OPTIONS,
    bundle: false,
    entryPoints: modules,
    outbase: '.',
    write: false,
  });
  const all = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== ENTRY);
  const names = all.flatMap(({ exports }) => exports);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    const of = all.filter(({ exports }) => exports.includes(twice)).map(({ entryPoint }) => entryPoint);
    throw new Error(
      `${of.join(' and ')} both export ${twice}: they are parts of one file, where names differ`,
    );
  }
  const lines = all.map(
    ({ entryPoint, exports }) => `export { ${exports.join(', ')} } from './${entryPoint}';`,
  );
  await build({
    ...OPTIONS,
    outdir: undefined,
    outfile: join(OUT, CORE),
    stdin: { contents: lines.join('\n'), resolveDir: '.' },
    external: EXTERNAL,
    plugins: [laterOnes(later)],
  });
}

/** Takes the core's modules from its file. */
function ofCore(modules) {
  const core = { path: `./${CORE}`, external: true, sideEffects: false };
  return {
    name: 'of the core',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
        const module = relative('.', resolve(resolveDir, path));
        return kind !== 'entry-point' && modules.includes(module) ? core : undefined;
      });
    },
  };
}

/** Addresses are relative to where a module was: they have to lead to the same from here. Wasm may not have been built. */
function checkAddresses(file) {
  const text = readFileSync(join(OUT, file), 'utf8');
  for (const [, address] of text.matchAll(/new URL\(["'](\.[^"']+)["'], import\.meta\.url\)/g)) {
    const path = join(OUT, address);
    if (!existsSync(path) && !path.startsWith('wasm/'))
      throw new Error(
        `dist/node/${file}: ${address} leads nowhere; its module has to lie in a folder of src/`,
      );
  }
}
