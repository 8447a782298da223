/** The management node's half [V11]: one run of a job's rounds. */
import { failure } from '../errors.js';
import { type Kind, KINDS } from './kinds.js';
import type { JobLog } from './log.js';
import { hashOfModule } from './operators/modules.js';
import { runPhase } from './phase-run.js';
import { phasesOf } from './phases.js';
import { chooseKind, type Choices, Measurements, type Times } from './placement.js';
import { PVar } from './templates.js';
import type { SubOperator } from './split-operator.js';
import type { Ref } from './store.js';
import type { JobDefinition, Round } from './types.js';
import { Vector } from './vector.js';
import type { Chunk, Crew, GlobalRef, Hearing, Task, TaskResult } from './work.js';

/** What a job has when its rounds begin. */
export interface RunSettings {
  readonly definition: JobDefinition;
  readonly crew: Crew;
  /** Inputs by name; results that have names join them. */
  readonly vectors: Map<string, Vector>;
  readonly globals: Map<string, GlobalRef>;
  readonly log: JobLog;
  /** How kinds are chosen, where it is not as the seed says. */
  readonly placement: Pick<Choices, 'table' | 'threshold'>;
  readonly signal: AbortSignal;
}

/** The one chunk of a global. */
export async function globalRef(global: Vector): Promise<GlobalRef> {
  let ref: Ref | undefined;
  for await (const chunk of global.pieces()) ref = chunk.ref;
  return { chunk: ref as Ref, keep: global.template.template === 'PVar' };
}

/** What a round is over: of `DirMap` nothing. */
function overOf(
  { map, over }: Round,
  last: Vector | undefined,
  vectors: ReadonlyMap<string, Vector>,
): Vector | undefined {
  if (map === 'DirMap') return undefined;
  return over === undefined ? last : vectors.get(over);
}

/** What results are shows when they are there. Errors: JobError `job.definition`. */
function checkMatrix(index: number, { map }: Round, over: Vector | undefined): void {
  if (map !== 'MatrixMap' || over === undefined || over.rows === 0) return;
  const found = over.template.template;
  if (found === 'SparseMatrix') return;
  const problem = `round ${index}: expected results that are a SparseMatrix, which MatrixMap reads, found a ${found}`;
  throw failure('job.definition', problem, { found, expected: 'SparseMatrix', round: index });
}

/** One run. */
export class JobRun {
  readonly crew: Crew;
  /** Aborts with the caller's, or with the first error. */
  readonly signal: AbortSignal;
  readonly #failed = new AbortController();
  readonly #settings: RunSettings;
  readonly #hearing: Hearing;
  readonly #measurements = new Measurements();
  /** What is in the store because of this run, and not dropped. */
  readonly #live = new Map<string, Ref>();
  /** Results that became globals. */
  readonly #ownGlobals: Vector[] = [];
  readonly #blobs = new Map<Uint8Array, Promise<Ref>>();
  readonly #modules = new Map<string, Promise<string | undefined>>();
  /** Rows that workers of a kind have still to do. */
  readonly #queued = new Map<Kind, number>();

