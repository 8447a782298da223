/** The expression builder: turns what a person writes into a TaskLiteral. Pure data, no wasm. */
import {
  checkArgument,
  checkOptions,
  COLUMN_OPTIONS,
  describe,
  isName,
  MOMENT_OPTIONS,
  PLAIN,
} from './arguments.js';
import { MAX_UNITS, scaled } from './columns.js';
import { failure } from './errors.js';
import { decimalsOf, powerOfTen, toUnits } from './exact.js';
import type {
  ColumnOptions,
  EncryptedColumn,
  Layout,
  MomentOptions,
  Plain,
  Statistic,
  StatisticKind,
  Task,
  TaskLiteral,
} from './types.js';

const MAX_ROWS = 2 ** 24;
/** Most rows of a ring: half of the slots of the largest ring dimension. */
const MAX_RING_ROWS = 2 ** 14;
/** Largest magnitude of a known number in units; no result is that large. */
const MAX_PLAIN = 2n ** 126n - 1n;
/** Most decimals that a 62-bit integer can keep. */
const MAX_DECIMALS = 18;

type Attributes = Record<string, string | number | string[]>;

/** An operand: a declared input, or what an operator made of operands. */
type Operand =
  | { readonly input: number }
  | {
      readonly node: number;
      readonly op: string;
      readonly operands: readonly Operand[];
      readonly attrs: Attributes;
    };

/** A new empty task. Needs no wasm; `Loom.compile` takes it. */
export function createTask(): Task {
  return new TaskBuilder();
}

/** See {@link Task}. */
export class TaskBuilder implements Task {
  readonly #inputs: TaskLiteral['inputs'] = [];
  readonly #nodes: Extract<Operand, { op: string }>[] = [];
  readonly #outputs = new Map<string, Expression>();

  encrypted(name: string, options: ColumnOptions): EncryptedColumn {
    this.#checkName(
      'input',
      name,
      this.#inputs.some((input) => input.name === name),
    );
    checkOptions(`encrypted("${name}")`, options, COLUMN_OPTIONS);
    const { rows, decimals = 0, missing = false, layout = 'column', rings = 1 } = options;
    checkRings(name, layout, rings);
    if (missing && layout === 'slots') {
      throw failure('graph.missing', `Input "${name}": rows of layout "slots" cannot be missing`, {
        input: name,
        layout,
      });
    }
    const mostRows = layout === 'slots' ? rings * MAX_RING_ROWS : MAX_ROWS;
    if (!Number.isInteger(rows) || rows < 1 || rows > mostRows || rows % rings !== 0) {
      const where = `Input "${name}"${layout === 'slots' ? ` of layout "slots" with rings: ${rings}` : ''}`;
      const equal = rings === 1 ? '' : ', an equal number for each ring';
      throw failure(
        'parameters.rows',
        `${where}: rows must be 1 to ${mostRows}${equal}, found ${describe(rows)}`,
        { input: name, found: rows, expected: { min: 1, max: mostRows, multipleOf: rings } },
      );
    }
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS) {
      throw failure(
        'parameters.decimals',
        `Input "${name}": decimals must be 0 to ${MAX_DECIMALS}, found ${describe(decimals)}`,
        {
          input: name,
          found: decimals,
          expected: { min: 0, max: MAX_DECIMALS },
        },
      );
    }
    const { min, max } = bounds(name, options, decimals);
    this.#inputs.push({ name, rows, min: `${min}`, max: `${max}`, missing, layout, rings, decimals });
    return new Column(this, { input: this.#inputs.length - 1 }, { rows, decimals, layout, rings, missing });
  }

  output(name: string, expression: EncryptedColumn | Statistic): void {
    this.#checkName('output', name, this.#outputs.has(name));
    const of = ofTask(this, `output("${name}")`, expression, Expression, 'an expression');
    if (of instanceof Column && of.missing) {
      const problem = `Output "${name}": a column with missing rows has statistics only, and cannot be an output`;
      throw failure('graph.missing', problem, { output: name });
    }
    this.#outputs.set(name, of);
  }

  literal(): TaskLiteral {
    if (this.#outputs.size === 0)
      throw failure('graph.no_outputs', 'The task has no output: call task.output(name, expression)');
    const number = (operand: Operand): number =>
      'input' in operand ? operand.input : this.#inputs.length + operand.node;
    return {
      inputs: this.#inputs.map((input) => ({ ...input })),
      nodes: this.#nodes.map(({ op, operands, attrs }) => ({ op, inputs: operands.map(number), attrs })),
      outputs: [...this.#outputs].map(([name, expression]) => ({
        name,
        operand: number(expression.operand),
        decimals: expression.decimals,
      })),
    };
  }

  /** Adds an operator and returns its result. */
  node(op: string, operands: readonly Operand[], attrs: Attributes = {}): Operand {
    const node = { node: this.#nodes.length, op, operands, attrs };
    this.#nodes.push(node);
    return node;
  }

  #checkName(what: string, name: string, taken: boolean): void {
    if (isName(name) && !taken) return;
    const problem = taken
      ? 'is taken'
      : 'cannot be one: expected well-formed text of at most 256 bytes, and not "__proto__"';
    throw failure('graph.name', `The ${what} name ${describe(name)} ${problem}`, { [what]: name });
  }
}

