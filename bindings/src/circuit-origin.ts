/** What circuits are made of, so that a worker can make one again after another one died. */
import type { Mark, Recording } from './recording.js';
import type { CallSettings, Connection, Remote } from './worker/connection.js';
import type { Args, GraphMethods, Handle, OpenCircuit } from './worker/protocol.js';

/** Methods that open a circuit. */
type Opening = 'build' | 'openText' | 'openBytes' | Deriving;

/** Methods that make one circuit of another. */
export type Deriving = 'expand' | 'optimize' | 'place' | 'placeByTimes' | 'protect';

/** How a circuit is made. */
export type MakeSettings = Pick<CallSettings, 'signal' | 'onProgress'>;

/** Where a circuit comes from. Refers to no circuit: it outlives those that it came by. */
export interface Origin {
  /** Makes it in that worker. A call that is aborted leaves nothing open. */
  make(connection: Connection<GraphMethods>, settings?: MakeSettings): Promise<OpenCircuit>;
  /** The calls that it was built by, if it was, of which some are told in errors and some can be kept. */
  readonly recording: Recording | undefined;
  /** How much of these calls. */
  readonly mark: Mark | undefined;
}

/** A circuit of the calls recorded until now. */
export function recorded(recording: Recording): Origin {
  const mark = recording.mark();
  return {
    recording,
    mark,
    make: (connection, settings) => {
      const literal = recording.literal(mark);
      return open(connection, 'build', [literal], { ...settings, transfer: [literal.tape.buffer] });
    },
  };
}

/** A circuit that was printed or saved. Bytes are copied. */
export function saved(from: string | Uint8Array): Origin {
  const kept = typeof from === 'string' ? from : from.slice();
  return {
    recording: undefined,
    mark: undefined,
    make: (connection, settings) =>
      typeof kept === 'string'
        ? open(connection, 'openText', [kept], settings)
        : open(connection, 'openBytes', [kept], settings),
  };
}

/** A circuit made of another one, which is opened for that moment where it is not open. */
export function derived<K extends Deriving>(
  from: Origin,
  opened: Remote<GraphMethods>,
  method: K,
  args: Rest<Args<GraphMethods, K>>,
): Origin {
  const { recording, mark } = from;
  return {
    recording,
    mark,
    make: async (connection, settings) => {
      const held = opened.held(connection);
      const { signal } = settings ?? {};
      const handle = await (held ?? from.make(connection, { signal }).then(({ circuit }) => circuit));
      try {
        return await open(
          connection,
          method,
          [handle, ...args] as unknown as Args<GraphMethods, K>,
          settings,
        );
      } finally {
        if (held === undefined) connection.send('free', [handle]);
      }
    },
  };
}

/** All arguments but the circuit. */
type Rest<A extends unknown[]> = A extends [Handle, ...infer R] ? R : never;

/** What comes too late is freed. */
function open<K extends Opening>(
  connection: Connection<GraphMethods>,
  method: K,
  args: Args<GraphMethods, K>,
  settings?: CallSettings,
): Promise<OpenCircuit> {
  return connection.call(method, args, { ...settings, watched: true }, ({ circuit }) =>
    connection.send('free', [circuit]),
  );
}
