/** Whether work on a graph changed it. */
import type { Circuit } from 'cipherloom';

/** Operators that an expansion leaves are noted as their own parents, so that the name of a graph changes though nothing else does. */
export async function isSame(made: Circuit, from: Circuit, signal: AbortSignal): Promise<boolean> {
  if (made.id === from.id) return true;
  if (made.operators !== from.operators) return false;
  const text = async (circuit: Circuit): Promise<string> =>
    (await circuit.toText({ signal })).replaceAll(/ parent=\d+$/gm, '');
  return (await text(made)) === (await text(from));
}
