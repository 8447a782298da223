// What the runner of jobs needs to run in many processes: an MPI library with its headers, and libclang, which reads these. Tests alone need it; they are skipped
// without.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { find } from './run.mjs';

/** Debian's packages. */
export const MPI_PACKAGES = ['libopenmpi-dev', 'openmpi-bin', 'libclang-dev'];

/** Whether builds with MPI work here, and why not. */
export function mpi() {
  const missing = ['mpicc', 'mpirun'].filter((program) => !find(program));
  if (!process.env.LIBCLANG_PATH && !hasLibclang()) missing.push('libclang');
  return missing.length === 0 ? { mpirun: find('mpirun') } : { reason: `MPI: ${missing.join(', ')} not found` };
}

function hasLibclang() {
  const folders = ['/usr/lib', ...entries('/usr/lib', /^llvm-|-linux-gnu$/)];
  return folders.some((folder) =>
    ['', 'lib'].some((inner) => entries(join(folder, inner), /^libclang[-.\d]*\.(so|dylib)/).length),
  );
}

function entries(folder, names) {
  try {
    return readdirSync(folder)
      .filter((name) => names.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
