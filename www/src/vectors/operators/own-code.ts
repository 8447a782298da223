/**
 * A visitor's module in a worker of its own, which is made of its text: the page's policy lets no text run elsewhere. It sees the rows that it is given, and is ended when it
 * does not answer.
 */

/** What a call came to. */
export interface OwnAnswer {
  readonly value?: unknown;
  readonly emitted: readonly (readonly [key: unknown, value: unknown])[];
  readonly said: readonly string[];
}

/** What a module has. */
export interface OwnNames {
  readonly map: boolean;
  readonly reduce: boolean;
}

/** What is wrong with a text that no browser reads, where it does not tell more. */
export const NO_SCRIPT = 'this is not JavaScript';
/** Milliseconds for one call. */
const PATIENCE_MS = 10_000;

/** Behind the visitor's text, so that lines are counted as they are in it. */
const HARNESS = `
;self.addEventListener('message', async ({ data: { id, name, args } }) => {
  const own = { map: typeof map === 'function' && map, reduce: typeof reduce === 'function' && reduce };
  const emitted = [], said = [];
  try {
    let value;
    if (name === 'names') value = { map: own.map !== false, reduce: own.reduce !== false };
    else if (name === 'map') {
      const [row, context, other] = args;
      context.emit = (key, value) => void emitted.push([key, value]);
      context.log = (text) => void said.push(String(text));
      value = await own.map(row, context, other);
      // What one call gives under one key comes home as one.
      if (own.reduce && emitted.length > 1) {
        const held = new Map();
        for (const [key, value] of emitted.splice(0)) {
          const name = typeof key + String(key);
          const before = held.get(name);
          held.set(name, [key, before === undefined ? value : await own.reduce(key, before[1], value)]);
        }
        emitted.push(...held.values());
      }
    } else value = await own.reduce(...args);
    self.postMessage({ id, value, emitted, said });
  } catch (error) {
    self.postMessage({ id, error: String(error && error.message !== undefined ? error.message : error), stack: String(error && error.stack) });
  }
});`;

/** As a script, with lines and columns as they were: what is exported has its name there, too. */
export function scriptOf(text: string): string {
  const script = text.replaceAll(
    /^([ \t]*)(export[ \t]+(?:default[ \t]+)?)(?=(?:async|function|const|let|var|class)\b)/gm,
    (_, before: string, words: string) => before + ' '.repeat(words.length),
  );
  return `'use strict';${script}${HARNESS}`;
}

type Reply = { readonly id: number } & (OwnAnswer | { readonly error: string; readonly stack: string });
interface Asked {
  resolve(answer: OwnAnswer): void;
  reject(error: Error): void;
}

export class OwnCode {
  readonly #text: string;
  #worker: Worker | undefined;
  readonly #asked = new Map<number, Asked>();
  #next = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Errors: what the module throws, with its line; that it cannot be read; that it does not answer. */
  async ask(name: 'names' | 'map' | 'reduce', args: readonly unknown[]): Promise<OwnAnswer> {
    this.#worker ??= this.#start();
    const id = this.#next++;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<OwnAnswer>((resolve, reject) => {
        this.#asked.set(id, { resolve, reject });
        const late = (): void => this.#end(new Error(`no answer within ${PATIENCE_MS / 1000} seconds`));
        timer = setTimeout(late, PATIENCE_MS);
        this.#worker!.postMessage({ id, name, args });
      });
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** Ends it. */
  close(): void {
    this.#end(new Error('the module was closed'));
  }

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([scriptOf(this.#text)], { type: 'text/javascript' }));
    const worker = new Worker(address, { name: 'own function' });
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const asked = this.#asked.get(data.id);
      if ('error' in data) asked?.reject(withLine(data.error, lineIn(data.stack)));
      else asked?.resolve(data);
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // Some browsers tell no more of a text that is none.
      this.#end(withLine((event.message || NO_SCRIPT).replace(/^Uncaught /, ''), event.lineno));
    });
    return worker;
  }

  #end(why: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#asked.values()) reject(why);
  }
}

function withLine(message: string, line: number | undefined): Error {
  return new Error(line === undefined || line < 1 ? message : `line ${line} of your function: ${message}`);
}

/** The first line of a stack that lies in the text. */
function lineIn(stack: string): number | undefined {
  const [, line] = /blob:[^\s)]*?:(\d+):\d+/.exec(stack) ?? [];
  return line === undefined ? undefined : Number(line);
}