/** Anything that can be an output. */
abstract class Expression {
  readonly task: TaskBuilder;
  readonly operand: Operand;
  readonly decimals: number;

  constructor(task: TaskBuilder, operand: Operand, decimals: number) {
    this.task = task;
    this.operand = operand;
    this.decimals = decimals;
  }
}

class NumberOfColumn extends Expression implements Statistic {
  readonly kind: StatisticKind;

  constructor(kind: StatisticKind, task: TaskBuilder, operand: Operand, decimals: number) {
    super(task, operand, decimals);
    this.kind = kind;
  }
}

/** What is known of a column's values. */
interface Facts {
  readonly rows: number;
  readonly decimals: number;
  readonly layout: Layout;
  readonly rings: number;
  readonly missing: boolean;
}

class Column extends Expression implements EncryptedColumn {
  readonly rows: number;
  readonly layout: Layout;
  readonly rings: number;
  readonly missing: boolean;

  constructor(task: TaskBuilder, operand: Operand, { rows, decimals, layout, rings, missing }: Facts) {
    super(task, operand, decimals);
    this.rows = rows;
    this.layout = layout;
    this.rings = rings;
    this.missing = missing;
  }

  add(other: EncryptedColumn | Plain): EncryptedColumn {
    if (isColumn(other)) return this.#aligned('column.add', this.#mate(other));
    return this.#addPlain('add', plainColumn('add', other, this.rows));
  }

  sub(other: EncryptedColumn | Plain): EncryptedColumn {
    if (isColumn(other)) return this.#aligned('column.sub', this.#mate(other));
    const plain = plainColumn('sub', other, this.rows);
    return this.#addPlain('sub', { ...plain, units: plain.units.map((units) => -units) });
  }

  multiply(other: EncryptedColumn | Plain): EncryptedColumn {
    if (isColumn(other)) {
      const mate = this.#mate(other);
      return this.#derive('column.multiply', [this, mate], {}, this.decimals + mate.decimals);
    }
    const plain = plainColumn('multiply', other, this.rows);
    const attrs = attributes('multiply', plain);
    return this.#derive('column.multiply_plain', [this], attrs, this.decimals + plain.decimals);
  }

  negate(): EncryptedColumn {
    return this.#derive('column.negate', [this]);
  }

  rotateRows(steps: number): EncryptedColumn {
    this.#needSlots('rotateRows');
    if (!Number.isSafeInteger(steps)) {
      throw failure(
        'graph.steps',
        `rotateRows takes a whole number of steps below 2^53, found ${describe(steps)}`,
        {
          found: describe(steps),
        },
      );
    }
    return this.#derive('column.rotate_rows', [this], { steps });
  }

  rotateColumns(): EncryptedColumn {
    this.#needSlots('rotateColumns');
    if (this.rings !== 2) {
      throw failure('graph.layout', 'rotateColumns needs a column declared with rings: 2', {
        found: { rings: this.rings },
        expected: { rings: 2 },
      });
    }
    return this.#derive('column.rotate_columns', [this]);
  }

