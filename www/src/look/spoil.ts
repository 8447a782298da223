/** What happens to those who meddle: tried on what the last run left, not told. */
import { type Ciphertexts, type Client, DisposedError, type Program } from 'cipherloom';
import { failureOf } from '../failure.js';

/** What was done, and what came of it. */
export interface Spoiled {
  /** Code of the refusal; undefined: there was none. */
  readonly code: string | undefined;
  readonly sentence: string;
  /** Where a bit was flipped. */
  readonly at?: number;
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
}

/** Flips one bit of an encrypted column, which one is drawn, and hands it to the evaluator. */
export async function flipBit(
  program: Program,
  client: Client,
  inputs: Ciphertexts,
  column: string,
): Promise<Spoiled> {
  const before = inputs[column]!;
  const after = before.slice();
  // In the second half, where there are residues and nothing else.
  const half = after.length >> 1;
  const [place, bit] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  const at = half + (place % (after.length - half - 16));
  after[at]! ^= 1 << (bit % 8);
  const outcome = await outcomeOf(async () => {
    const outputs = await program.run({ ...inputs, [column]: after }, client.evaluationKeys);
    return client.decryptDetails(outputs);
  }, 'computing on changed bytes');
  return { ...outcome, at, before, after };
}

/** Makes another secret key, and decrypts the results with it. */
export async function tryOtherKey(program: Program, outputs: Ciphertexts): Promise<Spoiled> {
  const other = await program.client();
  try {
    return await outcomeOf(() => other.decryptDetails(outputs), 'decrypting with another key');
  } finally {
    other.dispose();
  }
}

async function outcomeOf(
  work: () => Promise<Awaited<ReturnType<Client['decryptDetails']>>>,
  during: string,
): Promise<Spoiled> {
  try {
    const details = await work();
    const values = Object.values(details).map(({ value }) => String(value));
    return { code: undefined, sentence: `It was not refused, and gave ${values.join(', ')}.` };
  } catch (error) {
    if (error instanceof DisposedError) throw error; // refuses nothing: what it was tried on ended
    const { code, sentence } = failureOf(error, during);
    return { code, sentence };
  }
}
