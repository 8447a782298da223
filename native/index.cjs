'use strict';
// Where the addon for this machine lies. The package `cipherloom` asks, and loads it.
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const PLATFORM = `${process.platform}-${process.arch}`;
/** The package that has the addons of this platform. On Linux they are made for the GNU C library. */
const PACKAGE = `cipherloom-native-${PLATFORM}${process.platform === 'linux' ? '-gnu' : ''}`;

/** What each level needs of an x86-64, by the names that Linux has for it (x86-64-v4, -v3, -v2); the first that this processor has, and that is built, is taken. */
const V2 = ['cx16', 'lahf_lm', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'];
const V3 = [...V2, 'abm', 'avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'movbe', 'xsave'];
const LEVELS = {
  v4: [...V3, 'avx512bw', 'avx512cd', 'avx512dq', 'avx512f', 'avx512vl'],
  v3: V3,
  base: process.platform === 'linux' && process.arch === 'x64' ? V2 : [],
};

/** What the processor can do; nothing where the system does not say so in a file. */
function flags() {
  try {
    const line = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'));
    return new Set(line === null ? [] : line[1].trim().split(/\s+/));
  } catch {
    return new Set();
  }
}

/** The package that has the addons of this platform, and the folder of a checkout that they are built into. */
exports.platform = { package: PACKAGE, build: join(__dirname, 'build', PLATFORM) };

/** The levels that this processor can run, the fastest first. */
exports.levels = () => {
  const has = flags();
  return Object.keys(LEVELS).filter((level) => LEVELS[level].every((flag) => has.has(flag)));
};

/** Where addons of this platform may lie: what was built here is taken before what was installed. */
function folders() {
  try {
    return [exports.platform.build, dirname(require.resolve(`${PACKAGE}/package.json`))];
  } catch {
    return [exports.platform.build];
  }
}

/** The addon for this machine. Throws where there is none. */
exports.path = () => {
  const files = folders().flatMap((folder) =>
    exports.levels().map((level) => join(folder, level, 'cipherloom.node')),
  );
  const found = files.find(existsSync);
  if (found !== undefined) return found;
  throw new Error(`${PACKAGE} is not installed, or has no build for this processor`);
};
