/** What a visitor sets of a compilation: plain data, which a link may carry. */
import type { CompileOptions, SchemeName, SecurityTable } from 'cipherloom';

export const SCHEMES = ['BGV', 'BFV', 'CKKS'] as const satisfies readonly SchemeName[];
export const RINGS = [2048, 4096, 8192, 16384, 32768] as const;
export const TABLES = {
  'guidelines-2024': 'Guidelines of 2024',
  'standard-2018': 'Standard of 2018',
} as const satisfies Readonly<Record<SecurityTable, string>>;
export const LEVELS = [128, 192, 256] as const;

export interface Choice {
  /** Undefined, as of `n`: chosen by the compiler. */
  readonly scheme: SchemeName | undefined;
  readonly n: number | undefined;
  readonly table: SecurityTable;
  readonly bits: (typeof LEVELS)[number];
  readonly quantum: boolean;
}

export const USUAL: Choice = {
  scheme: undefined,
  n: undefined,
  table: 'guidelines-2024',
  bits: 128,
  quantum: false,
};

/** What `compile` is told: what is usual is left out. */
export function optionsOf({ scheme, n, table, bits, quantum }: Choice): CompileOptions {
  const usual = table === USUAL.table && bits === USUAL.bits && !quantum;
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(n === undefined ? {} : { n }),
    ...(usual ? {} : { security: { table, bits, quantum } }),
  };
}

/** A choice out of anything, such as a link: what there is not is as usual. */
export function choiceOf(from: unknown): Choice {
  const given =
    typeof from === 'object' && from !== null ? (from as Partial<Record<keyof Choice, unknown>>) : {};
  const one = <T>(name: keyof Choice, of: readonly T[], usual: T): T =>
    of.find((known) => known === given[name]) ?? usual;
  return {
    scheme: one<SchemeName | undefined>('scheme', SCHEMES, undefined),
    n: one<number | undefined>('n', RINGS, undefined),
    table: one('table', Object.keys(TABLES) as SecurityTable[], USUAL.table),
    bits: one('bits', LEVELS, USUAL.bits),
    quantum: given.quantum === true,
  };
}