  count(): Statistic {
    return this.#statistic('count', [this], 0);
  }

  sum(): Statistic {
    return this.#statistic('sum', [this], this.decimals);
  }

  mean(): Statistic {
    return this.#statistic('mean', [this], this.decimals);
  }

  variance(options?: MomentOptions): Statistic {
    return this.#statistic('variance', [this], 2 * this.decimals, moment('variance', options));
  }

  covariance(other: EncryptedColumn, options?: MomentOptions): Statistic {
    const mate = this.#mate(other);
    return this.#statistic(
      'covariance',
      [this, mate],
      this.decimals + mate.decimals,
      moment('covariance', options),
    );
  }

  correlation(other: EncryptedColumn): Statistic {
    return this.#statistic('correlation', [this, this.#mate(other)], 0);
  }

  #derive(op: string, columns: readonly Column[], attrs?: Attributes, decimals = this.decimals): Column {
    if (columns.some(({ missing }) => missing)) {
      throw failure(
        'graph.missing',
        'A column with missing rows has statistics only, no operations by rows',
        { operator: op },
      );
    }
    const operand = this.task.node(
      op,
      columns.map((column) => column.operand),
      attrs,
    );
    return new Column(this.task, operand, { ...this, decimals });
  }

  #statistic(
    kind: StatisticKind,
    columns: readonly Column[],
    decimals: number,
    attrs?: Attributes,
  ): Statistic {
    const operand = this.task.node(
      `stats.${kind}`,
      columns.map((column) => column.operand),
      attrs,
    );
    return new NumberOfColumn(kind, this.task, operand, decimals);
  }

  #aligned(op: string, other: Column): Column {
    const decimals = Math.max(this.decimals, other.decimals);
    const column = this.#withDecimals(decimals);
    return column.#derive(op, [column, other.#withDecimals(decimals)]);
  }

  #addPlain(method: string, plain: PlainColumn): Column {
    const decimals = Math.max(this.decimals, plain.decimals);
    const factor = powerOfTen(decimals - plain.decimals);
    const scaled = { ...plain, units: plain.units.map((units) => units * factor) };
    const column = this.#withDecimals(decimals);
    return column.#derive('column.add_plain', [column], attributes(method, scaled));
  }

  /** The same values in finer units. */
  #withDecimals(decimals: number): Column {
    if (decimals === this.decimals) return this;
    const factor = { units: [powerOfTen(decimals - this.decimals)], isList: false, decimals: 0 };
    return this.#derive('column.multiply_plain', [this], attributes('Aligning decimals', factor), decimals);
  }

  /** The other operand, if it can be one. */
  #mate(operand: EncryptedColumn): Column {
    const other = ofTask(this.task, 'The other column', operand, Column, 'a column');
    if (other.rows !== this.rows) {
      throw failure('graph.rows', `Columns of ${this.rows} and ${other.rows} rows cannot be combined`, {
        found: other.rows,
        expected: this.rows,
      });
    }
    if (other.layout !== this.layout || other.rings !== this.rings) {
      const [found, expected] = [other, this].map(({ layout, rings }) => ({ layout, rings }));
      const shown = [this, other].map(({ layout, rings }) =>
        layout === 'slots' ? `"slots" with rings: ${rings}` : `"${layout}"`,
      );
      throw failure('graph.layout', `Columns of layout ${shown.join(' and ')} cannot be combined`, {
        found,
        expected,
      });
    }
    return other;
  }

  #needSlots(operation: string): void {
    if (this.layout === 'slots') return;
    throw failure('graph.layout', `${operation} needs a column declared with layout "slots"`, {
      found: this.layout,
      expected: 'slots',
    });
  }
}

function isColumn(other: EncryptedColumn | Plain): other is EncryptedColumn {
  return other instanceof Expression;
}

function moment(method: string, options: MomentOptions = {}): Attributes {
  checkOptions(method, options, MOMENT_OPTIONS);
  return { population: options.population === true ? 1 : 0 };
}

/** Plain numbers as integers of 10^-decimals, with the fewest decimals that all of them need. */
interface PlainColumn {
  /** One per row, or a single one for all rows. */
  readonly units: readonly bigint[];
  readonly isList: boolean;
  readonly decimals: number;
}

