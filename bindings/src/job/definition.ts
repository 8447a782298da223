/** Definitions of jobs, checked as a whole before any data are read: what comes out of here breaks no rule that can be told without data. */
import { describe, isName, tag } from '../arguments.js';
import { failure } from '../errors.js';
import { type Kind, KINDS } from './kinds.js';
import { BUILT_IN } from './split-operator.js';
import { MOST_PARTS, TEMPLATE_NAMES } from './templates.js';
import type {
  FunctionOperator,
  GlobalTemplate,
  If,
  JobDefinition,
  Library,
  Loop,
  MapName,
  Operator,
  Round,
  Sequence,
  Template,
  TemplateName,
  Traits,
  While,
} from './types.js';

/** Most threads of a worker. */
export const MOST_THREADS = 256;
/** Most operators of a definition, and most that one of its rounds comes to with operators in the place of names: a few names can stand for more than any memory holds. */
export const MOST_OPERATORS = 10_000;
/** Most levels of operators within operators, names included. */
export const MOST_DEPTH = 64;

const GLOBAL_TEMPLATES: readonly GlobalTemplate['template'][] = ['Var', 'PVar'];
const MAPS: readonly MapName[] = ['VectorMap', 'MatrixMap', 'GlobalMap', 'CrossMap', 'TaskMap', 'DirMap'];
const TRAITS = ['type', 'need', 'processor'];
/** Properties of operators of each kind. */
const OPERATORS: Readonly<Record<Operator['kind'], readonly string[]>> = {
  function: ['module', 'name', 'on'],
  circuit: ['bytes'],
  program: ['bytes', 'keys'],
  sequence: ['steps'],
  for: ['from', 'to', 'parts', 'independent', 'body'],
  while: ['condition', 'body', 'most'],
  if: ['condition', 'then', 'otherwise'],
};
const ROUND = [
  'map',
  'operator',
  'over',
  'reduce',
  'result',
  'as',
  'global',
  'threads',
  'directory',
  'shared',
];

/**
 * Checks a definition. Gives a frozen copy of all but bytes and files, where things by name have no prototype (any name is safe to look up), and whose first round says what it
 * reads: the only input, where the definition does not say. Errors: JobError `job.definition` with details `found`, `expected` and `at`, such as
 * `rounds[1].operator.steps[0]`.
 */
export function checkDefinition(definition: unknown): JobDefinition {
  const read = new Reader();
  const what = 'the definition of a job';
  const fields = read.fields('', definition, what, ['inputs', 'globals', 'rounds', 'library', 'operators']);
  const { inputs, globals, library, operators } = fields;
  const rounds = read.list('rounds', fields['rounds'], 'an array of at least one round');
  const checked: JobDefinition = Object.freeze({
    ...(inputs !== undefined && {
      inputs: read.named('inputs', inputs, (at, value) => read.template(at, value)),
    }),
    ...(globals !== undefined && {
      globals: read.named('globals', globals, (at, value) => read.globalTemplate(at, value)),
    }),
    rounds: Object.freeze(rounds.map((round, index) => read.round(`rounds[${index}]`, round))),
    ...(library !== undefined && { library: read.library('library', library) }),
    ...(operators !== undefined && { operators: read.library('operators', operators) }),
  });
  const operatorNames = new OperatorNames(checked);
  operatorNames.check();
  return new Vectors(checked, operatorNames).checked();
}

/** An operator that a user makes, checked as far as it can be without the definition that it goes into. Errors: as of {@link checkDefinition}. */
export function checkOperator(at: string, operator: unknown): Operator {
  return new Reader().operator(at, operator);
}

/** A round that a user makes. See {@link checkOperator}. */
export function checkRound(at: string, round: unknown): Round {
  return new Reader().round(at, round);
}

