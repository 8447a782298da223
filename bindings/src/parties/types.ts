/**
 * Public types of graphs that several parties share. No code.
 *
 * The habits of graph-types.ts hold here, too.
 */
import type { PartyError } from '../errors.js';
import type {
  Circuit,
  CircuitRunOptions,
  DataArray,
  ExpandOptions,
  OptimizeOptions,
  Port,
  RunOutputs,
} from '../graph-types.js';
import type { ByName, CallOptions, Ciphertexts, EvaluationKeys } from '../types.js';
import type { Cells, Decrypted } from '../values/types.js';

/** An input or output of a shared graph. */
export interface OwnedPort extends Port {
  /** Whose it is. */
  readonly party: string;
}

/**
 * A graph whose inputs, operators and outputs each belong to a party. Everybody has the same one, and cuts it for themselves. Nothing to
 * dispose: it is bytes.
 */
export interface SharedGraph {
  /** What all parties have to agree on: the hash of its bytes, 32 hexadecimal digits. */
  readonly id: string;
  /** Names of the parties. */
  readonly parties: readonly string[];
  readonly inputs: readonly OwnedPort[];
  readonly outputs: readonly OwnedPort[];
  /** How many operators it has. */
  readonly operators: number;
  /** For the others: `Loom.shared` opens it. */
  toBytes(): Uint8Array;
  /** The same in lower operators, each of which is the party's whose operator it comes from; with another `id`. Errors: as `Circuit.expand`. */
  expand(options: ExpandOptions & CallOptions): Promise<SharedGraph>;
  /** The whole graph as a circuit of one's own, for who wants to look at it or to compute it alone. */
  circuit(options?: CallOptions): Promise<Circuit>;
  /** The part of a party: what it computes, sends and receives. Errors: PartyError `party.shared` for a name that is no party's. */
  cut(party: string, options?: CallOptions): Promise<Cut>;
}

/** What crosses from what one input or operator gives to one party: once, however many read it there. */
export interface Crossing {
  readonly from: string;
  readonly to: string;
  /** Where it comes from, by number in the shared graph: inputs first, then operators. */
  readonly number: number;
  /** True where that is an input. */
  readonly input: boolean;
  /** The input's name, or the operator's type. */
  readonly producer: string;
  /** The type of all that it gives. */
  readonly of: string;
  /** The type of what crosses: the same, or that of the units that are read. */
  readonly type: string;
  readonly bytes: number;
  /**
   * The scheme (BFV, BGV, CKKS), where `of` is a type of ciphertexts; undefined where it crosses in the clear as far as types say. A type is what the
   * authors of the graph wrote, and no proof that somebody has encrypted.
   */
  readonly encrypted: string | undefined;
  /** What both ends call it: 32 hexadecimal digits that follow from the shared graph alone. */
  readonly channel: string;
}

/** An operator or input of another party that shares an edge with an own operator. It is no part of the cut. */
export interface Interaction {
  /** In the shared graph: inputs first, then operators. */
  readonly number: number;
  readonly input: boolean;
  /** The input's name, or the operator's type. */
  readonly name: string;
  readonly party: string;
  /** Own operators that read it, as numbers of operators of the shared graph. */
  readonly feeds: readonly number[];
  /** What it reads of one's own, as numbers with inputs first. */
  readonly reads: readonly number[];
}

/**
 * Carries messages between the parties of runs. What it says of who sent a message is believed: `inProcess`, `overPorts` and `sealed` know, `overNats` as far as its
 * server does, `overBroadcast` takes the sender's word for it. Messages between two parties come in the order of `send`, once each.
 */
export interface Transport {
  /** Hands bytes on, which are not changed afterwards; resolves when there is room for more. What cannot be delivered is lost without an error. */
  send(to: string, bytes: Uint8Array): Promise<void>;
  /**
   * Has messages handed to `hear`, also beside others, until the function that it gives is called. A transport that knows that nothing more will come says so to `lost`, once, with why: all of this
   * package do when they are closed, `overNats` also when its server is gone for good.
   */
  listen(hear: (from: string, bytes: Uint8Array) => void, lost?: (error: unknown) => void): () => void;
  /** Ends it for all runs, of which those that go on end with PartyError `party.transport`; what `send` was given before still goes out. */
  close(): void;
}

/** Where a party keeps what it needs to come back to a run: `inFolder`, `inIndexedDB`, `inMemory`, or one's own. It holds secrets: what was sent, results, and random bytes. */
export interface PartyStore {
  /** What was put last under a name, or undefined. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Keeps bytes under a name, all or none, and resolves when they outlive the process. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Forgets a name, also one that is not there. */
  remove(name: string): Promise<void>;
}

