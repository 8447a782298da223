/** On which processors programs are evaluated: the whole page's choice, and what came of it in words. */
import type { CipherloomError, Loom, RunOptions, TraceView } from 'cipherloom';
import { type LaneKind, laneOf } from './lane.js';

/** As of `RunOptions.gpu`, without times of one's own. */
export type GpuUse = boolean | 'measured';

/** By what stands in the page's address, which is what a choice among these has, too. */
export const GPU_USES = {
  '': 'Processors alone',
  measured: 'GPU where it is measured to be faster',
  true: 'GPU for all that it has shaders of',
} as const;
export type GpuSetting = keyof typeof GPU_USES;

/** What a text says in an address. What is none of these is left as it is, for the package to refuse. */
export function gpuUseOf(text: string | null): GpuUse {
  if (text === null || text === '' || text === 'false') return false;
  return text === 'true' || (text as GpuUse);
}

export function settingOf(use: GpuUse): GpuSetting {
  return use === false ? '' : (String(use) as GpuSetting);
}

/** What came of a wish for a GPU. */
export interface GpuOutcome {
  readonly asked: GpuUse;
  /** Why there was none. */
  readonly none?: CipherloomError | undefined;
  /** Of the evaluation. */
  readonly trace?: TraceView | undefined;
}

/** What is told to `Program.run`. */
type Asking = Pick<RunOptions, 'gpu' | 'onTrace'>;

/**
 * Evaluates as it is wished; where a GPU is wished for and there is none, on the processors. Who wishes for none is asked nothing about it. Errors: those of `evaluate` but
 * GpuError `gpu.none`.
 */
export async function evaluateOn<T>(
  asked: GpuUse,
  evaluate: (asking: Asking) => Promise<T>,
  hear?: (trace: TraceView) => void,
): Promise<{ readonly value: T; readonly gpu: GpuOutcome }> {
  if (asked === false) return { value: await evaluate(hear ? { onTrace: hear } : {}), gpu: { asked } };
  let trace: TraceView | undefined;
  const onTrace = (heard: TraceView): void => {
    trace = heard;
    hear?.(heard);
  };
  try {
    return { value: await evaluate({ gpu: asked, onTrace }), gpu: { asked, trace } };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'gpu.none') throw error;
    const value = await evaluate({ onTrace });
    return { value, gpu: { asked, none: error as CipherloomError, trace } };
  }
}

/** In a sentence or two; empty where none was wished for. */
export function gpuWords({ asked, none, trace }: GpuOutcome): string {
  if (asked === false) return '';
  if (none !== undefined) return noGpuWords(none.message);
  const { gpu, placement } = trace ?? {};
  if (gpu?.lost !== undefined)
    return `${gpu.lost.message.replace(/[.\s]+$/, '')}. The processors began anew, and computed all of it.`;
  if (trace !== undefined && gpu !== undefined) {
    const on = (kind: LaneKind): number =>
      trace.thread.reduce((sum, thread) => sum + Number(laneOf(trace, thread) === kind), 0);
    const [there, copies] = [on('GPU'), on('copies')];
    const { format } = new Intl.NumberFormat('en-US');
    const name = gpu.device === undefined ? 'The GPU' : `The GPU (${gpu.device})`;
    return `${name} computed ${format(there)} of ${format(trace.op.length - copies)} operators.`;
  }
  return placement === undefined
    ? 'The processors computed all of it: what this GPU is faster at is being measured, for the runs that follow.'
    : 'The processors computed all of it: by what was measured, this GPU would be faster at no part.';
}

/** `message` as a GpuError `gpu.none` says it. */
export function noGpuWords(message: string): string {
  const why = message.replace(/^No GPU: /, '').replace(/[.\s]+$/, '');
  return `This browser has no GPU for this page (${why}): the processors computed all of it.`;
}

/** Of a run that nothing was measured for: what came of measuring, which takes a while; undefined of any other run. */
export async function measuredWords(
  { asked, trace }: GpuOutcome,
  loom: Promise<Loom>,
): Promise<string | undefined> {
  if (asked !== 'measured' || trace?.placement !== undefined) return undefined;
  try {
    await (await loom).gpuTimes();
    return 'The processors computed all of it. This GPU is measured now: run it again, and what is faster there goes there.';
  } catch (error) {
    const { code, message } = error as Partial<CipherloomError>;
    if (code === 'gpu.none') return noGpuWords(message ?? '');
    // Of another loom by now.
    if (code === 'disposed') return undefined;
    return `The processors computed all of it: this GPU could not be measured (${message ?? String(error)}).`;
  }
}
