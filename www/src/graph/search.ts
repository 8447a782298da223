/** Finding operators: by part of a name, by number, by a regular expression, by what they read. */
import { matching } from './expression.js';
import type { Pace } from './pace.js';
import type { StageGraph } from './stage-graph.js';

/** What is looked for in a stage; `undefined` where a stage can have none. */
export interface Query {
  /** What it is called in headings. */
  readonly text: string;
  /** Operators of a stage, ascending. Time is that of its number of operators, in slices. */
  find(graph: StageGraph, slices: Pace): Promise<Uint32Array>;
}

/** A query that cannot be read, or takes too long. */
export class QueryError extends Error {}

/** Which of some texts an expression is found in. */
export type Matching = (source: string, texts: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Reads a query: `limb.ntt`, a type, or a part of its name (of types and attributes, where no type has it); `#12` or `12`, an operator; `/ntt|mul/`, a regular expression over types
 * and attributes, `rotate {by=3}`; `reads x`, those that read an input of that name, or what such operators write (`reads #5`, `reads
 * /mul$/`). Errors: {@link QueryError} for an expression that is none, or nothing at all, and of `find` for one that takes too long.
 */
export function parseQuery(text: string, match: Matching = matching): Query {
  const trimmed = text.trim();
  const reads = /^(?:reads?\s*:?\s+|reads:)(.+)$/i.exec(trimmed)?.[1];
  if (reads !== undefined) return readersOf(reads.trim(), match);
  return named(trimmed, match);
}

function named(text: string, match: Matching): Query {
  if (text === '')
    throw new QueryError('expected a name, #number, /expression/ or “reads” and one of these; found nothing');
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  if (number !== undefined)
    return { text: `#${number}`, find: (graph) => Promise.resolve(single(Number(number), graph)) };
  const expression = /^\/(.+?)\/?$/.exec(text)?.[1];
  if (expression !== undefined) return byExpression(text, checkedExpression(expression), match);
  return {
    text,
    find: async (graph, slices) => {
      const exact = graph.ofType(text);
      if (exact.length > 0) return exact;
      const part = text.toLowerCase();
      const byType = await collect(graph, (type) => type.toLowerCase().includes(part), undefined, slices);
      if (byType.length > 0) return byType;
      return collect(
        graph,
        () => false,
        (label) => label.toLowerCase().includes(part),
        slices,
      );
    },
  };
}

function byExpression(text: string, source: string, match: Matching): Query {
  return {
    text,
    find: async (graph, slices) => {
      const texts = new Set(graph.view.types);
      const whole = (label: string, type: string): string => `${type} ${label}`;
      const listed = (label: string, type: string): boolean => (texts.add(whole(label, type)), false);
      await collect(graph, () => false, listed, slices);
      const found = await match(source, [...texts]).catch((error: unknown) => {
        throw new QueryError(`the expression was given up: ${(error as Error).message}`);
      });
      const isLabel = (label: string, type: string): boolean => found.has(whole(label, type));
      return collect(graph, (type) => found.has(type), isLabel, slices);
    },
  };
}

/** Errors: {@link QueryError}. */
function checkedExpression(source: string): string {
  try {
    return new RegExp(source, 'i').source;
  } catch (error) {
    throw new QueryError(error instanceof Error ? error.message : String(error));
  }
}

function single(op: number, graph: StageGraph): Uint32Array {
  return op < graph.size ? Uint32Array.of(op) : new Uint32Array();
}

/** Operators by type or, where that does not have it, by type and attributes: each pair is looked at once. */
async function collect(
  graph: StageGraph,
  isType: (type: string) => boolean,
  isLabel: ((label: string, type: string) => boolean) | undefined,
  slices: Pace,
): Promise<Uint32Array> {
  const { types, labels, type, label } = graph.view;
  const byType = types.map(isType);
  const known = new Map<number, boolean>();
  const found: number[] = [];
  for (let op = 0; op < graph.size; op++) {
    if (op % 1024 === 0) await slices();
    let is = byType[type[op]!]!;
    if (!is && isLabel !== undefined) {
      const pair = label[op]! * types.length + type[op]!;
      let seen = known.get(pair);
      if (seen === undefined) known.set(pair, (seen = isLabel(labels[label[op]!]!, types[type[op]!]!)));
      is = seen;
    }
    if (is) found.push(op);
  }
  return Uint32Array.from(found);
}

/** Those that read an input of a name, or what the operators of a query write. */
function readersOf(text: string, match: Matching): Query {
  const producers = named(text, match);
  return {
    text: `reads ${text}`,
    find: async (graph, slices) => {
      const wanted = new Uint8Array(graph.size + graph.view.inputNames.length);
      for (const op of await producers.find(graph, slices)) wanted[op] = 1;
      for (const [index, name] of graph.view.inputNames.entries())
        if (name === text) wanted[graph.size + index] = 1;
      const found: number[] = [];
      const { inputs, inputsStart } = graph.view;
      for (let op = 0; op < graph.size; op++) {
        if (op % 1024 === 0) await slices();
        for (let at = inputsStart[op]!; at < inputsStart[op + 1]!; at++) {
          const from = inputs[at]!;
          if (wanted[from < 0 ? graph.size - from - 1 : from] !== 1) continue;
          found.push(op);
          break;
        }
      }
      return Uint32Array.from(found);
    },
  };
}
