/** Asks a visitor's code what its operator means: in a worker made for that question, which is ended if it does not answer. */
import type { Attributes, DataType } from 'cipherloom';
import harness from './harness.js?raw';

/** A type, as the code named it. */
export type NamedType =
  | { readonly element: string; readonly shape: readonly number[] }
  | { readonly head: string; readonly attributes?: Attributes; readonly units?: number };

/** A call that the code made. Operands are numbers: inputs first, then calls. */
export type OwnCall =
  | { kind: 'op'; name: string; inputs: number[]; attributes?: Attributes }
  | { kind: 'view'; operand: number; type: NamedType; options?: { from?: number } }
  | { kind: 'merge'; parts: number[]; type: NamedType }
  | { kind: 'constant'; type: NamedType; data: ArrayBufferView };

export interface Recorded {
  readonly calls: readonly OwnCall[];
  readonly result: number;
}

/** What an operator is used with. */
export interface Use {
  readonly unit: number;
  readonly types: readonly DataType[];
  readonly attributes: Attributes;
}

/** The visitor's code went wrong, at a line of it, counted from 1, if that is known. */
export class OwnCodeError extends Error {
  override readonly name = 'OwnCodeError';
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

/** Milliseconds for one answer. */
const PATIENCE = 5000;
const ABOVE = harness.split('\n').length;

export function askCode(code: string, { unit, types, attributes }: Use): Promise<Recorded> {
  const address = URL.createObjectURL(new Blob([`${harness}\n${code}`], { type: 'text/javascript' }));
  const worker = new Worker(address, { name: 'own operator' });
  const answer = new Promise<Recorded>((resolve, reject) => {
    const wrong = (message: string, line?: number): void =>
      reject(new OwnCodeError(message, line !== undefined && line > ABOVE ? line - ABOVE : undefined));
    const timer = setTimeout(() => wrong(`no answer within ${PATIENCE / 1000} seconds`), PATIENCE);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<Recorded | { error: string; stack: string }>) => {
        clearTimeout(timer);
        if ('error' in data) wrong(data.error, lineIn(data.stack));
        else resolve(data);
      },
    );
    worker.addEventListener('error', (event) => {
      clearTimeout(timer);
      event.preventDefault();
      wrong(event.message || 'the code cannot be read', event.lineno);
    });
  });
  worker.postMessage({ unit, types: types.map((type) => ({ ...type })), attributes });
  return answer.finally(() => {
    worker.terminate();
    URL.revokeObjectURL(address);
  });
}

/** The first line of a stack that lies in the visitor's code. */
function lineIn(stack: string): number | undefined {
  const lines = Array.from(stack.matchAll(/blob:[^\s)]*?:(\d+):\d+/g), ([, line]) => Number(line));
  return lines.find((line) => line > ABOVE);
}
