/** The text form of graphs, for editors: colors, and names to complete. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { StreamLanguage } from '@codemirror/language';
import { OPERATORS } from 'virtual:operator-names';

interface State {
  /** Where in an operator's line: before `=`, behind it, or elsewhere. */
  place: 'start' | 'name' | 'rest';
}

export const textLanguage = StreamLanguage.define<State>({
  name: 'cipherloom',
  startState: () => ({ place: 'rest' }),
  token(stream, state) {
    if (stream.sol()) {
      state.place = 'rest';
      stream.eatSpace();
      if (stream.match(/^(cipherloom-graph|unit|type|attrs|input|output)\b/)) return 'keyword';
      if (stream.match(/^op\b/)) {
        state.place = 'start';
        return 'keyword';
      }
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^@?"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^%\d+/)) return 'labelName';
    if (stream.match(/^[!#]\d+/)) return 'typeName';
    if (stream.match(/^-?\d+/)) return 'number';
    if (stream.match(/^[A-Za-z_][\w.]*(?==)/)) return 'propertyName';
    if (stream.match(/^[A-Za-z_][\w.]*/)) {
      const isName = state.place === 'name';
      state.place = 'rest';
      return isName ? 'variableName.function' : 'typeName';
    }
    if (stream.next() === '=' && state.place === 'start') state.place = 'name';
    return null;
  },
});

/** Completes names of operators behind `op %k =`; `others` are those of the visitor's own. */
export function completeOperators(
  others: () => readonly string[],
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const found = /^\s*op\s+%\d+\s*=\s*([\w.]*)$/.exec(before);
    if (found === null) return null;
    const own = others().map((label) => ({ label, type: 'function', detail: 'your own' }));
    const known = Array.from(OPERATORS, ([label, attributes]) => ({
      label,
      type: 'function',
      detail: attributes.length === 0 ? '' : `{${attributes.join(', ')}}`,
    }));
    return { from: context.pos - found[1]!.length, options: [...own, ...known], validFor: /^[\w.]*$/ };
  };
}
