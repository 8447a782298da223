/** Verification of a compiled program: its stages, each against the one above. */
import type { Circuit } from './graph-types.js';
import { STAGES } from './stages.js';
import type { CallOptions, Stage } from './types.js';
import { verification } from './verification.js';
import type { Check, TrialOptions, Verification, VerifyOptions } from './verification-types.js';

/** How the stages of a program are had. */
export interface Stages {
  /** A stage as text. */
  text(stage: Stage, options: CallOptions): Promise<string>;
  /** A circuit of that text. */
  open(text: string, options: CallOptions): Promise<Circuit>;
}

/** What a stage is compared with, beside its structure. From columns to ciphertexts sums are rounded otherwise. */
const COMPARED: Readonly<Record<Stage, (above: Circuit | undefined) => VerifyOptions>> = {
  task: () => ({}),
  scheme: () => ({}),
  polynomial: (against) => ({ against }),
  base: (against) => ({ against, platforms: ['simd', 'scalar'] }),
};

/** See `Program.verify`. */
export async function verifyStages(
  stages: Stages,
  { trials = 1, seed, signal, onProgress }: TrialOptions,
): Promise<Verification> {
  const checks: Check[] = [];
  const opened: Circuit[] = [];
  try {
    for (const [done, stage] of STAGES.entries()) {
      onProgress?.({ phase: 'verify', done, total: STAGES.length, item: stage });
      const circuit = await stages.open(await stages.text(stage, { signal }), { signal });
      opened.push(circuit);
      const compared = COMPARED[stage](opened.at(-2));
      const report = await circuit.verify({ passes: [], ...compared, trials, seed, signal });
      checks.push(...report.checks.map((check) => ({ ...check, stage })));
    }
  } finally {
    for (const circuit of opened) circuit.dispose();
  }
  onProgress?.({ phase: 'verify', done: STAGES.length, total: STAGES.length });
  return verification(checks);
}
