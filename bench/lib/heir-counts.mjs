// What HEIR's output does: ciphertext operators of the function that the server runs, as often as their loops run them, and the parameters that are written
// beside it.

/** Errors: one that says what could not be read. */
export function countsOf(text) {
  const lines = text.split('\n');
  const constants = new Map();
  for (const line of lines) {
    const found = line.match(/^\s*(%\S+) = arith\.constant (-?\d+) : (?:index|i\d+)$/);
    if (found) constants.set(found[1], Number(found[2]));
  }
  const first = lines.findIndex((line) => /^\s*func\.func @\w+\(/.test(line) && /"server\.evaluate"/.test(line));
  if (first < 0) throw new Error('no function of the server');
  const counts = { rotations: 0, products: 0, relinearizations: 0, plainProducts: 0, rotationKeys: new Set() };
  /** How often what is inside runs. */
  const times = [1];
  for (const line of lines.slice(first + 1)) {
    if (/^\s*\}/.test(line) && times.length === 1) break;
    if (/^\s*\}/.test(line)) times.pop();
    const now = times.at(-1);
    const [, dialect, op] = line.match(/\b(bgv|ckks|lwe|kernel|func)\.(\w+)/) ?? [];
    if (op === 'call' || dialect === 'kernel') throw new Error(`cannot count ${line.trim()}`);
    if (/^rotate/.test(op ?? '')) {
      counts.rotations += now;
      counts.rotationKeys.add(op === 'rotate_rows' ? 'rows' : amount(line, constants));
    } else if (op === 'mul') counts.products += now;
    else if (op === 'relinearize') counts.relinearizations += now;
    else if (op === 'mul_plain') counts.plainProducts += now;
    if (/\{\s*$/.test(line)) times.push(now * trips(line, constants));
  }
  const list = (name) => text.match(new RegExp(`\\b${name} = \\[([^\\]]*)\\]`))?.[1].split(', ') ?? [];
  return {
    ...counts,
    rotationKeys: counts.rotationKeys.size,
    keySwitches: counts.rotations + counts.relinearizations,
    n: 2 ** Number(text.match(/logN = (\d+)/)?.[1]),
    moduli: list('Q'),
    special: list('P'),
    inputs: inputs(lines[first]),
  };
}

function amount(line, constants) {
  const [, fixed, name] = line.match(/(?:static_shift|offset) = (-?\d+)|, (%[\w-]+)/) ?? [];
  const steps = fixed ?? constants.get(name);
  if (steps === undefined) throw new Error(`cannot read the steps of ${line.trim()}`);
  return Number(steps);
}

function trips(line, constants) {
  const loop = line.match(/\.for %\S+ = (\S+) to (\S+)(?: step (\S+))?/);
  if (loop === null) return 1;
  const [from, to, step] = loop
    .slice(1)
    .map((text) => (text === undefined ? 1 : (constants.get(text) ?? Number(text))));
  const found = Math.ceil((to - from) / (step || 1));
  if (!Number.isFinite(found)) throw new Error(`cannot read ${line.trim()}`);
  return found;
}

/** Ciphertexts that are sent. */
function inputs(signature) {
  const [own] = signature.replaceAll(/"[^"]*"/g, '').split(') -> ');
  return [...own.matchAll(/%arg\d+: (?:tensor<((?:\d+x)+)!ct|!ct)/g)].reduce((sum, [, shape]) => {
    return (
      sum +
      (shape ?? '1x')
        .slice(0, -1)
        .split('x')
        .reduce((cells, length) => cells * Number(length), 1)
    );
  }, 0);
}
