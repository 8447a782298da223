/** What each operator is, as a module: the first comment of the file that defines it, with formula and source, and where that file is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { operatorWords } from './operator-names.js';

const MODULE = 'virtual:operator-docs';
const ROOT = join(import.meta.dirname, '..', '..');
/** Where operators are defined. */
const FOLDERS = ['src', 'engine/src'] as const;
const TENSOR = /^(bit|[iu]\d+|f\d+)$/;
/** Operators of tasks, which the package declares in no list: the stages of a program show them. */
const OF_TASKS = /"((?:value|packed|stats|matrix)\.[a-z_]+)"/g;

export function operatorDocs(): Plugin {
  return {
    name: 'operator-docs',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? moduleText() : undefined),
  };
}

interface Source {
  readonly file: string;
  readonly text: string;
  /** The comment at its start. */
  readonly doc: string;
}

function moduleText(): string {
  const sources = FOLDERS.flatMap(sourcesIn);
  const docs: { file: string; text: string }[] = [];
  const places = new Map<Source, number>();
  const names: [string, number | undefined][] = [];
  for (const name of namesIn(sources)) {
    const source = definitionOf(name, sources);
    let place = source && places.get(source);
    if (source !== undefined && place === undefined) {
      place = docs.push({ file: source.file, text: source.doc }) - 1;
      places.set(source, place);
    }
    names.push([name, place]);
  }
  return `const docs = ${JSON.stringify(docs)};
export const DOCS = new Map(${JSON.stringify(names)}.map(([name, place]) => [name, docs[place]]));`;
}

/** All operators: those that circuits have, and those of tasks, which only their files name. */
function namesIn(sources: readonly Source[]): Set<string> {
  const ofTasks = sources
    .filter(({ file }) => /^src\/(values\/(ops|stats)|packed\/ops)\//.test(file))
    .flatMap(({ text }) => Array.from(text.matchAll(OF_TASKS), ([, name]) => name!));
  return new Set([...operatorWords().map(([name]) => name), ...ofTasks]);
}

function sourcesIn(folder: string): Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.rs'))
    .map((file) => {
      const text = readFileSync(join(ROOT, folder, file), 'utf8');
      const lines = text.split('\n');
      const end = lines.findIndex((line) => !line.startsWith('//!'));
      const doc = lines.slice(0, end).map((line) => line.replace(/^\/\/! ?/, ''));
      return { file: `${folder}/${file.replaceAll('\\', '/')}`, text, doc: doc.join('\n') };
    })
    .filter(({ doc }) => doc !== '');
}

/**
 * The file whose comment begins with the operator's name, that names it in its code, or that it shares with operators on other types; of an
 * operator that several schemes make of one type, each under its own name, the file of that type.
 */
function definitionOf(name: string, sources: readonly Source[]): Source | undefined {
  const [family, action] = name.includes('.') ? (name.split('.', 2) as [string, string]) : ['', name];
  if (family === 'party') return sources.find(({ file }) => file === `src/parties/${action}.rs`);
  const shared = TENSOR.test(family) ? 'plain' : ['limb', 'poly'].includes(family) ? 'base' : undefined;
  const ofTask = sources.find(
    ({ file, text }) => file.startsWith('src/values/') && text.includes(`name: "${name}"`),
  );
  if (ofTask !== undefined) return ofTask;
  if (family === 'packed') return sources.find(({ file }) => file === `src/packed/ops/${action}.rs`);
  return (
    sources.find(({ doc }) => doc.startsWith(`\`${name}\``)) ??
    sources.find(({ text }) => text.includes(`"${name}"\n    }`)) ??
    sources.find(({ doc }) => doc.slice(0, 200).includes(`\`${name}\``)) ??
    sources.find(({ file }) => file === `engine/src/ops/${shared}/${action}.rs`) ??
    typeNamed(name, sources)
  );
}

/** The file of the type of which some scheme makes an operator of that name: `RelinearizeDivide { name: "...", ... }`. */
function typeNamed(name: string, sources: readonly Source[]): Source | undefined {
  const made = new RegExp(`(\\w+) \\{\\s*name: "${name.replaceAll('.', '\\.')}"`);
  const type = sources.map(({ text }) => made.exec(text)?.[1]).find((found) => found !== undefined);
  return type === undefined ? undefined : sources.find(({ text }) => text.includes(`pub struct ${type}<`));
}
