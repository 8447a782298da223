// Which wasm files this process reads.
const read = [];
for (const [module, name] of [
  ['node:fs', 'readFileSync'],
  ['node:fs/promises', 'readFile'],
]) {
  const fs = process.getBuiltinModule(module);
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    if (String(path).endsWith('.wasm'))
      read.push(
        String(path)
          .match(/[^/\\]+[/\\][^/\\]+$/)[0]
          .replace('\\', '/'),
      );
    return original.call(fs, path, ...rest);
  };
}

/** Those read since the last call, as "folder/file". */
export function wasmReads() {
  return read.splice(0);
}
