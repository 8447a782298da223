// The text of bindings/src/operators.ts: names that editors complete.
import { format, resolveConfig } from 'prettier';

const HEAD = `/**
 * Written by scripts/operators.mjs from the core's lists: names that editors complete, and that no operator of
 * a user's own may have.
 */

/** Attributes of each operator, by the operator's name. */`;

const TAIL = `/** The name of an operator. Others than those known here are left to the core. */
export type OperatorName = keyof OperatorAttributes | (string & {});

/** The name of a pass. */
export type PassName = KnownPass | (string & {});
`;

/** The declarations of operators ({ name, attributes? }) and passes (names), formatted for the file at that path. */
export async function operatorTypes(operators, passes, path) {
  const sorted = [...operators].sort((a, b) => (a.name < b.name ? -1 : 1));
  const members = sorted.map(({ name, attributes }) => `${JSON.stringify(name)}: ${union(attributes, 'string')};`);
  const text = [
    `${HEAD}\nexport interface OperatorAttributes {${members.join('\n')}}`,
    `/** Passes of the optimizer. */\nexport type KnownPass = ${union(passes, 'never')};`,
    TAIL,
    `/** All operators. */\nexport const OPERATOR_NAMES: ReadonlySet<string> = new Set(${JSON.stringify(sorted.map(({ name }) => name).join(' '))}.split(' '));`,
  ].join('\n\n');
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

/** One of these words; `unknown` where the list is not told, no word where it is empty. */
function union(words, unknown) {
  if (words === undefined) return unknown;
  return words.length > 0
    ? [...words]
        .sort()
        .map((word) => JSON.stringify(word))
        .join(' | ')
    : 'never';
}
