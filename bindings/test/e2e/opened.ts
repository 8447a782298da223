/** Looms that end with the test that opened them. */
import { load, type Loom } from 'cipherloom';
import { afterEach } from 'vitest';

const looms: Loom[] = [];

export async function open(options: Parameters<typeof load>[0]): Promise<Loom> {
  const loom = await load(options);
  looms.push(loom);
  return loom;
}

afterEach(() => looms.splice(0).forEach((loom) => loom.dispose()));
