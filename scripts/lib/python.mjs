// Python, and what one test takes from PyPI: TenSEAL, in an environment of this checkout's own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { find, read } from './run.mjs';
import { TOOLS } from './toolchain.mjs';

const RELEASE = '0.3.18';
/** That release is there, compiled, for these minor versions of Python 3. */
const MINORS = [11, 12, 13];
const ROOM = join(TOOLS, 'tenseal');
const PYTHON = join(ROOM, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));

/**
 * `python`: the interpreter that has TenSEAL, or null and the `reason`. `install`: commands that make it one, where this machine has a Python that can;
 * else null.
 */
export function tenseal() {
  if (existsSync(PYTHON) && read(PYTHON, ['-c', 'import tenseal; print(tenseal.__version__)']) === RELEASE)
    return { release: RELEASE, python: PYTHON, install: null };
  const base = basePython();
  if (base === null) {
    const wanted = MINORS.map((minor) => `3.${minor}`).join(', ');
    return {
      python: null,
      reason: `TenSEAL ${RELEASE} needs Python ${wanted} with venv, and there is none`,
      install: null,
    };
  }
  const pip = [PYTHON, '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  return {
    python: null,
    reason: `TenSEAL ${RELEASE} is not installed: node scripts/setup.mjs --tests`,
    install: [
      [base, '-m', 'venv', '--clear', ROOM],
      [...pip, '--only-binary', ':all:', `tenseal==${RELEASE}`],
    ],
  };
}

/** The first Python that TenSEAL loads in and that can make environments, or null. */
function basePython() {
  const asked = 'import sys, venv, ensurepip; print(sys.version_info.minor if sys.version_info.major == 3 else 0)';
  for (const name of ['python3', ...MINORS.map((minor) => `python3.${minor}`), 'python']) {
    const program = find(name);
    if (program && MINORS.includes(Number(read(program, ['-c', asked])))) return program;
  }
  return null;
}
