'use strict';
// Where the addon for this machine lies. The package `cipherloom` asks, and loads it.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** What each level needs, of the names that Linux has for it; the first that this processor has, and that is built, is taken. */
const LEVELS = [
  { name: 'v4', flags: ['avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl', 'avx2', 'fma', 'bmi1', 'bmi2', 'abm', 'movbe'] },
  { name: 'v3', flags: ['avx2', 'fma', 'bmi1', 'bmi2', 'abm', 'movbe', 'f16c'] },
  { name: '', flags: [] },
];

/** What the processor can do; nothing where the system does not say so in a file. */
function flags() {
  try {
    const line = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'));
    return new Set(line === null ? [] : line[1].trim().split(/\s+/));
  } catch {
    return new Set();
  }
}

/** The addon for this machine. Throws where there is none. */
exports.path = () => {
  const host = `${process.platform}-${process.arch}`;
  const has = flags();
  for (const { name, flags: needs } of LEVELS) {
    const file = join(__dirname, 'build', name === '' ? host : `${host}-${name}`, 'cipherloom.node');
    if (needs.every((flag) => has.has(flag)) && existsSync(file)) return file;
  }
  throw new Error(`cipherloom-native has no build for ${host}`);
};
