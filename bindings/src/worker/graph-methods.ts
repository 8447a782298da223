/** What graph workers do, with graphs of users' own, from their recording to their runs. No key of a client ever comes here. */
import type { Hear, Open, RawCircuit, RawGraphs, RawShared } from '../raw.js';
import { Handles } from './handles.js';
import type { GraphMethods, OpenCircuit, SharedRecord } from './protocol.js';
import { type Handlers, Moved } from './serve.js';
import { verify } from './verification.js';
import { traced } from './traced.js';

/** The handlers of one worker; `start` starts its instance. */
export function graphMethods(start: Open<RawGraphs>): Handlers<GraphMethods> {
  const circuits = new Handles<RawCircuit>();
  /** Operators that functions of users' compute. */
  const elsewhere = new Set<string>();
  let raw: RawGraphs;

  /** Keeps a circuit, and tells of it. */
  function open(circuit: RawCircuit, about: Pick<OpenCircuit, 'growth' | 'placement'> = {}): OpenCircuit {
    const { inputs, outputs } = circuit.ports();
    const told = { id: circuit.id(), operators: circuit.operators(), inputs, outputs, ...about };
    return { circuit: circuits.add(circuit), ...told };
  }

  /** What is made of a shared graph's bytes. */
  function ofShared<T>(bytes: Uint8Array, hear: Hear, make: (shared: RawShared) => T): T {
    const shared = raw.RawShared.fromBytes(bytes, hear);
    try {
      return make(shared);
    } finally {
      shared.free();
    }
  }

  return {
    async start(_, options) {
      const instance = await start(options);
      raw = instance.raw;
      return { version: raw.version(), memoryBytes: instance.memoryBytes };
    },
    declare: (_, name, base) => {
      raw.declareOperator(name, base);
      if (base) elsewhere.add(name);
    },
    record: (_, name, attrs, inputs, literal) => raw.recordOperator(name, attrs, inputs, literal),
    recordOutput: (_, ...output) => raw.recordOutput(...output),
    build: ({ hear }, literal) => open(raw.RawCircuit.build(literal, hear)),
    openText: ({ hear }, text) => open(raw.RawCircuit.fromText(text, hear)),
    openBytes: ({ hear }, bytes) => open(raw.RawCircuit.fromBytes(bytes, hear)),
    expand: ({ hear }, circuit, options) => open(circuits.get(circuit).expand(options, hear)),
    place: (_, circuit, ...places) => open(circuits.get(circuit).place(...places)),
    placeByTimes: ({ hear }, from, ...by) => {
      const { circuit, placement } = circuits.get(from).placeByTimes(...by, hear);
      return open(circuit, { placement });
    },
    usesOf: ({ hear }, circuit, platforms) => circuits.get(circuit).uses(platforms, hear),
    optimize: ({ hear }, circuit, passes) => open(circuits.get(circuit).optimize(passes, hear)),
    protect: (_, from, { seed, ...options }) => {
      const { circuit, growth } = circuits.get(from).protect(seed, options);
      return open(circuit, { growth });
    },
    analyze: ({ hear }, circuit) => {
      const analysis = circuits.get(circuit).analyze(hear);
      return new Moved(
        analysis,
        Object.values(analysis).map(({ buffer }) => buffer),
      );
    },
    text: (_, circuit) => circuits.get(circuit).text(),
    bytes: ({ hear }, circuit) => {
      const bytes = circuits.get(circuit).bytes(hear);
      return new Moved(bytes, [bytes.buffer]);
    },
    view: (_, circuit) => circuits.get(circuit).view(),
    verify: (call, circuit, request) => {
      const { against } = request;
      const other = against === undefined ? undefined : circuits.get(against);
      return verify(call, raw, circuits.get(circuit), other, request, (name) => elsewhere.has(name));
    },
    run: (call, circuit, names, sent, keep, options, trace) => {
      const graph = circuits.get(circuit);
      const kept = graph.kept(keep);
      // Taken out of the message: it must not keep the data while the job, which has its own, runs.
      const data = sent.splice(0);
      const job = (() => {
        try {
          return graph.runJob(names, data, keep, options, call.listen);
        } finally {
          if (options.secret) for (const bytes of data) bytes.fill(0);
        }
      })();
      return traced(call, job, trace, () => {
        const objects = job.takeObjects();
        return new Moved(
          { objects, kept },
          objects.map(({ bytes }) => bytes.buffer),
        );
      });
    },
    free: (_, circuit) => circuits.free(circuit),
    share: ({ hear }, literal, { parties, inputs, operators, outputs }) =>
      told(raw.RawShared.build(literal, parties, inputs, operators, outputs, hear), hear),
    openShared: ({ hear }, bytes) => told(raw.RawShared.fromBytes(bytes, hear), hear),
    expandShared: ({ hear }, bytes, options) =>
      ofShared(bytes, hear, (shared) => told(shared.expand(options, hear), hear)),
    wholeShared: ({ hear }, bytes) => ofShared(bytes, hear, (shared) => open(shared.circuit())),
    cut: ({ hear }, bytes, party) =>
      ofShared(bytes, hear, (shared) => {
        const { circuit, cut } = shared.cut(party, hear);
        return { ...open(circuit), cut };
      }),
  };
}

/** What is to be known of a shared graph, which goes. */
function told(shared: RawShared, hear: Hear): Moved<SharedRecord> {
  try {
    const bytes = shared.bytes(hear);
    return new Moved({ id: shared.id(), bytes, about: shared.about() }, [bytes.buffer]);
  } finally {
    shared.free();
  }
}
