/** Circuits, as a worker runs them on rows. */
import type { Data } from '../types.js';
import type { Ref } from '../store.js';
import { inputsOf, ofBoth, valueOf } from './circuit-data.js';
import { callFailed, type Computing, type Named, notOpened } from './computing.js';
import type { LazyLoom } from './worker-loom.js';

/**
 * Opens a circuit. Of two rows, those of `CrossMap` or of a reducer, its inputs are called `a` and `b`, or `a_NAME` and `b_NAME` where the rows' values are objects.
 * Errors: JobError `job.operator`, which names the circuit by the name of its bytes.
 */
export async function openCircuit(
  loom: LazyLoom,
  { name, bytes: size }: Ref,
  bytes: () => Promise<Uint8Array>,
): Promise<Computing> {
  const named: Named = { words: `circuit ${name} of ${size} bytes`, details: { circuit: name } };
  await loom
    .circuit(name, bytes, async () => {})
    .catch((cause: unknown) => {
      throw notOpened(named, 'it could not be opened', cause);
    });
  const run = (value: Data): Promise<Data> =>
    loom.circuit(name, bytes, async (circuit) =>
      valueOf(circuit.outputs, await circuit.run(inputsOf(circuit.inputs, value))),
    );
  return {
    async call([key, value], context, other) {
      try {
        return await run(other === undefined ? value : ofBoth(value, other[1]));
      } catch (cause) {
        throw callFailed(named, key, context, cause);
      }
    },
    async reduce(key, a, b, place) {
      try {
        return await run(ofBoth(a, b));
      } catch (cause) {
        throw callFailed(named, key, place, cause);
      }
    },
  };
}
