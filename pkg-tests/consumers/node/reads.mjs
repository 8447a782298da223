// Which wasm files this process reads.
const read = [];
for (const [module, name] of [
  ['node:fs', 'readFileSync'],
  ['node:fs/promises', 'readFile'],
]) {
  const fs = process.getBuiltinModule(module);
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    const file = String(path).replaceAll('\\', '/');
    if (file.endsWith('.wasm')) read.push(file.split('/wasm/').at(-1));
    return original.call(fs, path, ...rest);
  };
}

/** Those read since the last call, as their places in the package's folder wasm. */
export function wasmReads() {
  return read.splice(0);
}
