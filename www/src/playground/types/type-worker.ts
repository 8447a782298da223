/** TypeScript, away from the page's thread: loaded with the tab, since it is large. */
import files from 'virtual:playground-types';
import { compileProgram } from './compile.js';
import type { Answered, Asked, Questions } from './messages.js';
import { Service } from './service.js';

const service = new Service(files);
const ANSWERS: { [N in keyof Questions]: (ask: Questions[N]['ask']) => Questions[N]['answer'] } = {
  check: ({ text }) => service.check(text),
  complete: ({ text, at }) => service.complete(text, at),
  details: ({ text, at, label }) => service.details(text, at, label),
  hover: ({ text, at }) => service.hover(text, at),
  compile: ({ text }) => compileProgram(text),
};

addEventListener('message', ({ data: { id, name, ask } }: MessageEvent<Asked>) => {
  try {
    postMessage({ id, answer: ANSWERS[name](ask as never) } satisfies Answered);
  } catch (error) {
    postMessage({ id, failure: error instanceof Error ? error.message : String(error) } satisfies Answered);
  }
});
