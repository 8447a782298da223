/** What was made of a text, stage by stage: each was expanded or optimized from one before, and can be gone back to. */
import type { Circuit, GraphView } from 'cipherloom';
import type { DetectedNode } from 'cipherloom/layout';
import type { Stop } from '../graph/explorer.js';
import { GraphText } from '../graph/graph-text.js';
import { OperatorSets } from '../graph/sets.js';
import { StagedGraphs, type StageSource } from '../graph/staged-graphs.js';

/** How a stage came from the one before. */
export type Making = 'open' | 'expand' | 'optimize';

const MEANINGS: Readonly<Record<Making, string>> = {
  open: 'As it is written. ',
  expand: 'Operators that can be expanded became lower ones; an open box shows what became of it. ',
  optimize: 'The same with less to do. ',
};

/** A stage. */
export class Made implements StageSource {
  readonly name: string;
  readonly circuit: Circuit;
  readonly making: Making;
  /** The stage that it was made of; undefined for the first. */
  readonly from: Made | undefined;
  readonly stop: Stop;
  #text: Promise<GraphText> | undefined;
  #view: Promise<GraphView> | undefined;
  #sets: Promise<OperatorSets> | undefined;
  #labels: Promise<readonly DetectedNode[]> | undefined;

  constructor(
    name: string,
    circuit: Circuit,
    making: Making,
    from: Made | undefined,
    unit: number,
    id: string,
  ) {
    this.name = name;
    this.circuit = circuit;
    this.making = making;
    this.from = from;
    const chain = this.#chain();
    this.stop = {
      id,
      title: name,
      meaning: MEANINGS[making],
      operators: circuit.operators,
      depth: undefined,
      graphs: new StagedGraphs(chain, { unit, endsAtBase: false, joinsUnchanged: true }),
      stage: chain.length - 1,
      waves: true,
      sets: () => this.sets(),
      text: async () => (await this.text()).text,
    };
  }

  /** The stage whose operators this one's came from: passes leave that as it is. */
  get above(): Made | undefined {
    return this.making === 'optimize' ? this.from?.above : this.from;
  }

  text(): Promise<GraphText> {
    return (this.#text ??= this.circuit.toText().then((text) => new GraphText(text)));
  }

  view(): Promise<GraphView> {
    return (this.#view ??= this.#load());
  }

  sets(): Promise<OperatorSets> {
    this.#sets ??= Promise.all([this.circuit.analyze(), this.text()]).then(
      ([analysis, text]) => new OperatorSets(analysis, text),
    );
    return this.#sets;
  }

  /** Of its operators. */
  labels(): Promise<readonly DetectedNode[]> {
    const { circuit } = this;
    this.#labels ??= import('cipherloom/layout').then(async ({ detectLabels }) =>
      (await detectLabels(circuit)).slice(circuit.inputs.length),
    );
    return this.#labels;
  }

  async #load(): Promise<GraphView> {
    const view = await this.circuit.graph();
    // A text may be one that was printed of a later stage: what its operators came from is not here.
    return this.above === undefined ? { ...view, parent: view.parent.map(() => -1) } : view;
  }

  #chain(): Made[] {
    const { above } = this;
    return above === undefined ? [this] : [...above.#chain(), this];
  }
}

/** All stages of one text. */
export class Stages {
  #all: Made[] = [];
  #unit = 8;
  #next = 0;

  get all(): readonly Made[] {
    return this.#all;
  }

  /** Starts anew. */
  open(circuit: Circuit, unit: number): Made {
    this.clear();
    this.#unit = unit;
    return this.#add('Text', circuit, 'open', undefined);
  }

  /** Adds a stage made of `from`; what was made of that before ends. */
  add(name: string, circuit: Circuit, making: Exclude<Making, 'open'>, from: Made): Made {
    const kept = this.#all.indexOf(from) + 1;
    for (const { circuit } of this.#all.splice(kept)) circuit.dispose();
    return this.#add(name, circuit, making, from);
  }

  clear(): void {
    for (const { circuit } of this.#all.splice(0)) circuit.dispose();
  }

  of(stop: Stop): Made | undefined {
    return this.#all.find((made) => made.stop === stop);
  }

  #add(name: string, circuit: Circuit, making: Making, from: Made | undefined): Made {
    const made = new Made(name, circuit, making, from, this.#unit, String(this.#next++));
    this.#all.push(made);
    return made;
  }
}
