/** TypeScript's language service over one program: what is wrong in it, what could stand there, what a name is. */
import ts from 'typescript';
import type { Completion, Completions, Finding, Info } from './messages.js';

const PROGRAM = '/program.ts';
const CHECK = '/check.ts';
const SANDBOX = '/sandbox.d.ts';
/** What a program has to be, said to the compiler; what is wrong with that is shown where the program says `export default`. */
const CHECK_TEXT = `import program from './program';
import type { Cells, Task } from 'cipherloom';
import type { Table } from 'cipherloom/table';
interface Given {
  readonly encrypted?: Readonly<Record<string, Cells>>;
  readonly plain?: Readonly<Record<string, Cells>>;
  readonly public?: Readonly<Record<string, Cells>>;
}
program satisfies (task: Task, table: Table) => Given;
`;
/** What there is beside the language where a program runs, and what the package's declarations name. */
const SANDBOX_TEXT = `/** What it is told is shown below the program. */
declare const console: { readonly [level in 'log' | 'info' | 'warn' | 'error' | 'debug']: (...values: unknown[]) => void };
interface AbortSignal { readonly aborted: boolean; readonly reason: unknown }
interface Event { readonly type: string }
interface URL { readonly href: string }
interface TextEncoder { encode(text?: string): Uint8Array<ArrayBuffer> }
`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
};

/** CodeMirror's kinds of completions, by TypeScript's. */
const KINDS: Readonly<Record<string, string>> = {
  method: 'method',
  'local function': 'function',
  function: 'function',
  property: 'property',
  getter: 'property',
  interface: 'interface',
  type: 'type',
  class: 'class',
  const: 'constant',
  let: 'variable',
  var: 'variable',
  parameter: 'variable',
  'local var': 'variable',
  keyword: 'keyword',
  module: 'namespace',
  'enum member': 'enum',
};
const MOST_COMPLETIONS = 300;

export class Service {
  readonly #files: ReadonlyMap<string, string>;
  readonly #service: ts.LanguageService;
  #text = '';
  #version = 0;

  /** `files`: declarations, by path: the package's below /node_modules, the language's below /lib. */
  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map([...Object.entries(files), [CHECK, CHECK_TEXT], [SANDBOX, SANDBOX_TEXT]]);
    const folders = new Set<string>();
    for (const path of this.#files.keys())
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
        folders.add(path.slice(0, at));
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [PROGRAM, CHECK, SANDBOX],
      getScriptVersion: (name) => (name === PROGRAM ? String(this.#version) : '0'),
      getScriptSnapshot: (name) => {
        const text = this.#read(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
      fileExists: (name) => this.#read(name) !== undefined,
      readFile: (name) => this.#read(name),
      directoryExists: (name) => folders.has(name.replace(/\/$/, '')) || name === '/',
      getDirectories: () => [],
    });
  }

  check(text: string): readonly Finding[] {
    this.#take(text);
    const own = [
      ...this.#service.getSyntacticDiagnostics(PROGRAM),
      ...this.#service.getSemanticDiagnostics(PROGRAM),
    ].map((diagnostic) => finding(diagnostic));
    if (own.some(({ severity }) => severity === 'error')) return own;
    const exported = /\bexport\s+default\b/.exec(text);
    const [from, to] =
      exported === null ? [0, text.length] : [exported.index, exported.index + exported[0].length];
    const whole = this.#service
      .getSemanticDiagnostics(CHECK)
      .slice(0, 1)
      .map((diagnostic) => ({
        ...finding(diagnostic),
        message:
          exported === null
            ? 'There is no "export default function program(task, table)": that is what is run'
            : finding(diagnostic).message,
        from,
        to,
      }));
    return [...own, ...whole];
  }

  complete(text: string, at: number): Completions | undefined {
    this.#take(text);
    const found = this.#service.getCompletionsAtPosition(PROGRAM, at, {
      includeCompletionsWithInsertText: false,
    });
    if (found === undefined) return undefined;
    const word = /[\w$]*$/.exec(text.slice(0, at))![0];
    const options = found.entries
      .filter(({ name, kind }) => kind !== 'warning' && name.toLowerCase().startsWith(word.toLowerCase()))
      .slice(0, MOST_COMPLETIONS)
      .map(({ name, kind, sortText }): Completion => ({
        label: name,
        type: KINDS[kind] ?? 'variable',
        sort: sortText,
      }));
    return { from: at - word.length, options };
  }

  details(text: string, at: number, label: string): Info | undefined {
    this.#take(text);
    const found = this.#service.getCompletionEntryDetails(PROGRAM, at, label, {}, undefined, {}, undefined);
    if (found === undefined) return undefined;
    return { from: at, to: at, code: plain(found.displayParts), text: documentation(found) };
  }

  hover(text: string, at: number): Info | undefined {
    this.#take(text);
    const found = this.#service.getQuickInfoAtPosition(PROGRAM, at);
    if (found === undefined) return undefined;
    const { start, length } = found.textSpan;
    return { from: start, to: start + length, code: plain(found.displayParts), text: documentation(found) };
  }

  #take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#version++;
  }

  #read(name: string): string | undefined {
    return name === PROGRAM ? this.#text : this.#files.get(name);
  }
}

function finding({ start = 0, length = 0, messageText, category }: ts.Diagnostic): Finding {
  return {
    from: start,
    to: start + length,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    severity: category === ts.DiagnosticCategory.Error ? 'error' : 'warning',
  };
}

function plain(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? []).map(({ text }) => text).join('');
}

function documentation({ documentation, tags }: Pick<ts.QuickInfo, 'documentation' | 'tags'>): string {
  const said = (tags ?? []).map(({ name, text }) => `@${name} ${plain(text)}`);
  return [plain(documentation), ...said].filter(Boolean).join('\n');
}
