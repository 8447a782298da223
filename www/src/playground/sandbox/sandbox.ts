/**
 * Runs a visitor's program where it reaches nothing of the page: in a worker of a frame with an origin of its own, whose policy
 * takes no script but the one that starts the worker, and no address at all. What comes back is data.
 */
import { aborted } from '../../run/aborted.js';
import script from 'virtual:sandbox-frame';
import harness from './harness.ts?sandbox';
import type { Given, SandboxReply } from './messages.js';
import { lineIn } from './stack-line.js';

/** A program that was compiled for here. */
export interface Runnable {
  /** A CommonJS module, with the calls that watch its loops. */
  readonly code: string;
  /** The line of the visitor's text, counted from 1, that a line and column of the code, from 1, come from. */
  readonly lineOf: (line: number, column: number) => number | undefined;
}

type Answer = Extract<SandboxReply, { kind: 'described' }>;

/** What a program described. */
export interface Described {
  readonly literal: Answer['literal'];
  readonly kept: readonly string[];
  readonly refreshed: readonly string[];
  readonly given: Given;
  /** What it wrote to the console. */
  readonly said: readonly string[];
}

/** A program went wrong, at a line of its text, counted from 1, if that is known. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly code: string;
  readonly line: number | undefined;
  /** What it had written to the console by then. */
  readonly said: readonly string[];

  constructor(code: string, message: string, line: number | undefined, said: readonly string[] = []) {
    super(message);
    this.code = code;
    this.line = line;
    this.said = said;
  }
}

/** Milliseconds for a program, and how much later a worker that does not even say so is ended. */
const [PATIENCE, GRACE] = [5000, 5000];
/** And for the sandbox to start and read the table: a host whose policy forbids it says nothing. */
const START = 60_000;
/** Lines of its console that are kept, and letters of a text and of a stack: what says more, speaks past the harness. */
const [MOST_SAID, MOST_LETTERS, MOST_STACK] = [200, 2000, 20_000];
const HEAD = `${harness}\nglobalThis.cipherloomProgram = function (exports, require, cipherloomAt, console) {\n`;
const ABOVE = HEAD.split('\n').length - 1;

const POLICY = `default-src 'none'; script-src ${script.hash}; worker-src blob:`;

/** Errors: ProgramError; `signal.reason`, which is a stop: then `at` has the line where it was seen last. */
export async function describe(
  { code, lineOf }: Runnable,
  csv: string,
  { signal, at }: { readonly signal: AbortSignal; readonly at?: (line: number) => void },
): Promise<Described> {
  signal.throwIfAborted();
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.hidden = true;
  frame.title = 'Where the program runs';
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${script.text}</script>`;
  const { port1: port, port2: theirs } = new MessageChannel();
  const said: string[] = [];
  const ownLine = (line: number, column: number): number | undefined =>
    line > ABOVE ? lineOf(line - ABOVE, column) : undefined;
  let begun = false;
  let seen: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const answer = new Promise<Described>((resolve, reject) => {
    const fail = (code: string, message: string, line: number | undefined): void =>
      reject(new ProgramError(code, message, line, said));
    // Whatever the program likes comes here: it can speak for itself.
    port.onmessage = ({ data }: MessageEvent<Partial<Record<string, unknown>> | null>) => {
      const text = (name: string, most = MOST_LETTERS): string => {
        const value = data?.[name];
        return typeof value === 'string' ? value.slice(0, most) : '';
      };
      const line = Number.isSafeInteger(data?.['line']) ? (data!['line'] as number) : undefined;
      switch (data?.['kind']) {
        case 'begins':
          if (begun) break;
          begun = true;
          clearTimeout(timer);
          timer = setTimeout(
            () =>
              fail(
                'program.time',
                `The program gave no answer within ${(PATIENCE + GRACE) / 1000} seconds`,
                seen,
              ),
            PATIENCE + GRACE,
          );
          break;
        case 'at':
          seen = line;
          if (line !== undefined) at?.(line);
          break;
        case 'said':
          if (said.length < MOST_SAID) said.push(text('text'));
          break;
        case 'described': {
          const { literal, kept, refreshed, given } = data as unknown as Answer;
          resolve({ literal, kept, refreshed, given, said });
          break;
        }
        case 'failed':
          fail(
            text('code') || 'program',
            text('message'),
            line ?? lineIn(text('stack', MOST_STACK), ownLine),
          );
          break;
        case 'broken':
          fail('program', text('message') || 'The program cannot be started', lineOf((line ?? 0) - ABOVE, 1));
      }
    };
    frame.addEventListener(
      'load',
      () => {
        timer = setTimeout(
          () =>
            fail(
              'program.sandbox',
              'The sandbox did not start: does the host’s policy forbid it?',
              undefined,
            ),
          START,
        );
        const text = `${HEAD}${code}\n};`;
        frame.contentWindow?.postMessage({ text, input: { csv, patience: PATIENCE } }, '*', [theirs]);
      },
      { once: true },
    );
    document.body.append(frame);
  });
  try {
    return await Promise.race([answer, aborted(signal)]);
  } finally {
    clearTimeout(timer);
    port.close();
    frame.remove(); // and with it its worker
  }
}
