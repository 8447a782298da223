/** What an editor asks of TypeScript: names to complete, and what a name is. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { h } from '../../ui/dom.js';
import type { Info } from './messages.js';
import type { TypeClient } from './type-client.js';

export function completeNames(
  client: TypeClient,
): (context: CompletionContext) => Promise<CompletionResult | null> {
  return async (context) => {
    const { pos, explicit, state } = context;
    // While one writes: behind a dot, in a word, and in a text that may be a name.
    if (!explicit && context.matchBefore(/[\w$.'"]$/) === null) return null;
    const text = state.doc.toString();
    const found = await client.ask('complete', { text, at: pos }).catch(() => undefined);
    if (found === undefined || found.options.length === 0 || context.aborted) return null;
    const options = found.options.map(({ label, type, sort }): Completion => ({
      label,
      type,
      boost: -Number.parseInt(sort, 10) || 0,
      info: async () => {
        const info = await client.ask('details', { text, at: pos, label }).catch(() => undefined);
        return info === undefined ? null : infoBox(info);
      },
    }));
    return { from: found.from, options, validFor: /^[\w$]*$/ };
  };
}

export function hoverTypes(client: TypeClient): Extension {
  return hoverTooltip(async (view, at) => {
    const info = await client.ask('hover', { text: view.state.doc.toString(), at }).catch(() => undefined);
    if (info === undefined) return null;
    return { pos: info.from, end: info.to, above: true, create: () => ({ dom: infoBox(info) }) };
  });
}

function infoBox({ code, text }: Info): HTMLElement {
  return h('div', { class: 'type-info' }, h('code', {}, code), ...(text === '' ? [] : [h('p', {}, text)]));
}
