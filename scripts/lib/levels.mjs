// The levels of an architecture that native code is compiled for, and what rustc is told for each.
import { levels } from '../../native/index.cjs';

/** `base` runs on every processor of the architecture, `v3` needs AVX2 and fused multiplication (x86-64-v3), `v4` AVX-512 (x86-64-v4). */
export const LEVELS =
  process.arch === 'x64'
    ? { base: ['-Ctarget-cpu=x86-64-v2'], v3: ['-Ctarget-cpu=x86-64-v3'], v4: ['-Ctarget-cpu=x86-64-v4'] }
    : { base: [] };

/** The fastest one that this processor runs. */
export const HERE = levels().find((name) => name in LEVELS) ?? 'base';
