/** What a task runs. */
import type { Ref } from './store.js';

/** A module, and what it was hashed to; a circuit; a program. */
export type Run =
  { readonly module: string; hash?: unknown } | { readonly kind: 'circuit' | 'program'; readonly bytes: Ref };

/** All modules, circuits and programs anywhere in a task: wherever they come to stand, none is missed. */
export function* runs(value: unknown): Generator<Run> {
  if (typeof value !== 'object' || value === null) return;
  const { module, kind, bytes } = value as Record<string, unknown>;
  if (typeof module === 'string') yield value as Run;
  if ((kind === 'circuit' || kind === 'program') && typeof bytes === 'object')
    yield { kind, bytes: bytes as Ref };
  for (const inner of Object.values(value)) yield* runs(inner);
}
