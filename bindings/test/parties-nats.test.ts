/** What is made of the library of NATS, by one that does what a test says: with a server, pkg-tests/parties/nats.test.mjs. */
import { expect, test } from 'vitest';
import type { PartyError } from '../src/errors.js';
import { newRun, overNats } from '../src/parties/index.js';
import type { NatsMessage } from '../src/parties/transports/nats-libraries.js';

/** A queue that is iterated over until it ends. */
class Events {
  readonly #all: { type: string }[] = [];
  #wake = (): void => {};
  #ended = false;

  push(type: string): void {
    this.#all.push({ type });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<{ type: string }> {
    for (;;) {
      while (this.#all.length > 0) yield this.#all.shift() as { type: string };
      if (this.#ended) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** What the library has made for a party that hears. */
interface Heard {
  readonly from: number;
  readonly say: (seq: number) => void;
  readonly amiss: (type: string) => void;
  readonly end: (error?: Error) => void;
}

/** The libraries, and what becomes of them. `refuse(count)`: what the question for a consumer, of that number, fails by, if anything. */
function libraries(refuse: (count: number) => Error | 'never' | undefined = () => undefined) {
  const made: Heard[] = [];
  const status = new Events();
  let asked = 0;
  let closed = false;
  const run = newRun();
  const consume = (from: number) => async (options: { callback: (message: NatsMessage) => void }) => {
    const events = new Events();
    let end: (error?: Error) => void = () => {};
    const ended = new Promise<Error | undefined>((resolve) => {
      end = (error) => {
        events.end();
        resolve(error);
      };
    });
    let open = true;
    const say = (seq: number): void => {
      if (open) options.callback({ seq, subject: `cipherloom.${run}.north.south`, data: Uint8Array.of(seq) });
    };
    made.push({ from, say, amiss: (type) => events.push(type), end });
    const stop = (): void => {
      open = false;
      end();
    };
    return { stop, closed: () => ended, status: () => events };
  };
  const client = {
    publish: async () => ({}),
    consumers: {
      get: async (_: string, { opt_start_seq: from }: { opt_start_seq: number }) => {
        const refused = refuse(asked++);
        if (refused === 'never') return new Promise(() => {});
        if (refused !== undefined) throw refused;
        return { consume: consume(from) };
      },
    },
  };
  const connection = {
    close: async () => {
      closed = true;
      status.end();
      made.forEach(({ end }) => end());
    },
    closed: async () => undefined,
    isClosed: () => closed,
    status: () => status,
  };
  const given = { node: { connect: async () => connection }, jetstream: { jetstream: () => client } };
  const open = (patience?: number) =>
    overNats({ servers: 'host', tls: false, run, party: 'north', patience, libraries: given });
  return { open, made, status };
}

/** Hears, and says when nothing more is. */
function listen(transport: Awaited<ReturnType<typeof overNats>>) {
  const values: number[] = [];
  const lost = new Promise<PartyError>((resolve) => {
    transport.listen(
      (_, bytes) => values.push(bytes[0] as number),
      (error) => resolve(error as PartyError),
    );
  });
  return { values, lost };
}

const made = async (all: readonly Heard[], count: number): Promise<Heard> => {
  await expect.poll(() => all.length).toBe(count);
  return all[count - 1] as Heard;
};

test('whatever becomes of a consumer, the next one begins behind what was heard', async () => {
  const library = libraries();
  const transport = await library.open();
  const { values } = listen(transport);
  const first = await made(library.made, 1);
  [1, 4].forEach(first.say);
  first.amiss('heartbeats_missed');
  const second = await made(library.made, 2);
  // Who was given up on is not heard any more.
  first.say(5);
  [5, 6].forEach(second.say);
  library.status.push('disconnect');
  const third = await made(library.made, 3);
  third.say(9);
  third.amiss('consumer_deleted');
  // What is no harm changes nothing.
  const fourth = await made(library.made, 4);
  ['next', 'heartbeat', 'debug'].forEach(fourth.amiss);
  fourth.say(11);
  expect(library.made.map(({ from }) => from)).toEqual([1, 5, 7, 10]);
  expect(values).toEqual([1, 4, 5, 6, 9, 11]);
  transport.close();
});

test('what was asked before the connection was lost is asked again when it is back', async () => {
  // The first question is that of `overNats` itself.
  const library = libraries((count) => (count === 1 ? 'never' : undefined));
  const transport = await library.open();
  const { values } = listen(transport);
  await expect
    .poll(() => {
      library.status.push('reconnect');
      return library.made.length;
    })
    .toBe(1);
  library.made[0]?.say(1);
  expect(values).toEqual([1]);
  transport.close();
});

test('a server that does not answer is told of after as long as it may be away, one that refuses at once', async () => {
  const gone = libraries((count) => (count > 1 ? new Error('timeout') : undefined));
  const transport = await gone.open(300);
  const { lost } = listen(transport);
  const first = await made(gone.made, 1);
  const begin = performance.now();
  first.amiss('heartbeats_missed');
  expect((await lost).details).toEqual({ reason: 'unreachable' });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(300);
  await expect(transport.send('south', Uint8Array.of(1))).rejects.toMatchObject({ code: 'party.transport' });
  transport.close();

  const refuses = libraries();
  const other = await refuses.open();
  const heard = listen(other);
  (await made(refuses.made, 1)).end(new Error('Permissions Violation for Subscription'));
  expect((await heard.lost).details).toEqual({ reason: 'permissions' });
  // Also who comes after that.
  expect((await listen(other).lost).details).toEqual({ reason: 'permissions' });
  other.close();
});

test('what a listener throws is told to all of them', async () => {
  const library = libraries();
  const transport = await library.open();
  const { lost } = listen(transport);
  transport.listen(() => {
    throw new Error('no');
  });
  (await made(library.made, 1)).say(1);
  expect((await lost).message).toBe('no');
  transport.close();
});

test.each([
  [new Error("server does not support 'tls'"), 'tls', 'option tls: false'],
  [new Error('self-signed certificate'), 'tls', 'which certificates'],
  // An address is no reason.
  [new Error('getaddrinfo ENOTFOUND tls.example.org'), 'unreachable', 'not there'],
])('%s', async (error, reason, hint) => {
  const given = { node: { connect: () => Promise.reject(error) }, jetstream: {} };
  const opened = overNats({ servers: 'host', run: newRun(), party: 'north', libraries: given });
  await expect(opened).rejects.toMatchObject({
    code: 'party.transport',
    details: { reason },
    message: expect.stringContaining(hint) as string,
  });
});
