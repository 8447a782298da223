/** Errors in words. */
import { CipherloomError } from 'cipherloom';

/** What an error box shows. */
export interface Failure {
  readonly sentence: string;
  /** Stable code of the package, or the platform's name of the error. */
  readonly code: string;
  /** What the page was doing, and where in the data. */
  readonly place: string;
  /** The workers are gone, and can be replaced. */
  readonly canRestart: boolean;
}

/** Details that say where, in the order in which they are read. */
const PLACES = ['input', 'output', 'column', 'row', 'variant', 'role', 'address'] as const;

/** How browsers, Vite and `fetchLostStyles` say that a file of the page's own could not be had: that, and nothing besides, such as a file's name. */
const NOT_FETCHED =
  /^(Failed to fetch( dynamically imported module: .*| https?:.*)?|error loading dynamically imported module: .*|Importing a module script failed\.|Unable to preload CSS for .*|NetworkError when attempting to fetch resource\.|Load failed( \([^ ]*\))?)$/i;
/** What says so: errors of the package, and of visitors' programs, may quote others. */
const PLATFORM: readonly string[] = ['Error', 'TypeError'];

/** An error that came up `during` something ("reading the file"). */
export function failureOf(error: unknown, during: string): Failure {
  const known = error instanceof CipherloomError ? error : undefined;
  const where = PLACES.flatMap((key) => {
    const value = known?.details[key];
    return typeof value === 'string' || typeof value === 'number' ? [`${key} ${value}`] : [];
  });
  return {
    sentence: sentenceOf(error),
    code: known?.code ?? (error instanceof Error ? error.name : 'unknown'),
    place: [`while ${during}`, ...where].join(', '),
    canRestart: known?.code.startsWith('worker.') ?? false,
  };
}

/** Whether an error only says that the person cancelled. */
export function isCancellation(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error === signal.reason;
}

function sentenceOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).trim();
  if (error instanceof Error && PLATFORM.includes(error.name) && NOT_FETCHED.test(text))
    return 'A part of this page could not be fetched. Is this device online? Then try again, or load the page anew.';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
