/** A task from its compilation to what is decrypted. */
import type { Cells, Decrypted, Loom, CompileOptions, Task } from 'cipherloom';
import { expect } from 'vitest';

/** Cells by the places of inputs. */
export interface Given {
  readonly encrypted: Record<string, Cells>;
  readonly plain?: Record<string, Cells>;
  readonly public?: Record<string, Cells>;
}

/** Compiles, encrypts, computes and decrypts. What is exact must be what the core gives without encryption. */
export async function compute(
  loom: Loom,
  task: Task,
  { encrypted, ...clear }: Given,
  options?: CompileOptions,
): Promise<Record<string, Decrypted>> {
  using program = await loom.compile(task, options);
  using client = await program.client();
  const inputs = await client.encrypt(encrypted);
  const results = await program.run(inputs, client.evaluationKeys, clear);
  const open = { public: clear.public };
  if (program.info.scheme === 'BGV')
    expect(await client.decryptExact(results, open)).toEqual(await client.plain(encrypted, clear));
  return await client.decrypt(results, open);
}

export function expectNear(found: Decrypted | undefined, expected: readonly number[], most = 2 ** -20): void {
  const cells = [found as unknown].flat(Infinity as 1) as number[];
  expect(cells.length).toBe(expected.length);
  for (const [at, cell] of cells.entries())
    expect(
      Math.abs(cell - (expected[at] as number)) / Math.max(1, Math.abs(expected[at] as number)),
    ).toBeLessThan(most);
}

export const sum = (cells: readonly number[]): number => cells.reduce((a, b) => a + b, 0);
