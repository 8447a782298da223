/** Hands out ranges of numbers to processes, until there are none, no time is left or SIGINT comes. */
import { fork } from 'node:child_process';

/**
 * `worker` is the file of the processes, `argument` what each is started with, as JSON. A process sends `{ ready }`, then
 * for each `{ from, to }` that it is sent `{ counts }`, and `{ print }` whenever it has something to say; `heard` gets
 * the first two. Resolves with the first number that was not handed out.
 */
export async function runRanges({ worker, argument, from, count, size, minutes, processes, heard }) {
  const started = Date.now();
  let next = from;
  let stopped = false;
  process.once('SIGINT', () => (stopped = true));
  // A range is begun only while there is time.
  const one = () => {
    const child = fork(worker, [JSON.stringify(argument)]);
    let ended = false;
    return new Promise((done, fail) => {
      const hand = () => {
        const range = { from: next, to: Math.min(next + size, from + count) };
        const over = stopped || range.from >= range.to || Date.now() - started > minutes * 60_000;
        if (over) return void (ended = child.kill());
        next = range.to;
        child.send(range);
      };
      child.on('message', ({ print, ...message }) => {
        if (print) return console.log(print);
        heard(message);
        hand();
      });
      child.on('exit', (code, signal) => {
        if (ended) done();
        else fail(new Error(`a process ended with ${signal ?? `status ${code}`}`));
      });
    });
  };
  await Promise.all(Array.from({ length: processes }, one));
  return next;
}

/** Options as parseArgs takes them, all numbers: `{ name: default }`. */
export function numberOptions(defaults) {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: String(value) }]),
  );
}

/** A number that was given as an option. Errors: one that names it. */
export function numberFrom(text, name) {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`--${name} must be a number, found ${text}`);
  return Number(text);
}
