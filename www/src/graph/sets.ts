/** Who waits for whom, and in which units they meet: the dependency and notification sets of a circuit's operators. */
import type { Analysis } from 'cipherloom';
import { type GraphText, type Interval, meet } from './graph-text.js';

export type { Interval };

/** An operator of a set, and the units that put it there. */
export interface Covered {
  readonly op: number;
  readonly units: readonly Interval[];
}

/** Units that come from no operator: of an input, or, without a name, of nobody. */
export interface Outside {
  readonly name: string | undefined;
  readonly units: readonly Interval[];
}

export class OperatorSets {
  readonly #analysis: Analysis;
  readonly #text: GraphText;

  constructor(analysis: Analysis, text: GraphText) {
    this.#analysis = analysis;
    this.#text = text;
  }

  /** Whom an operator waits for: who writes what it reads. */
  dependencies(op: number): Covered[] {
    const reads = this.#text.reads(op);
    return Array.from(this.#analysis.operators[op]!.dependsOn, (other) => ({
      op: other,
      units: meet(reads, this.#text.writes(other)),
    }));
  }

  /** Who waits for an operator: who reads what it writes. */
  notifications(op: number): Covered[] {
    const writes = this.#text.writes(op);
    return Array.from(this.#analysis.operators[op]!.notifies, (other) => ({
      op: other,
      units: meet(this.#text.reads(other), writes),
    }));
  }

  /** What an operator reads of the graph's inputs. */
  inputs(op: number): Outside[] {
    const reads = this.#text.reads(op);
    return this.#text.inputs
      .map(({ name, units }) => ({ name, units: meet(reads, units) }))
      .filter(({ units }) => units.length > 0);
  }
}
