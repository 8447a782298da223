/** Where a user's program made the calls of a builder. */

/** Sites kept: each takes some hundred bytes and about a microsecond. */
export const MOST_SITES = 10_000;
/** Frames of each: the line itself, and who called the function that it is in. */
const FRAMES = 6;

/** Constructor and method as V8 has them, and Firefox and Safari by now. */
type Capturing = ErrorConstructor & { captureStackTrace?(target: Error, above: unknown): void };

/** The sites of the first calls, by their number. */
export class CallSites {
  readonly #sites: Error[] = [];

  /** The next call, made to `method`. Engines write a stack down as text only when it is read. */
  add(method: unknown): void {
    if (this.#sites.length < MOST_SITES) this.#sites.push(siteOf(method));
  }

  /** The stack of a call, one frame a line, the user's line first; undefined where none was kept. */
  framesOf(call: number): string | undefined {
    const stack = this.#sites[call]?.stack;
    if (stack === undefined) return undefined;
    // V8's begins with the name of the error.
    return stack.replace(/^Error:? *(\n|$)/, '').trimEnd() || undefined;
  }
}

function siteOf(method: unknown): Error {
  const capturing = Error as Capturing;
  const { stackTraceLimit } = Error;
  // Where the limit cannot be set, stacks are longer.
  Reflect.set(Error, 'stackTraceLimit', FRAMES);
  const site = new Error();
  capturing.captureStackTrace?.(site, method);
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  return site;
}
