/** A party's part of a shared graph, and its runs. */
import {
  checkArgument,
  checkCall,
  CUT_RUN_OPTIONS,
  DATA,
  describe,
  RUN_NAME,
  TRANSPORT,
} from '../arguments.js';
import { WorkerCircuit } from '../circuit.js';
import { copiedData, orderedData } from '../data.js';
import { CipherloomError, failure } from '../errors.js';
import type { Circuit, ExpandOptions, OptimizeOptions, Port, RunInputs, RunOutputs } from '../graph-types.js';
import type { WorkerLoom } from '../loom.js';
import type { RawCrossing, RawCut } from '../raw.js';
import { abortable, Resource } from '../resource.js';
import { readAttributes } from '../type-text.js';
import type { CallOptions } from '../types.js';
import type { CallSettings, Connection } from '../worker/connection.js';
import type { GraphMethods, OpenCircuit } from '../worker/protocol.js';
import { Exchange } from './exchange.js';
import { Kept } from './kept.js';
import type { Crossing, Cut, CutRunOptions, Interaction } from './types.js';

/** What a cut is beside its circuit. */
interface About {
  readonly party: string;
  readonly id: string;
  readonly own: readonly number[];
  readonly common: readonly number[];
  readonly sends: readonly Crossing[];
  readonly receives: readonly Crossing[];
  readonly interactions: readonly Interaction[];
}

/** See {@link Cut}. */
export class PartyCut extends Resource implements Cut {
  readonly party: string;
  readonly id: string;
  readonly own: readonly number[];
  readonly common: readonly number[];
  readonly sends: readonly Crossing[];
  readonly receives: readonly Crossing[];
  readonly interactions: readonly Interaction[];
  readonly #about: About;
  readonly #circuit: WorkerCircuit;

  private constructor(about: About, circuit: WorkerCircuit) {
    super('cut', () => circuit.dispose());
    this.party = about.party;
    this.id = about.id;
    this.own = about.own;
    this.common = about.common;
    this.sends = about.sends;
    this.receives = about.receives;
    this.interactions = about.interactions;
    this.#about = about;
    this.#circuit = circuit;
  }

  /** Cuts the shared graph of these bytes. */
  static async open(
    loom: WorkerLoom,
    id: string,
    bytes: Uint8Array,
    party: string,
    { signal, onProgress }: CallOptions,
  ): Promise<PartyCut> {
    let raw: RawCut | undefined;
    const origin = {
      recording: undefined,
      mark: undefined,
      make: async (
        connection: Connection<GraphMethods>,
        settings: CallSettings = {},
      ): Promise<OpenCircuit> => {
        const opened = await connection.call(
          'cut',
          [bytes, party],
          { ...settings, watched: true },
          ({ circuit }) => connection.send('free', [circuit]),
        );
        raw = opened.cut;
        return opened;
      },
    };
    const circuit = await WorkerCircuit.open(loom, 'build', origin, loom.while(signal), onProgress);
    const { own, common, sends, receives, interactions } = raw as unknown as RawCut;
    return new PartyCut(
      {
        party,
        id,
        own: Object.freeze(own),
        common: Object.freeze(common),
        sends: crossings(sends),
        receives: crossings(receives),
        interactions: Object.freeze(interactions.map((interaction) => Object.freeze({ ...interaction }))),
      },
      circuit,
    );
  }

  get inputs(): readonly Port[] {
    return this.#circuit.inputs;
  }

  get outputs(): readonly Port[] {
    return this.#circuit.outputs;
  }

  get operators(): number {
    return this.#circuit.operators;
  }

  get leaves(): readonly Crossing[] {
    return this.sends;
  }

  get circuit(): Circuit {
    return this.#circuit;
  }

