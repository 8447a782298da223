/** Verification of a compiled program: its stages, each against the one above, or against what the task means. */
import type { Circuit } from './graph-types.js';
import { MEANING_STAGES, type MeaningStage } from './stages.js';
import type { CallOptions } from './types.js';
import type { Stage } from './values/types.js';
import { verification } from './verification.js';
import type { Check, TrialOptions, Verification, VerifyOptions } from './verification-types.js';

/** The stages of a program, and how they are had. */
export interface Stages {
  /** All of them, in order. */
  readonly names: readonly Stage[];
  /** A stage as text. */
  text(stage: Stage, options: CallOptions): Promise<string>;
  /** A circuit of that text. */
  open(text: string, options: CallOptions): Promise<Circuit>;
  /** Of a stage that is no circuit: what it means. */
  meaning(stage: MeaningStage, options: TrialOptions): Promise<readonly Check[]>;
}

/** What a circuit is compared with, beside its structure. */
const COMPARED: Readonly<Record<string, (above: Circuit | undefined) => VerifyOptions>> = {
  polynomial: (against) => ({ against }),
  base: (against) => ({ against, platforms: ['simd', 'scalar'] }),
};

/** See `Program.verify`. */
export async function verifyStages(
  stages: Stages,
  { trials, seed, signal, onProgress }: TrialOptions,
): Promise<Verification> {
  const checks: Check[] = [];
  const opened: Circuit[] = [];
  const { names } = stages;
  const checksOf = async (stage: Stage): Promise<readonly Check[]> => {
    if (isMeaning(stage)) return stages.meaning(stage, { trials, seed, signal });
    const circuit = await stages.open(await stages.text(stage, { signal }), { signal });
    opened.push(circuit);
    const compared = COMPARED[stage]?.(opened.at(-2));
    return (await circuit.verify({ passes: [], ...compared, trials: trials ?? 1, seed, signal })).checks;
  };
  try {
    for (const [done, stage] of names.entries()) {
      onProgress?.({ phase: 'verify', done, total: names.length, item: stage });
      checks.push(...(await checksOf(stage)).map((check) => ({ ...check, stage })));
    }
  } finally {
    for (const circuit of opened) circuit.dispose();
  }
  onProgress?.({ phase: 'verify', done: names.length, total: names.length });
  return verification(checks);
}

function isMeaning(stage: Stage): stage is MeaningStage {
  return MEANING_STAGES.some((other) => other === stage);
}
