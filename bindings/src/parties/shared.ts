/** Shared graphs on the page's side: bytes, and what the graph worker tells of them. */
import {
  CALL_OPTIONS,
  checkArgument,
  checkCall,
  checkOptions,
  EXPAND_OPTIONS,
  isName,
  TEXT,
} from '../arguments.js';
import { checkPortNames, describePort, expansionWanted, WorkerCircuit } from '../circuit.js';
import { failure } from '../errors.js';
import type { Circuit, ExpandOptions } from '../graph-types.js';
import type { WorkerLoom } from '../loom.js';
import type { Mark, Recording } from '../recording.js';
import { abortable } from '../resource.js';
import type { CallOptions } from '../types.js';
import type { CallSettings, Connection } from '../worker/connection.js';
import type { GraphMethods, OpenCircuit, OwnerTable, SharedRecord } from '../worker/protocol.js';
import { PartyCut } from './cut.js';
import type { Cut, OwnedPort, SharedGraph } from './types.js';

type Make = (connection: Connection<GraphMethods>, settings: CallSettings) => Promise<SharedRecord>;

/** See {@link SharedGraph}. */
export class Shared implements SharedGraph {
  readonly id: string;
  readonly parties: readonly string[];
  readonly inputs: readonly OwnedPort[];
  readonly outputs: readonly OwnedPort[];
  readonly operators: number;
  readonly #loom: WorkerLoom;
  readonly #bytes: Uint8Array;

  private constructor(loom: WorkerLoom, { id, bytes, about }: SharedRecord) {
    const owned = ({ port, party }: SharedRecord['about']['inputs'][number]): OwnedPort =>
      Object.freeze({ ...describePort(port), party });
    this.id = id;
    this.parties = Object.freeze([...about.parties]);
    this.inputs = about.inputs.map(owned);
    this.outputs = about.outputs.map(owned);
    this.operators = about.operators;
    this.#loom = loom;
    this.#bytes = bytes;
    checkPortNames([...this.inputs, ...this.outputs], this.outputs);
    const bad = this.parties.find((name) => !isName(name));
    if (bad === undefined) return;
    throw failure('format.circuit', `Not a shared graph: ${JSON.stringify(bad)} is no name of a party`, {
      name: bad,
    });
  }

  /** Makes one in the graph worker. Errors of recorded calls are told where these were made. */
  static async open(
    loom: WorkerLoom,
    make: Make,
    signal: AbortSignal,
    recording?: Recording,
  ): Promise<Shared> {
    const { connection } = await abortable(loom.graphs.worker(), signal);
    const record = await loom.own
      .resolved(connection, () => make(connection, { signal, watched: true }), signal)
      .catch((error: unknown) => {
        throw recording?.located(error) ?? error;
      });
    return new Shared(loom, record);
  }

  /** Of what was recorded until a mark. */
  static recorded(
    loom: WorkerLoom,
    recording: Recording,
    mark: Mark,
    owners: OwnerTable,
    signal: AbortSignal,
  ): Promise<Shared> {
    const make: Make = (connection, settings) =>
      connection.call('share', [recording.literal(mark), owners], settings);
    return Shared.open(loom, make, signal, recording);
  }

  /** From bytes that nobody changes any more. */
  static saved(loom: WorkerLoom, bytes: Uint8Array, signal: AbortSignal): Promise<Shared> {
    return Shared.open(
      loom,
      (connection, settings) => connection.call('openShared', [bytes], settings),
      signal,
    );
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice();
  }

  async expand(options: ExpandOptions & CallOptions): Promise<SharedGraph> {
    checkOptions('expand', options, EXPAND_OPTIONS);
    const args: [Uint8Array, ReturnType<typeof expansionWanted>] = [this.#bytes, expansionWanted(options)];
    const make: Make = (connection, settings) => connection.call('expandShared', args, settings);
    return Shared.open(this.#loom, make, this.#loom.while(options.signal));
  }

  async circuit(options: CallOptions = {}): Promise<Circuit> {
    checkOptions('circuit', options, CALL_OPTIONS);
    const bytes = this.#bytes;
    const origin = {
      recording: undefined,
      mark: undefined,
      make: (connection: Connection<GraphMethods>, settings: CallSettings = {}): Promise<OpenCircuit> =>
        connection.call('wholeShared', [bytes], { ...settings, watched: true }, ({ circuit }) =>
          connection.send('free', [circuit]),
        ),
    };
    const { signal, onProgress } = options;
    return WorkerCircuit.open(this.#loom, 'build', origin, this.#loom.while(signal), onProgress);
  }

  async cut(party: string, options: CallOptions = {}): Promise<Cut> {
    checkCall('cut', {}, options, CALL_OPTIONS);
    checkArgument('cut, party', party, TEXT);
    return PartyCut.open(this.#loom, this.id, this.#bytes, party, options);
  }
}
