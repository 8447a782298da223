/** What operator workers do: they compute users' own base operators, by functions of their modules. */
import { fromBytes, toBytes } from '../data.js';
import { failure } from '../errors.js';
import type { BaseOperatorFunction } from '../graph-types.js';
import { readAttributes } from '../type-text.js';
import type { OperatorMethods } from './protocol.js';
import { type Handlers, Moved } from './serve.js';

export const operatorMethods: Handlers<OperatorMethods> = {
  async compute(_, { module, exported }, { name, attributes, inputs, output, data }) {
    const failed = (what: string, cause: unknown) =>
      failure('operator.failed', `operator "${name}": ${what}: ${String(cause)}`, { operator: name, module });
    const imported = await load(module).catch((cause: unknown) => {
      throw failed(`its module ${module} could not be imported`, cause);
    });
    const compute = imported[exported];
    if (typeof compute !== 'function') {
      throw failed(`its module ${module} has no function`, `export ${exported}`);
    }
    const arrays = inputs.map((port, index) => fromBytes(port, data[index] ?? new Uint8Array()));
    const use = { attributes: readAttributes(attributes), inputs, output };
    let result: unknown;
    try {
      result = await (compute as BaseOperatorFunction)(arrays, use);
    } catch (cause) {
      throw failed('its function threw', cause);
    }
    try {
      const bytes = toBytes(`operator "${name}", its result`, output, result);
      return new Moved(bytes, [bytes.buffer]);
    } catch (error) {
      const { message, details } = error as { message: string; details: Record<string, unknown> };
      throw failure('operator.result', message, { ...details, operator: name });
    }
  },
};

/** An address, told at run time: no bundler follows. */
function load(module: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ module) as Promise<Record<string, unknown>>;
}
