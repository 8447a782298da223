/** What operators there are, as a module: the package declares their names as types alone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const MODULE = 'virtual:operator-names';

export function operatorNames(): Plugin {
  return {
    name: 'operator-names',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? moduleText() : undefined),
  };
}

/** Operators that the package declares, with their attributes, and passes. */
function declared(): { operators: [string, string[]][]; passes: string[] } {
  const entry = createRequire(import.meta.url).resolve('cipherloom/package.json');
  const text = readFileSync(join(entry, '../dist/operators.d.ts'), 'utf8');
  const interfaceText = /interface OperatorAttributes \{([^}]*)\}/.exec(text)?.[1];
  const passText = /type KnownPass = ([^;]*);/.exec(text)?.[1];
  if (interfaceText === undefined || passText === undefined)
    throw new Error('cipherloom/dist/operators.d.ts: expected OperatorAttributes and KnownPass');
  const operators = Array.from(
    interfaceText.matchAll(/'?([\w.]+)'?: ([^;]*);/g),
    ([, name, attributes]): [string, string[]] => [name!, words(attributes!)],
  );
  return { operators, passes: words(passText) };
}

/** Operators with their attributes. */
export function operatorWords(): readonly [string, readonly string[]][] {
  return declared().operators;
}

function moduleText(): string {
  const { operators, passes } = declared();
  return `export const OPERATORS = new Map(${JSON.stringify(operators)});
export const PASSES = ${JSON.stringify(passes)};`;
}

function words(union: string): string[] {
  return Array.from(union.matchAll(/'([^']*)'/g), ([, word]) => word!);
}
