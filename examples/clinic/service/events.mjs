/** Progress of a question as server-sent events (HTML, "Server-sent events"): one `state` for each change, the last one with the end, after which the stream ends. */
import { ServiceError } from './errors.mjs';
import { ended } from './questions.mjs';

/** How often a state is looked up that other processes may have changed; it also keeps proxies from closing the stream. */
const LOOK_MS = 1000;

/** How many streams each user has open. Each looks again and again, so they are counted. */
export class Streams {
  #open = new Map();

  /** @param {number} most of one user */
  constructor(most) {
    this.most = most;
  }

  /** Counts one until its connection ends. Errors: 429 `events.many`. */
  open(raw, user) {
    const open = this.#open.get(user.id) ?? 0;
    if (open >= this.most)
      throw new ServiceError(429, 'events.many', `One user has at most ${this.most} streams: end one first`, {
        found: open,
        // As of all that are too many: when to come again.
        expected: 'a moment',
      });
    this.#open.set(user.id, open + 1);
    raw.once('close', () => {
      const left = this.#open.get(user.id) - 1;
      if (left > 0) this.#open.set(user.id, left);
      else this.#open.delete(user.id);
    });
  }
}

/**
 * @param {import('fastify').FastifyReply} reply
 * @param {{questions: import('./questions.mjs').Questions, users: import('./users.mjs').Users, streams: Streams}} parts
 */
export async function sendEvents(reply, { questions, users, streams }, user, id) {
  const { raw } = reply;
  // Who has left already would count for ever: nothing says any more that they do.
  if (raw.destroyed) return void reply.hijack();
  streams.open(raw, user);
  // Refused before anything is sent.
  let last = await questions.get(user, id);
  reply.hijack();
  if (raw.destroyed) return;
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const send = (state) => raw.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
  send(last);
  if (ended(last.state)) {
    raw.end();
    return;
  }
  let looking = false;
  let again = false;
  const look = async () => {
    again = true;
    if (looking) return;
    looking = true;
    try {
      while (again && !raw.writableEnded) {
        again = false;
        // Who has left, or was disabled, hears no more.
        if (!(await users.isIn(user))) return void raw.end();
        const now = await questions.get(user, id);
        // Who does not read hears of it once they do; until then nothing is kept for them.
        if (raw.writableNeedDrain) return;
        if (JSON.stringify(now) !== JSON.stringify(last)) send(now);
        else raw.write(': here\n\n');
        last = now;
        if (ended(now.state)) raw.end();
      }
    } catch {
      // The service ends, or its database does: who listens comes again.
      raw.end();
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(look, LOOK_MS);
  questions.changes.on(id, look);
  raw.once('close', () => {
    clearInterval(timer);
    questions.changes.off(id, look);
  });
  // It may have changed before anybody listened.
  await look();
}