  constructor(settings: RunSettings) {
    const { crew, log, signal } = settings;
    this.crew = crew;
    this.signal = AbortSignal.any([signal, this.#failed.signal]);
    this.#settings = settings;
    // One for the whole run: crews count its lines.
    this.#hearing = { signal: this.signal, log: (line) => log.append(line) };
  }

  /** Does all rounds, and gives what the last one gave. After an error nothing that it made is left in the store. Errors: those of `Crew.run`, JobError. */
  async rounds(): Promise<Vector> {
    const { definition, vectors, log } = this.#settings;
    log.begin(definition.rounds.length);
    try {
      let last: Vector | undefined = vectors.size === 1 ? [...vectors.values()][0] : undefined;
      for (const [index, round] of definition.rounds.entries()) {
        const over = overOf(round, last, vectors);
        const result = await this.#round(index, round, over);
        if (round.as !== undefined) vectors.set(round.as, result);
        if (round.global !== undefined) await this.#setGlobal(round.global, result);
        // What has no name is read by the next round, or by nobody.
        if (last !== over && last !== undefined && ![...vectors.values()].includes(last)) await last.drop();
        last = result;
        log.roundDone();
      }
      return last as Vector;
    } catch (error) {
      await this.crew.store.drop([...this.#live.values()]).catch(() => {});
      throw error;
    } finally {
      const blobs = await Promise.all(this.#blobs.values()).catch(() => []);
      await this.crew.store.drop(blobs).catch(() => {});
      await Promise.allSettled(this.#ownGlobals.map((global) => global.drop()));
    }
  }

  /** Ends all that is under way. */
  fail(error: unknown): void {
    this.#failed.abort(error);
  }

  async #round(index: number, round: Round, over: Vector | undefined): Promise<Vector> {
    checkMatrix(index, round, over);
    const phases = phasesOf(round.operator, this.#settings.definition);
    const isLast = (number: number): boolean => number === phases.length - 1;
    let vector = over;
    for (const [number, phase] of phases.entries()) {
      vector = await runPhase(this, {
        name: `${index}-${number}`,
        round: index,
        // Only the first operator of a sequence is called as the map says; the others, with each row of what came of it.
        settings: number === 0 ? round : { map: 'VectorMap', operator: round.operator },
        reduce: isLast(number) ? round.reduce : undefined,
        result: isLast(number) ? round.result : undefined,
        phase,
        over: vector,
        keep: number === 0 && this.#isKept(index, over),
        goesOn: index + 1 < this.#settings.definition.rounds.length,
      });
    }
    return vector as Vector;
  }

  /** Whether a vector is read after a round: by a later one, or by who asks for a result by its name. */
  #isKept(index: number, vector: Vector | undefined): boolean {
    const { definition, vectors } = this.#settings;
    const named = (name: string | undefined): boolean => name !== undefined && vectors.get(name) === vector;
    const later = definition.rounds.slice(index + 1);
    return later.some(({ over }) => named(over)) || definition.rounds.some((round) => named(round.as));
  }

  async #setGlobal(name: string, result: Vector): Promise<void> {
    const global = new Vector(`global "${name}"`, PVar(), this.crew.store, 1);
    this.#ownGlobals.push(global);
    global.read(result.getItr());
    this.#settings.globals.set(name, await globalRef(global));
  }

  /** Puts bytes into the store. */
  async put(bytes: Uint8Array): Promise<Ref> {
    const ref = await this.crew.store.put(bytes);
    this.keep(ref);
    return ref;
  }

  /** What is there belongs to the run. */
  keep(ref: Ref): void {
    this.#live.set(ref.name, ref);
  }

  /** Bytes of a circuit or program, which are put there once. */
  blob(bytes: Uint8Array): Promise<Ref> {
    const known = this.#blobs.get(bytes) ?? this.put(bytes);
    this.#blobs.set(bytes, known);
    return known;
  }

  /** SHA-256 of a module when this was first asked for: what all tasks of the run are to run. Undefined where it cannot be read here. */
  hashOf(module: string): Promise<string | undefined> {
    const known = this.#modules.get(module) ?? hashOfModule(module).catch(() => undefined);
    this.#modules.set(module, known);
    return known;
  }

  /** Forgets chunks. */
  async drop(chunks: readonly Chunk[]): Promise<void> {
    const refs = chunks.map(({ ref }) => ref);
    for (const { name } of refs) this.#live.delete(name);
    if (refs.length > 0) await this.crew.store.drop(refs);
  }

  /** Kinds of which the crew has workers. */
  get kinds(): readonly Kind[] {
    const { workers } = this.crew;
    return KINDS.filter((kind) => (workers[kind] ?? 0) > 0);
  }

  /** Where a sub-operator is done. `id`: under which its times are kept; `rows`: how many, of so many `bytes`. */
  kindOf({ operator, traits }: SubOperator, id: string, rows: number, bytes: number): Kind {
    // What a program computes are residues.
    const { type = operator.kind === 'program' ? 'int' : 'float', need, processor: pin } = traits;
    const { kinds } = this;
    const placing = { type, need: need === undefined ? 2 * bytes : need * rows, pin };
    const measured = this.#measurements.times(id);
    const chosen = chooseKind(placing, { ...this.#settings.placement, kinds, measured });
    if (pin !== undefined || operator.kind !== 'function') return chosen;
    const others = kinds.filter((kind) => operator.on !== undefined && Object.hasOwn(operator.on, kind));
    return this.#soonest(chosen, [...new Set([chosen, 'cpu' as const, ...others])], measured, rows);
  }

  /**
   * The kind whose workers would be done first. A kind for which an operator has a function, and which has done nothing yet, is tried when the chosen one is
   * busy: only so is it ever measured.
   */
  #soonest(chosen: Kind, kinds: readonly Kind[], measured: Times, rows: number): Kind {
    const end = (kind: Kind): number => {
      const workers = this.crew.workers[kind] ?? 0;
      const queued = this.#queued.get(kind) ?? 0;
      if (workers === 0) return Infinity;
      const time = measured[kind];
      if (time !== undefined) return ((queued + rows) * time) / workers;
      return kind === chosen || queued > 0 ? Number.MAX_VALUE : 0;
    };
    if (measured[chosen] === undefined && (this.#queued.get(chosen) ?? 0) === 0) return chosen;
    return kinds.reduce((best, kind) => (end(kind) < end(best) ? kind : best), chosen);
  }

  /** Has a task done; its result counts once. `measured`: under which name its time for so many rows is kept. */
  async task(task: Omit<Task, 'globals'>, rows: number, measured: string | undefined): Promise<TaskResult> {
    const { log, globals } = this.#settings;
    log.plan(task.id);
    const { kind } = task;
    const queue = (more: number): void => void this.#queued.set(kind, (this.#queued.get(kind) ?? 0) + more);
    queue(rows);
    try {
      const result = await this.crew.run({ ...task, globals: Object.fromEntries(globals) }, this.#hearing);
      for (const { ref } of result.chunks) this.keep(ref);
      this.signal.throwIfAborted();
      if (measured !== undefined) this.#measurements.record(measured, kind, rows, result.milliseconds);
      log.ended(task.id);
      return result;
    } finally {
      queue(-rows);
    }
  }
}