/** Options of `Cut.run`. */
export interface CutRunOptions extends Omit<CircuitRunOptions, 'keep'> {
  /** How messages come to the others, and theirs here. */
  transport: Transport;
  /** 32 hexadecimal digits that all parties of this run know, and no other run has: `newRun()`. */
  run: string;
  /** `cut.leaves`: says that the caller has seen what it will send. Needed without `approve`, where something leaves. */
  leaves?: readonly Crossing[] | undefined;
  /** Asked once, before anything is computed or sent, with `cut.leaves`; sends nothing unless it gives true. */
  approve?: ((leaves: readonly Crossing[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Milliseconds that a party may be silent while something is awaited from it. Parties that are there say so every 5 seconds. Default: for ever. Errors:
   * PartyError `party.timeout`.
   */
  timeout?: number | undefined;
  /**
   * Where to keep what lets a party come back. All parties of a run have it, or nobody can. A party whose process has died calls `run` again, for the same run, with the same inputs (random ones by `keptRandom`) and
   * store: it computes anew, is sent again what it lacks, and sends nothing else than before. Then `run` ends once all others are done, too, or are silent for longer than
   * `timeout` (default here: 60,000); after that it gives the same results again, without them. Errors: PartyError `party.changed`, also for other inputs than those of the results that it has; `party.store`.
   */
  keep?: PartyStore | undefined;
  /**
   * Told of every message that was refused, by an error that says why; the run goes on. What it throws ends the run.
   */
  onRefused?: ((error: PartyError) => void) | undefined;
}

/** A party's part of a shared graph. */
export interface Cut extends Disposable {
  /** Whose. */
  readonly party: string;
  /** The shared graph's. */
  readonly id: string;
  /** As of {@link Circuit}: own ones alone. */
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** How many operators it has, those that send and receive among them. */
  readonly operators: number;
  /** Own operators, as numbers of operators of the shared graph. */
  readonly own: readonly number[];
  /** Operators that every party has who needs them, such as constants. */
  readonly common: readonly number[];
  /** What it sends: in the order of `number`. */
  readonly sends: readonly Crossing[];
  readonly receives: readonly Crossing[];
  /** The other parties' neighbours. */
  readonly interactions: readonly Interaction[];
  /** What leaves this party in every run: `sends`, to be looked at before one. */
  readonly leaves: readonly Crossing[];
  /** The graph, with operators that send and receive: to be printed, drawn, analyzed. It runs as part of the cut alone. */
  readonly circuit: Circuit;
  /** As `Circuit.expand`; what crosses stays the same. */
  expand(options: ExpandOptions & CallOptions): Promise<Cut>;
  /** As `Circuit.optimize`; what crosses stays the same. */
  optimize(options?: OptimizeOptions & CallOptions): Promise<Cut>;
  /**
   * Computes this party's part together with the others, each of whom starts by themselves; whoever is first waits, with what it could compute
   * alone. Errors: those of `Circuit.run`, before anything is sent; PartyError: `party.unapproved` and `party.refused`, before anything is sent;
   * `party.graph` for a party with another graph, `party.stopped`, `party.timeout`, `party.value` for values that are none of their
   * type, `party.restarted` for one that has begun anew, where that was not kept, each with `details.party`; `party.transport`. Aborting tells the others, for whom it is `party.stopped`.
   */
  run<T extends Record<string, any>>(
    inputs: ByName<T, DataArray>,
    options: CutRunOptions,
  ): Promise<RunOutputs>;
  dispose(): void;
}

/** Options of `Program.party`: the same for all parties, but for `saved`. */
export interface PartyOptions extends CallOptions {
  /** Who shares the key, in an order that all agree on. */
  parties: readonly string[];
  /** How many of them are enough, fewer than all; then each is dealt a share first ({@link KeyParty.deal}). Default: all have to take part. */
  threshold?: number | undefined;
  /** What `KeyParty.save` gave, of the same party in the same group. */
  saved?: Uint8Array | undefined;
}

/** How a party meets the others for a protocol. */
export interface ProtocolOptions
  extends Pick<CutRunOptions, 'transport' | 'run' | 'timeout' | 'onRefused'>, CallOptions {
  /** Asked once, before anything secret is touched, with what will leave, which may be nothing; where it does not give true, nothing is sent. Of who has no part in it nothing is asked. */
  approve: (leaves: readonly Crossing[]) => boolean | Promise<boolean>;
}

/** Options of `KeyParty.makeKeys`. */
export interface MakeKeysOptions extends ProtocolOptions {
  /** Who takes part: all, or of a threshold as many as are enough, or more. Default: all. */
  active?: readonly string[] | undefined;
  /** Who adds shares up and gets the evaluation keys: one of them, or anybody else. Default: the first who takes part. */
  hub?: string | undefined;
  /** The public key, where it was made before: by the same parties, for another program under the same parameters, whose results this one goes on with. Default: a new one. */
  publicKey?: Uint8Array | undefined;
}

/** Options of `KeyParty.switchTo`. */
export interface SwitchOptions extends Omit<MakeKeysOptions, 'publicKey'> {
  /** The public key that the parties made. */
  publicKey: Uint8Array;
}

/** Options of `KeyParty.refresh`. */
export interface RefreshOptions extends Omit<MakeKeysOptions, 'publicKey'> {
  /** The public key that the parties made. */
  publicKey: Uint8Array;
}

/** Options of `KeyParty.decrypt`. */
export interface DecryptTogetherOptions extends ProtocolOptions {
  /** The public key that the parties made: says which key it is. */
  publicKey: Uint8Array;
  /** Who takes part. Default: all. */
  active?: readonly string[] | undefined;
  /** Who learns the results: some of those who take part, or whoever else is first of them. Default: all who take part. One at least. */
  to?: readonly string[] | undefined;
  /** Public inputs of the run. */
  public?: Readonly<Record<string, Cells>> | undefined;
}

/** What parties made together. */
export interface JointKeys {
  /** For data owners (`Program.owner`), and to say which key it is. The same for all. */
  readonly publicKey: Uint8Array;
  /** For `Program.run`; undefined for all but who added shares up. */
  readonly evaluationKeys: EvaluationKeys | undefined;
}

/**
 * A party at a key that several share. Each method is one protocol, which all who take part call with the same arguments and one `run`, each for itself; errors are those of `Cut.run`, and
 * PartyError `party.refused` where `approve` does not give true, `party.shared` for names that are none, or too few. What it takes for the others to be passive only, SECURITY.md says.
 */
export interface KeyParty extends Disposable {
  readonly name: string;
  /** Who shares the key. */
  readonly parties: readonly string[];
  readonly threshold: number | undefined;
  /**
   * Deals shares to all others, and keeps what they deal: where there is a threshold, before all else, by all; where it failed for one, again by all. A share is a secret of its receiver: `transport` has to hide it from everybody else. Save the
   * party afterwards.
   */
  deal(options: ProtocolOptions): Promise<void>;
  /**
   * Makes the public key and all evaluation keys of the program, in two rounds. The common polynomials follow from `run`: where it has to be done again, be it after a failure, it takes a
   * new one, since two keys over the same polynomials tell of the secrets: a party remembers the runs that it has used, also when it was saved since, and refuses them (`party.shared`). Save the party after this and after {@link refresh}: an older copy forgets.
   */
  makeKeys(options: MakeKeysOptions): Promise<JointKeys>;
  /**
   * Decrypts results of a run together; undefined for who does not learn them. Each who takes part has to know that they are results of the run that was agreed on. It counts, for each party, once the others are there. Errors: KeyError
   * `key.released` where it was done as often as the program was compiled for; `key.foreign` for results of another key; `noise.exhausted` where a share was none.
   */
  decrypt<T extends Record<string, any>>(
    results: ByName<T, Uint8Array>,
    options: DecryptTogetherOptions,
  ): Promise<Record<string, Decrypted> | undefined>;
  /**
   * Switches results to the public key of a receiver, a client of the program (`Client.publicKey`), who need not be there: the client's `decrypt` takes what `hub` gets; undefined for all others. It counts as {@link decrypt}
   * does.
   */
  switchTo<T extends Record<string, any>>(
    receiver: Uint8Array,
    results: ByName<T, Uint8Array>,
    options: SwitchOptions,
  ): Promise<Ciphertexts | undefined>;
  /**
   * Refreshes results together (collective bootstrapping), in one round: those of `results` that the program has refreshed (`refresh` of `Task.output`, `refreshed` of `Task.result`) become ciphertexts of the same values
   * with all levels and fresh noise, under the same key, which programs take as inputs that were compiled for them; `hub` gets them, undefined for all others. Nobody learns what they hold. It counts as {@link decrypt} does, since
   * what `hub` sees meanwhile has to hide the noise. `run` has to be a new one, as for {@link makeKeys}. Errors: as of {@link decrypt}; GraphError `task.invalid` where none of the results is one to refresh.
   */
  refresh<T extends Record<string, any>>(
    results: ByName<T, Uint8Array>,
    options: RefreshOptions,
  ): Promise<Ciphertexts | undefined>;
  /** How many decryptions it took part in, refreshing among them, as far as it and what it was saved as know. */
  released(options?: CallOptions): Promise<number>;
  /** Its secret and its share, from which it comes back: whoever has these of enough parties has the key. */
  save(options?: CallOptions): Promise<Uint8Array>;
  dispose(): void;
}
