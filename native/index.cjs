'use strict';
// Where the addon for this machine lies. The package `cipherloom` asks, and loads it.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** What each level needs of an x86-64, by the names that Linux has for it (x86-64-v4, -v3, -v2); the first that this processor has, and that is built, is taken. */
const V2 = ['cx16', 'lahf_lm', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'];
const V3 = [...V2, 'abm', 'avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'movbe', 'xsave'];
const LEVELS = [
  { suffix: '-v4', needs: [...V3, 'avx512bw', 'avx512cd', 'avx512dq', 'avx512f', 'avx512vl'] },
  { suffix: '-v3', needs: V3 },
  { suffix: '', needs: process.platform === 'linux' && process.arch === 'x64' ? V2 : [] },
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

/** What the folders of all levels end with that this processor can run, the fastest first. */
exports.suffixes = () => {
  const has = flags();
  return LEVELS.filter(({ needs }) => needs.every((flag) => has.has(flag))).map(({ suffix }) => suffix);
};

/** The addon for this machine. Throws where there is none. */
exports.path = () => {
  const host = `${process.platform}-${process.arch}`;
  const files = exports
    .suffixes()
    .map((suffix) => join(__dirname, 'build', `${host}${suffix}`, 'cipherloom.node'));
  const found = files.find(existsSync);
  if (found === undefined)
    throw new Error(`cipherloom-native has no build for ${host}, or none for this processor`);
  return found;
};