  async expand(options: ExpandOptions & CallOptions): Promise<Cut> {
    this.checkLife();
    return new PartyCut(this.#about, (await this.#circuit.expand(options)) as WorkerCircuit);
  }

  async optimize(options: OptimizeOptions & CallOptions = {}): Promise<Cut> {
    this.checkLife();
    return new PartyCut(this.#about, (await this.#circuit.optimize(options)) as WorkerCircuit);
  }

  async run(inputs: RunInputs, options: CutRunOptions): Promise<RunOutputs> {
    checkCall('run', { inputs: [inputs, DATA] }, options, CUT_RUN_OPTIONS);
    const { transport, run } = options;
    checkArgument('run, option transport', transport, TRANSPORT);
    checkArgument('run, option run', run, RUN_NAME);
    const ended = this.signal(options.signal);
    ended.throwIfAborted();
    // What is wrong with the data is told before anybody hears of the run, and what is changed meanwhile is of another one.
    orderedData(this.inputs, inputs);
    const own = copiedData(inputs);
    return await this.#run(own, options, ended);
  }

  /** The same of inputs that are asked for once all whom this party exchanges something with are there: what they cost, such as a decryption that is counted, is lost with nobody who does not come. `signal`: that of the run. */
  runOnceGreeted(
    inputs: (signal: AbortSignal) => Promise<RunInputs>,
    options: CutRunOptions,
  ): Promise<RunOutputs> {
    return this.#run(inputs, options, this.signal(options.signal));
  }

  async #run(
    given: RunInputs | ((signal: AbortSignal) => Promise<RunInputs>),
    options: CutRunOptions,
    ended: AbortSignal,
  ): Promise<RunOutputs> {
    const { transport, run, leaves, approve, timeout, keep, onRefused, signal: _, ...settings } = options;
    await abortable(this.#approved(leaves, approve), ended);
    const { party, id, sends, receives } = this;
    const known = typeof given === 'function' ? undefined : given;
    const kept =
      keep &&
      known &&
      (await abortable(Kept.open(keep, { run, party, id, inputs: orderedData(this.inputs, known) }), ended));
    const before = kept && (await abortable(kept.outputs(this.outputs), ended));
    const exchange = new Exchange({ id, sends, receives, transport, run, timeout, onRefused, kept });
    if (before !== undefined && kept && (await abortable(kept.closed(), ended))) {
      try {
        await abortable(exchange.repeatDone(), ended);
      } finally {
        exchange.stop('cancelled');
      }
      return before;
    }
    if (before !== undefined) exchange.restore();
    try {
      exchange.start();
      const signal = AbortSignal.any([ended, exchange.signal]);
      if (typeof given === 'function') await abortable(exchange.greeted(), signal);
      const inputs = typeof given === 'function' ? await given(signal) : given;
      const outputs = before ?? (await this.#circuit.runWith(inputs, { ...settings, signal }, exchange));
      if (before === undefined && kept) await abortable(kept.finish(this.outputs, outputs), ended);
      ended.throwIfAborted();
      await abortable(exchange.end(), ended);
      return outputs;
    } catch (error) {
      exchange.stop(ended.aborted ? 'cancelled' : 'failed');
      throw this.#told(error);
    }
  }

  /** Errors: PartyError `party.unapproved`, `party.refused`. */
  async #approved(leaves: CutRunOptions['leaves'], approve: CutRunOptions['approve']): Promise<void> {
    if (this.leaves.length === 0) return;
    const bytes = this.leaves.reduce((sum, crossing) => sum + crossing.bytes, 0);
    const what = `${this.leaves.length} values (${bytes} bytes) leave party ${describe(this.party)}`;
    if (approve !== undefined) {
      if ((await approve(this.leaves)) === true) return;
      throw failure('party.refused', `${what}, and that was not approved: nothing was sent`, { bytes });
    }
    if (leaves === this.leaves) return;
    const expected = 'option leaves: cut.leaves, or option approve';
    const found = leaves === undefined ? 'neither' : 'another list';
    const problem = `${what}: expected ${expected}, to say that this was seen, found ${found}`;
    throw failure('party.unapproved', problem, { found, expected, bytes });
  }

  /** An error of a run; one of a value that was received as its sender's. */
  #told(error: unknown): unknown {
    if (!(error instanceof CipherloomError) || error.code !== 'operator.result') return error;
    const { from, number } = readAttributes(String(error.details['attrs'] ?? ''));
    const crossing = this.receives.find((receive) => receive.from === from && receive.number === number);
    if (crossing === undefined) return error;
    const problem = `Party ${describe(crossing.from)} sent ${error.details['found']}, expected ${crossing.type}`;
    const { channel, type: expected } = crossing;
    const details = { party: crossing.from, channel, found: error.details['found'], expected };
    return failure('party.value', problem, details, error);
  }
}

function crossings(raw: readonly RawCrossing[]): readonly Crossing[] {
  const crossing = ({ operator: _, encrypted, ...rest }: RawCrossing): Crossing =>
    Object.freeze({ ...rest, encrypted: encrypted ?? undefined });
  return Object.freeze(raw.map(crossing));
}