/** The options of something that a user makes. See {@link checkOperator}. */
export function checkObject(at: string, value: unknown): Fields {
  if (tag(value) !== 'Object') throw wrong(at, value, 'an object with options');
  return value as Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads values of whatever type as what they have to be. */
class Reader {
  #operators = 0;
  /** Those that are being read, from the outside in. */
  readonly #around: unknown[] = [];

  /** Properties of an object, without those that are undefined. */
  fields(at: string, value: unknown, what: string, known: readonly string[]): Fields {
    if (tag(value) !== 'Object') throw wrong(at, value, what);
    const fields: Record<string, unknown> = Object.create(null) as object as Record<string, unknown>;
    for (const [name, field] of Object.entries(value as object)) {
      if (!known.includes(name)) {
        const expected = `one of ${known.join(', ')}, which ${what} has`;
        throw wrongly(within(at, name), describe(name), expected);
      }
      if (field !== undefined) fields[name] = field;
    }
    return fields;
  }

  list(at: string, value: unknown, expected: string): readonly unknown[] {
    if (!Array.isArray(value) || value.length === 0) throw wrong(at, value, expected);
    // Holes, too, are read as what is missing.
    return Array.from(value as readonly unknown[]);
  }

  /** Things by names of the user's. */
  named<T>(at: string, value: unknown, read: (at: string, value: unknown) => T): Readonly<Record<string, T>> {
    if (tag(value) !== 'Object') throw wrong(at, value, 'an object with something for each name');
    const found = Object.create(null) as object as Record<string, T>;
    for (const [name, thing] of Object.entries(value as object)) {
      if (thing !== undefined) found[this.name(within(at, name), name)] = read(within(at, name), thing);
    }
    return Object.freeze(found);
  }

  library(at: string, value: unknown): Library {
    return this.named(at, value, (at, operator) => this.operator(at, operator));
  }

  name(at: string, value: unknown): string {
    if (isName(value)) return value;
    throw wrong(at, value, 'a name: text of at most 256 bytes that is not empty, and not __proto__');
  }

  template(at: string, value: unknown): Template {
    const { template, parts, partitioner } = this.fields(at, value, 'the template of a vector', [
      'template',
      'parts',
      'partitioner',
    ]);
    return Object.freeze({
      template: oneOf(within(at, 'template'), template, TEMPLATE_NAMES),
      ...(parts !== undefined && { parts: whole(within(at, 'parts'), parts, 1, MOST_PARTS) }),
      ...(partitioner !== undefined && {
        partitioner: this.function(within(at, 'partitioner'), partitioner),
      }),
    });
  }

  globalTemplate(at: string, value: unknown): GlobalTemplate {
    const { template } = this.fields(at, value, 'the template of a global', ['template']);
    return Object.freeze({ template: oneOf(within(at, 'template'), template, GLOBAL_TEMPLATES) });
  }

  round(at: string, value: unknown): Round {
    const fields = this.fields(at, value, 'a round', ROUND);
    const map = oneOf(within(at, 'map'), fields['map'], MAPS);
    this.#mapOptions(at, map, fields);
    const { operator, over, reduce, result, as, global, threads, directory, shared } = fields;
    return Object.freeze({
      map,
      operator: this.step(within(at, 'operator'), operator),
      ...(over !== undefined && { over: this.name(within(at, 'over'), over) }),
      ...(reduce !== undefined && { reduce: this.#reducer(within(at, 'reduce'), reduce) }),
      ...(result !== undefined && { result: this.template(within(at, 'result'), result) }),
      ...(as !== undefined && { as: this.name(within(at, 'as'), as) }),
      ...(global !== undefined && { global: this.name(within(at, 'global'), global) }),
      ...(threads !== undefined && { threads: whole(within(at, 'threads'), threads, 1, MOST_THREADS) }),
      ...(directory !== undefined && { directory: directoryAt(within(at, 'directory'), directory) }),
      ...(shared !== undefined && { shared: oneOf(within(at, 'shared'), shared, [true, false]) }),
    });
  }

  /** Options that only some maps have. */
  #mapOptions(at: string, map: MapName, fields: Fields): void {
    const allowed: Readonly<Record<string, readonly MapName[]>> = {
      threads: ['TaskMap', 'DirMap'],
      directory: ['DirMap'],
      shared: ['DirMap'],
      over: MAPS.filter((name) => name !== 'DirMap'),
    };
    for (const [name, maps] of Object.entries(allowed)) {
      if (fields[name] === undefined || maps.includes(map)) continue;
      throw wrongly(
        within(at, name),
        `${describe(fields[name])} with ${map}`,
        `it with ${maps.join(', ')} only`,
      );
    }
    const { directory, shared } = fields;
    if (map === 'DirMap' && directory === undefined)
      throw wrongly(within(at, 'directory'), 'none', 'a path or files, which DirMap reads');
    if (shared !== undefined && Array.isArray(directory))
      throw wrongly(within(at, 'shared'), `${describe(shared)} with files`, 'it with a path only');
  }

  #reducer(at: string, value: unknown): NonNullable<Round['reduce']> {
    const reduce = this.operator(at, value);
    if (reduce.kind === 'function' || reduce.kind === 'circuit') return reduce;
    const expected = 'a function or a circuit: a reducer takes its own results again';
    throw wrongly(within(at, 'kind'), describe(reduce.kind), expected);
  }

  /** An operator, or a name of one. */
  step(at: string, value: unknown): string | Operator {
    if (typeof value === 'string') return this.name(at, value);
    return this.operator(at, value);
  }

  function(at: string, value: unknown): FunctionOperator {
    const operator = this.operator(at, value);
    if (operator.kind === 'function') return operator;
    throw wrongly(within(at, 'kind'), describe(operator.kind), '"function"');
  }

  operator(at: string, value: unknown): Operator {
    const what = 'an operator: an object with kind, such as fromModule() gives';
    if (tag(value) !== 'Object') throw wrong(at, value, what);
    if (this.#around.includes(value)) throw wrongly(at, 'an operator that is within itself', 'one that ends');
    if (this.#around.length >= MOST_DEPTH)
      throw wrongly(at, `more than ${MOST_DEPTH} levels of operators`, `at most ${MOST_DEPTH}`);
    if (++this.#operators > MOST_OPERATORS)
      throw wrongly(at, `more than ${MOST_OPERATORS} operators`, `at most ${MOST_OPERATORS} in a definition`);
    this.#around.push(value);
    try {
      const kinds = Object.keys(OPERATORS) as Operator['kind'][];
      const kind = oneOf(
        within(at, 'kind'),
        Object.hasOwn(value as object, 'kind') ? (value as Fields)['kind'] : undefined,
        kinds,
      );
      const known = ['kind', ...OPERATORS[kind], ...TRAITS];
      const fields = this.fields(at, value, `an operator of kind "${kind}"`, known);
      return Object.freeze({ ...this.#own(kind, at, fields), ...traitsAt(at, fields) } as Operator);
    } finally {
      this.#around.pop();
    }
  }

  /** An operator without its traits. */
  #own(kind: Operator['kind'], at: string, fields: Fields): object {
    const place = (name: string): string => within(at, name);
    const { on, parts, independent, otherwise } = fields;
    switch (kind) {
      case 'function':
        return {
          kind,
          ...this.#export(at, fields),
          ...(on !== undefined && { on: this.#others(place('on'), on) }),
        };
      case 'circuit':
        return { kind, bytes: bytesAt(place('bytes'), fields['bytes'], 'Circuit.toBytes()') };
      case 'program':
        return {
          kind,
          bytes: bytesAt(place('bytes'), fields['bytes'], 'Program.toBytes()'),
          keys: this.name(place('keys'), fields['keys']),
        };
      case 'sequence': {
        const steps = this.list(place('steps'), fields['steps'], 'an array of at least one operator or name');
        return {
          kind,
          steps: Object.freeze(steps.map((step, index) => this.step(`${place('steps')}[${index}]`, step))),
        } satisfies Sequence;
      }
      case 'for': {
        const from = whole(place('from'), fields['from'], 0, Number.MAX_SAFE_INTEGER);
        const to = whole(place('to'), fields['to'], from, Number.MAX_SAFE_INTEGER);
        if (parts !== undefined && independent !== true)
          throw wrongly(
            place('parts'),
            `${describe(parts)} without independent: true`,
            'it for a loop whose turns are independent only',
          );
        return {
          kind,
          from,
          to,
          ...(parts !== undefined && { parts: whole(place('parts'), parts, 1, MOST_PARTS) }),
          ...(independent !== undefined && {
            independent: oneOf(place('independent'), independent, [true, false]),
          }),
          body: this.step(place('body'), fields['body']),
        } satisfies Loop;
      }
      case 'while':
        return {
          kind,
          condition: this.function(place('condition'), fields['condition']),
          body: this.step(place('body'), fields['body']),
          most: whole(place('most'), fields['most'], 1, Number.MAX_SAFE_INTEGER),
        } satisfies While;
      case 'if':
        return {
          kind,
          condition: this.function(place('condition'), fields['condition']),
          then: this.step(place('then'), fields['then']),
          ...(otherwise !== undefined && { otherwise: this.step(place('otherwise'), otherwise) }),
        } satisfies If;
    }
  }

  /** A module and the name under which it exports a function. */
  #export(at: string, { module, name }: Fields): { readonly module: string; readonly name?: string } {
    if (typeof module !== 'string' || !URL.canParse(module))
      throw wrong(within(at, 'module'), module, 'an absolute URL, as text');
    if (name !== undefined && (typeof name !== 'string' || name === ''))
      throw wrong(within(at, 'name'), name, 'the name of an export');
    return { module, ...(name !== undefined && { name }) };
  }

  #others(at: string, value: unknown): NonNullable<FunctionOperator['on']> {
    const modules = Object.create(null) as object as Record<Kind, { module: string; name?: string }>;
    for (const [kind, other] of Object.entries(
      this.fields(at, value, 'what a function has for kinds of workers', KINDS),
    )) {
      const place = within(at, kind);
      modules[kind as Kind] = Object.freeze(
        this.#export(place, this.fields(place, other, 'a module', ['module', 'name'])),
      );
    }
    return Object.freeze(modules);
  }
}

/** The names of operators, and where these are used. */
class OperatorNames {
  readonly #definition: JobDefinition;
  /** Where each is. */
  readonly #places = new Map<string, { readonly at: string; readonly operator: Operator }>();
  /** How many operators each comes to. */
  readonly #sizes = new Map<string, number>();

  constructor(definition: JobDefinition) {
    this.#definition = definition;
    for (const library of ['library', 'operators'] as const)
      for (const [name, operator] of Object.entries(definition[library] ?? {})) {
        const at = within(library, name);
        const before = this.#places.get(name)?.at;
        if (before !== undefined)
          throw wrongly(at, `the name ${describe(name)}, which ${before} has`, 'a name of its own');
        if (BUILT_IN.some((own) => own === name))
          throw wrongly(
            at,
            describe(name),
            `another name than ${BUILT_IN.join(', ')}, which every library has`,
          );
        this.#places.set(name, { at, operator });
      }
  }

  /** That all names are there, and that no operator is within itself, or too large. */
  check(): void {
    for (const [name, { at }] of this.#places) this.#size(at, name, []);
    for (const [index, { operator }] of this.#definition.rounds.entries())
      this.#sizeOf(`rounds[${index}].operator`, operator, []);
  }

  /** Every operator within one, names followed. `loop`: the one of a `for`, `while`, `if` that it stands in. */
  *all(at: string, operator: string | Operator, loop?: Operator['kind']): Generator<Found> {
    if (typeof operator === 'string') {
      const { at, operator: found } = this.#find('', operator);
      yield* this.all(at, found, loop);
      return;
    }
    yield { at, operator, loop };
    const within = operator.kind === 'sequence' ? loop : operator.kind;
    for (const [place, step] of stepsOf(at, operator)) yield* this.all(place, step, within);
  }

  #find(at: string, name: string): { readonly at: string; readonly operator: Operator } {
    const found = this.#places.get(name);
    if (found !== undefined) return found;
    const names = [...this.#places.keys()].join(', ') || 'none';
    throw wrongly(at, describe(name), `an operator of library or operators, which have ${names}`);
  }

  #sizeOf(at: string, operator: string | Operator, around: readonly string[]): number {
    if (typeof operator === 'string') return this.#size(at, operator, around);
    if (around.length > MOST_DEPTH)
      throw wrongly(at, `more than ${MOST_DEPTH} levels of names`, `at most ${MOST_DEPTH}`);
    let size = 1;
    for (const [place, step] of stepsOf(at, operator)) size += this.#sizeOf(place, step, around);
    if (size <= MOST_OPERATORS) return size;
    throw wrongly(
      at,
      `more than ${MOST_OPERATORS} operators, with those that names stand for`,
      `at most ${MOST_OPERATORS}`,
    );
  }

  #size(at: string, name: string, around: readonly string[]): number {
    const found = this.#find(at, name);
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    if (around.includes(name)) {
      const circle = [...around.slice(around.indexOf(name)), name].join(' > ');
      throw wrongly(at, `an operator that is within itself: ${circle}`, 'one that ends');
    }
    const size = this.#sizeOf(found.at, found.operator, [...around, name]);
    this.#sizes.set(name, size);
    return size;
  }
}

/** An operator, where it is, and what it stands in. */
interface Found {
  readonly at: string;
  readonly operator: Operator;
  readonly loop: Operator['kind'] | undefined;
}

/** Operators that one is made of, and where. Conditions are functions, and made of nothing. */
function stepsOf(at: string, operator: Operator): (readonly [at: string, step: string | Operator])[] {
  switch (operator.kind) {
    case 'sequence':
      return operator.steps.map((step, index) => [`${within(at, 'steps')}[${index}]`, step] as const);
    case 'for':
    case 'while':
      return [[within(at, 'body'), operator.body]];
    case 'if': {
      const { then, otherwise } = operator;
      const branch = [within(at, 'then'), then] as const;
      return otherwise === undefined ? [branch] : [branch, [within(at, 'otherwise'), otherwise]];
    }
    default:
      return [];
  }
}

/** Which vectors and globals there are, round by round. */
class Vectors {
  readonly #definition: JobDefinition;
  readonly #operators: OperatorNames;
  /** Templates of vectors by name, as far as they are known. */
  readonly #vectors: Map<string, TemplateName | undefined>;
  readonly #globals: Set<string>;
  /** Where each name is given. One says one thing, in errors, logs and code alike. */
  readonly #taken = new Map<string, string>();

  constructor(definition: JobDefinition, operators: OperatorNames) {
    this.#definition = definition;
    this.#operators = operators;
    const { inputs = {}, globals = {} } = definition;
    this.#vectors = new Map(Object.entries(inputs).map(([name, { template }]) => [name, template] as const));
    this.#globals = new Set(Object.keys(globals));
    for (const name of Object.keys(inputs)) this.#take(within('inputs', name), name);
    for (const name of Object.keys(globals)) this.#take(within('globals', name), name);
  }

  checked(): JobDefinition {
    const { rounds, library = {}, operators = {} } = this.#definition;
    let before: Given | undefined;
    const checked = rounds.map((round, index) => {
      const at = `rounds[${index}]`;
      const source = round.map === 'DirMap' ? undefined : this.#source(at, round, before);
      if (round.map === 'MatrixMap' && source?.template !== undefined && source.template !== 'SparseMatrix')
        throw wrongly(source.at, `a ${source.template}`, 'a SparseMatrix, which MatrixMap reads');
      for (const found of this.#operators.all(within(at, 'operator'), round.operator))
        this.#checkUse(found, round.map);
      before = { at, template: round.result?.template };
      if (round.as !== undefined) {
        this.#take(within(at, 'as'), round.as);
        this.#vectors.set(round.as, before.template);
      }
      if (round.global !== undefined) {
        this.#take(within(at, 'global'), round.global);
        this.#globals.add(round.global);
      }
      return source?.name === undefined ? round : Object.freeze({ ...round, over: source.name });
    });
    // What no round uses may be used by the next definition; keys of any global will do.
    for (const [place, named] of [
      ['library', library],
      ['operators', operators],
    ] as const)
      for (const [name, operator] of Object.entries(named))
        for (const found of this.#operators.all(within(place, name), operator)) this.#checkUse(found);
    return Object.freeze({ ...this.#definition, rounds: Object.freeze(checked) });
  }

  /** What a round reads. */
  #source(at: string, { over }: Round, before: Given | undefined): Given {
    const place = within(at, 'over');
    const names = [...this.#vectors.keys()];
    if (over !== undefined) {
      if (this.#vectors.has(over)) return { at: place, name: over, template: this.#vectors.get(over) };
      throw wrongly(
        place,
        describe(over),
        `an input, or the "as" of an earlier round: ${names.join(', ') || 'there is none'}`,
      );
    }
    if (before !== undefined) return { ...before, at: place };
    const [only] = names;
    if (names.length === 1 && only !== undefined)
      return { at: place, name: only, template: this.#vectors.get(only) };
    const found = names.length === 0 ? 'no input' : `none, and ${names.length} inputs (${names.join(', ')})`;
    throw wrongly(place, found, 'an input that the first round reads');
  }

  #checkUse({ at, operator, loop }: Found, map?: MapName): void {
    if (operator.kind === 'for') {
      if (loop !== undefined)
        throw wrongly(at, `a "for" within "${loop}"`, 'it over rows of a sub-vector, not over one of them');
      if (map === 'DirMap')
        throw wrongly(at, 'a "for" with DirMap', 'it over rows of a sub-vector, not over files');
    }
    if (operator.kind !== 'program' || this.#globals.has(operator.keys)) return;
    const names = [...this.#globals].join(', ') || 'there is none';
    throw wrongly(
      within(at, 'keys'),
      describe(operator.keys),
      `a global of the definition, or of an earlier round: ${names}`,
    );
  }

  #take(at: string, name: string): void {
    const before = this.#taken.get(name);
    if (before !== undefined)
      throw wrongly(at, `the name ${describe(name)}, which ${before} has`, 'a name of its own');
    this.#taken.set(name, at);
  }
}

/** A vector: where it is asked for, its name if it has one, and its template as far as it is known. */
interface Given {
  readonly at: string;
  readonly name?: string;
  readonly template: TemplateName | undefined;
}

function traitsAt(at: string, { type, need, processor }: Fields): Traits {
  if (need !== undefined && !(typeof need === 'number' && Number.isFinite(need) && need >= 0))
    throw wrong(within(at, 'need'), need, 'a number of bytes');
  return {
    ...(type !== undefined && { type: oneOf(within(at, 'type'), type, ['int', 'float'] as const) }),
    ...(need !== undefined && { need }),
    ...(processor !== undefined && { processor: oneOf(within(at, 'processor'), processor, KINDS) }),
  };
}

function bytesAt(at: string, value: unknown, from: string): Uint8Array {
  if (tag(value) === 'Uint8Array' && (value as Uint8Array).length > 0) return value as Uint8Array;
  const found = tag(value) === 'Uint8Array' ? 'no bytes' : describe(value);
  throw wrongly(at, found, `bytes (Uint8Array), such as ${from} gives`);
}

function directoryAt(at: string, value: unknown): NonNullable<Round['directory']> {
  if (typeof value === 'string' && value !== '') return value;
  const expected = 'a path that is not empty, or an array of at least one File';
  if (!Array.isArray(value) || value.length === 0) throw wrong(at, value, expected);
  const files = Array.from(value as readonly unknown[]);
  const other = files.findIndex((file) => tag(file) !== 'File');
  if (other >= 0) throw wrong(`${at}[${other}]`, files[other], 'a File');
  return Object.freeze(files as File[]);
}

function oneOf<const T>(at: string, value: unknown, words: readonly T[]): T {
  if (words.includes(value as T)) return value as T;
  throw wrong(at, value, `one of ${words.map(describe).join(', ')}`);
}

function whole(at: string, value: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  const to = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw wrong(at, value, `a whole number ${to}`);
}

/** The path of a property. */
function within(at: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${at}[${JSON.stringify(name)}]`;
  return at === '' ? name : `${at}.${name}`;
}

function wrong(at: string, value: unknown, expected: string): Error {
  return wrongly(at, value === undefined ? 'nothing' : describe(value), expected);
}

function wrongly(at: string, found: string, expected: string): Error {
  const place = at === '' ? '' : `, ${at}`;
  const problem = `Definition of a job${place}: expected ${expected}, found ${found}`;
  return failure('job.definition', problem, { found, expected, at });
}
