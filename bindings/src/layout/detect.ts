/** Static labels of a circuit's data, read off its graph [L1]. A table beside the circuit: nothing of it is in the graph. */
import { checkArgument, checkOptions, describe } from '../arguments.js';
import type { Circuit, Element } from '../graph-types.js';
import { readType } from '../type-text.js';
import type { CallOptions } from '../types.js';
import { type Category, categoryOf, type PortRole } from './category.js';
import { lettersOf } from './dimensions.js';
import { CIRCUIT, DETECT_OPTIONS } from './kinds.js';
import type { NumberType } from './numbers.js';
import type { LayoutPort } from './operator.js';
import { ADD } from './operators/add.js';
import { ofGraph } from './operators/index.js';
import { type StaticLabel, staticLabel } from './static-label.js';
import { wrong } from './wrong.js';

/** How labels are detected. */
export interface DetectOptions extends Pick<CallOptions, 'signal'> {
  /** Orders of dimensions by the name of an input or output, where they are not those that operators usually have. */
  readonly dims?: Readonly<Record<string, string>> | undefined;
}

/** A datum of a circuit. */
export interface DetectedNode {
  /** Of an input its name, of an operator's output `op 3`, numbered as in `Circuit.analyze`. */
  readonly node: string;
  /** The names under which it is an output of the circuit. */
  readonly outputs: readonly string[];
  /** Operators that give it: 0 or 1. */
  readonly inDegree: number;
  /** Operators that read it. */
  readonly outDegree: number;
  readonly role: PortRole;
  readonly category: Category;
  /** Undefined for what is no tensor, is one number, has more than six dimensions, or elements that labels do not name (`bit`, `i64`, `u64`). */
  readonly label: StaticLabel | undefined;
}

const TYPES: Readonly<Partial<Record<Element, NumberType>>> = {
  u8: 'uint8',
  i32: 'int32',
  u32: 'uint32',
  f32: 'float32',
  f64: 'float64',
};

/**
 * Labels of all data of a circuit, inputs first, then operators in order: degrees by counting who reads whom, also through views and merges; the role by the port of the operators that read it (a weight's where one is), or of the
 * one that gives it; dimensions as the port usually has them, or as they are given. Errors: those of `Circuit.graph` and `toText`; LayoutError `layout.label` for given dimensions that are none, or of another number than the datum has; InputError for no circuit, and for options that there are not.
 */
export async function detectLabels(
  circuit: Circuit,
  options: DetectOptions = {},
): Promise<readonly DetectedNode[]> {
  checkArgument('detectLabels, circuit', circuit, CIRCUIT);
  checkOptions('detectLabels', options, DETECT_OPTIONS);
  const { dims = {}, signal } = options;
  const [view, text] = await Promise.all([circuit.graph({ signal }), circuit.toText({ signal })]);
  const types = outputTypes(text);
  const inputs = circuit.inputs.length;
  // Data are numbered inputs first; views tell -(k + 1) for input k.
  const numberOf = (source: number): number => (source < 0 ? -source - 1 : inputs + source);
  const readers: { readonly operator: number; readonly port: LayoutPort | undefined }[][] = Array.from(
    { length: inputs + view.type.length },
    () => [],
  );
  view.type.forEach((type, operator) => {
    const [from = 0, to = 0] = [view.inputsStart[operator], view.inputsStart[operator + 1]];
    const known = ofGraph(view.types[type] ?? '');
    for (let at = from; at < to; at++) {
      // Where an operand is merged of several data, which is whose port nobody tells.
      const port = to - from === known?.ports.length ? known.ports[at - from] : undefined;
      readers[numberOf(view.inputs[at] ?? 0)]?.push({ operator, port });
    }
  });
  const names = readers.map((): string[] => []);
  for (const { name, op } of view.outputs) names[numberOf(op)]?.push(name);
  const given = new Set([...circuit.inputs.map(({ name }) => name), ...view.outputs.map(({ name }) => name)]);
  const stranger = Object.keys(dims).find((name) => !given.has(name));
  if (stranger !== undefined)
    throw wrong('layout.label', 'detectLabels, dims', describe(stranger), 'the name of an input or output');
  return readers.map((by, number): DetectedNode => {
    const operator = number - inputs;
    const own = operator < 0 ? undefined : (view.types[view.type[operator] ?? 0] ?? '');
    const port =
      by.find((one) => one.port?.role === 'weight')?.port ?? by.find((one) => one.port !== undefined)?.port;
    const constant = own === 'constant';
    const inDegree = operator < 0 || constant ? 0 : 1;
    const outDegree = new Set(by.map((one) => one.operator)).size;
    const role = port?.role ?? 'neuron';
    const outputs = names[number] ?? [];
    const category = categoryOf({ inDegree, outDegree, role, constant });
    const node = operator < 0 ? (circuit.inputs[number]?.name ?? '') : `op ${operator}`;
    const ports = operator < 0 ? circuit.inputs[number] : readType(types[operator] ?? '');
    const written = [node, ...outputs].flatMap((name) =>
      Object.hasOwn(dims, name) ? (dims[name] ?? []) : [],
    )[0];
    const label = labelOf(node, category, ports?.element, ports?.shape, written, port);
    return Object.freeze({
      node,
      outputs: Object.freeze(outputs),
      inDegree,
      outDegree,
      role,
      category,
      label,
    });
  });
}

function labelOf(
  node: string,
  category: Category,
  element: Element | undefined,
  shape: readonly number[] | undefined,
  written: string | undefined,
  port: LayoutPort | undefined,
): StaticLabel | undefined {
  const type = element && TYPES[element];
  if (written !== undefined) {
    const letters = lettersOf('layout.label', `detectLabels, dims of ${describe(node)}`, written);
    if (letters.length !== shape?.length)
      throw wrong(
        'layout.label',
        `detectLabels, dims of ${describe(node)}`,
        written,
        `letters for ${shape?.length ?? 'no'} dimensions`,
      );
  }
  if (type === undefined || shape === undefined) return undefined;
  const usual = [...(port?.usual ?? []), ...(ADD.ports[0]?.usual ?? [])].find(
    (order) => order.length === shape.length,
  );
  const dims = written ?? usual;
  return dims === undefined ? undefined : staticLabel({ category, type, dims, sizes: shape });
}

/** The type of each operator's output, in the order of the text form. */
function outputTypes(text: string): readonly string[] {
  const types = new Map(
    [...text.matchAll(/^type (!\d+) = (.*)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
  );
  return [...text.matchAll(/^op [^\n]* : (!\d+) \[\d+,\d+\)/gm)].map(
    ([, name = '']) => types.get(name) ?? '',
  );
}