/** Errors: OutOfRangeError for what the core has no integer for. */
function attributes(method: string, { units, isList }: PlainColumn): Attributes {
  const row = units.findIndex((one) => one < -MAX_PLAIN || one > MAX_PLAIN);
  if (row >= 0) {
    const which = isList ? `, row ${row} (counted from 0)` : '';
    const problem = `${method}${which}: a known number with all decimals exceeds 126 bits`;
    throw failure('range.integer', problem, { row, expected: { max: `${MAX_PLAIN}` } });
  }
  return isList ? { values: units.map(String) } : { scalar: `${units[0]}` };
}

function plainColumn(method: string, plain: Plain, rows: number): PlainColumn {
  checkArgument(method, plain, PLAIN);
  if (typeof plain === 'object' && plain.length !== rows) {
    throw failure('input.length', `Plain column: expected ${rows} rows, found ${plain.length}`, {
      found: plain.length,
      expected: rows,
    });
  }
  const values = typeof plain === 'object' ? Array.from(plain) : [plain];
  const bad = values.findIndex((value) => typeof value !== 'bigint' && !Number.isFinite(value));
  if (bad >= 0) {
    const which = typeof plain === 'object' ? `${method}, row ${bad} (counted from 0)` : method;
    const found = describe(values[bad]);
    const problem = `${which}: expected a finite number, found ${found}`;
    throw failure('input.not_a_number', problem, { where: which, found });
  }
  const decimals = values.reduce((most: number, value) => Math.max(most, decimalsOf(value)), 0);
  const units = values.map((value, row) => scaled(method, row, value, decimals, true));
  return { units, isList: typeof plain === 'object', decimals };
}

/** Errors: ParameterError. */
function checkRings(name: string, layout: Layout, rings: unknown): void {
  if (rings === 1 || (rings === 2 && layout === 'slots')) return;
  const expected = layout === 'slots' ? '1 or 2' : '1, since layout "column" has none';
  throw failure('parameters.rings', `Input "${name}": rings must be ${expected}, found ${describe(rings)}`, {
    input: name,
    found: rings,
    expected,
  });
}

function bounds(name: string, { min, max }: ColumnOptions, decimals: number): { min: bigint; max: bigint } {
  const low = bound(name, 'min', min, decimals);
  const high = bound(name, 'max', max, decimals);
  if (low > high) {
    throw failure('parameters.bounds', `Input "${name}": min ${min} is greater than max ${max}`, {
      input: name,
      found: { min: String(min), max: String(max) },
    });
  }
  if (low < -MAX_UNITS || high > MAX_UNITS) {
    throw failure(
      'range.integer',
      `Input "${name}": with ${decimals} decimals, ${min}..${max} exceeds 62-bit integers`,
      {
        input: name,
        found: { min: `${low}`, max: `${high}` },
        expected: { min: `${-MAX_UNITS}`, max: `${MAX_UNITS}` },
      },
    );
  }
  return { min: low, max: high };
}

function bound(name: string, which: 'min' | 'max', value: number | bigint, decimals: number): bigint {
  const isNumber = typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
  const units = isNumber ? toUnits(value, decimals) : undefined;
  if (units !== undefined) return units;
  throw failure(
    'parameters.bounds',
    `Input "${name}": ${which} must be a number of at most ${decimals} decimals, found ${describe(value)}`,
    {
      input: name,
      bound: which,
      found: describe(value),
      expected: { decimals },
    },
  );
}

/** An expression of this task. Errors: InputError if it is none of the kind, GraphError if it is another task's. */
function ofTask<T extends Expression>(
  task: TaskBuilder,
  where: string,
  value: unknown,
  kind: abstract new (...args: never[]) => T,
  what: string,
): T {
  if (value instanceof kind && value.task === task) return value;
  const expected = `${what} of this task`;
  if (value instanceof kind)
    throw failure('graph.foreign', `${where}: expected ${expected}, found one of another task`);
  const found = value instanceof NumberOfColumn ? `the statistic "${value.kind}"` : describe(value);
  throw failure('input.type', `${where}: expected ${expected}, found ${found}`, { where, found, expected });
}
