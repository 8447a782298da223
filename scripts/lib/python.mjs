// Python, and what tests take from PyPI, each in an environment of this checkout's own: TenSEAL, and a server of S3's protocol.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { find, read } from './run.mjs';
import { TOOLS } from './toolchain.mjs';

/** Minor versions of Python 3 for which both are there, compiled. */
const MINORS = [11, 12, 13];
const TENSEAL = {
  title: 'TenSEAL',
  room: 'tenseal',
  release: '0.3.18',
  version: 'import tenseal; print(tenseal.__version__)',
  packages: ['tenseal==0.3.18'],
};
/** What its server needs of the extra `server`, which brings ten times as much. */
const MOTO = {
  title: 'moto',
  room: 'moto',
  release: '5.2.5',
  version: 'import flask, flask_cors, moto; print(moto.__version__)',
  packages: ['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'],
};

/**
 * `python`: the interpreter that has TenSEAL, or null and the `reason`. `install`: commands that make it one, where this machine has a Python that can;
 * else null.
 */
export function tenseal() {
  return inRoom(TENSEAL);
}

/** The same of moto, whose `moto.server` answers as S3 does. */
export function moto() {
  return inRoom(MOTO);
}

function inRoom({ title, room, release, version, packages }) {
  const folder = join(TOOLS, room);
  const own = join(folder, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  if (existsSync(own) && read(own, ['-c', version]) === release) return { title, release, python: own, install: null };
  const base = basePython();
  if (base === null) {
    const wanted = MINORS.map((minor) => `3.${minor}`).join(', ');
    const reason = `${title} ${release} needs Python ${wanted} with venv, and there is none`;
    return { title, python: null, reason, install: null };
  }
  const pip = [own, '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  return {
    title,
    python: null,
    reason: `${title} ${release} is not installed: node scripts/setup.mjs --tests`,
    install: [
      [base, '-m', 'venv', '--clear', folder],
      [...pip, '--only-binary', ':all:', ...packages],
    ],
  };
}

/** The first Python that they load in and that can make environments, or null. */
function basePython() {
  const asked = 'import sys, venv, ensurepip; print(sys.version_info.minor if sys.version_info.major == 3 else 0)';
  for (const name of ['python3', ...MINORS.map((minor) => `python3.${minor}`), 'python']) {
    const program = find(name);
    if (program && MINORS.includes(Number(read(program, ['-c', asked])))) return program;
  }
  return null;
}
