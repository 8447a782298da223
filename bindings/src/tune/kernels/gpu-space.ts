/** The schedules of transforms on a GPU that a search may choose among. */
import type { WorkgroupNeeds } from '../../gpu/needs.js';
import { one } from './draw.js';
import {
  EACH,
  GROUPS,
  isRing,
  LEAST,
  mostBits,
  SHADER_BITS,
  type ShaderSchedule as Schedule,
  tileOf,
} from './schedule.js';
import type { Random, Space } from './space.js';

/** Words of a residue, products, and the other choices. */
const [WORDS, PRODUCTS, FLAGS] = [[1, 2] as const, ['shoup', 'montgomery'] as const, [true, false]];
/** What every adapter has: what a search keeps to where no device is known. */
export const EVERYWHERE: WorkgroupNeeds = { invocations: 256, bytes: 16_384 };

/** What a shader's schedule may choose beside its ring. */
export type Choices = Omit<Schedule, 'version' | 'piece' | 'n' | 'bits' | 'prime'>;

/** The schedules of a piece for a ring and primes of so many bits that a device has workgroups for. */
export class ShaderSpace implements Space {
  readonly piece: Schedule['piece'];
  readonly n: number;
  readonly bits: number;
  readonly limits: WorkgroupNeeds;

  /** Undefined where no kernel can be made. */
  static of(
    piece: Schedule['piece'],
    n: number,
    bits: number,
    limits: WorkgroupNeeds = EVERYWHERE,
  ): ShaderSpace | undefined {
    const fits = isRing(n, bits, SHADER_BITS.most[2]) && limits.invocations >= LEAST;
    return fits ? new ShaderSpace(piece, n, bits, limits) : undefined;
  }

  private constructor(piece: Schedule['piece'], n: number, bits: number, limits: WorkgroupNeeds) {
    [this.piece, this.n, this.bits, this.limits] = [piece, n, bits, limits];
  }

  /** One with these choices, as far as the ring, the primes and the device take them: layers are cut anew where they do not fit. */
  schedule(choices: Partial<Choices> = {}): Schedule {
    const { bits, limits, n, piece } = this;
    const { product = 'shoup', staged = false } = choices;
    const words = bits > mostBits(1, false) ? 2 : (choices.words ?? 1);
    const lazy = (choices.lazy ?? true) && bits <= mostBits(words, true);
    const each = choices.each ?? 8;
    const most = Math.min(limits.invocations, limits.bytes / (4 * words * each));
    const group = Math.max(
      ...GROUPS.filter((group) => group <= Math.max(most, LEAST) && group <= (choices.group ?? 256)),
      LEAST,
    );
    const of = { version: 3 as const, piece, n, bits, group, each, words, product, lazy, staged };
    const [layers, tile, held] = [Math.log2(n), Math.log2(tileOf(of)), Math.log2(each)];
    const { passes } = choices;
    const sum = (list: readonly number[]): number => list.reduce((all, step) => all + step, 0);
    const fits =
      passes !== undefined &&
      sum(passes.map(sum)) === layers &&
      passes.every((steps) => sum(steps) <= tile && steps.every((step) => step <= held));
    return { ...of, passes: fits ? passes : cut(layers, tile).map((own) => cut(own, held)) };
  }

  random(random: Random): Schedule {
    const shape = this.schedule({
      words: one(WORDS, random),
      product: one(PRODUCTS, random),
      lazy: random() < 0.5,
      staged: random() < 0.5,
      group: one(GROUPS, random),
      each: one(EACH, random),
    });
    return this.schedule({ ...shape, passes: this.#drawn(shape, random) });
  }

  mutated(schedule: Schedule, random: Random): Schedule {
    const other = this.random(random);
    const changes: Partial<Choices>[] = [
      { passes: this.#drawn(schedule, random) },
      { group: other.group },
      { each: other.each },
      { words: other.words },
      { product: other.product },
      { lazy: !schedule.lazy },
      { staged: !schedule.staged },
    ];
    return this.schedule({ ...schedule, ...one(changes, random) });
  }

  /** Few passes of large steps first, in each size of a workgroup. */
  *points(): Generator<Schedule, undefined> {
    const words = WORDS.filter((words) => this.bits <= mostBits(words, false));
    const known = new Set<string>();
    for (const product of PRODUCTS)
      for (const staged of [...FLAGS].reverse())
        for (const lazy of FLAGS)
          for (const group of [256, 64, 128, 512, 1024])
            for (const each of [8, 16, 4, 2] as const)
              for (const own of words) {
                const choices = { product, staged, lazy, group, each, words: own } as Partial<Choices>;
                const found = this.schedule(choices);
                // What a device does not have is cut down to what it has, and so comes again.
                const name = JSON.stringify(found);
                if (known.has(name)) continue;
                known.add(name);
                yield found;
              }
    return undefined;
  }

  /** Layers cut into passes and steps by chance, in one pass or two more than need be at most. */
  #drawn(schedule: Schedule, random: Random): number[][] {
    const [layers, tile, held] = [Math.log2(this.n), Math.log2(tileOf(schedule)), Math.log2(schedule.each)];
    const least = Math.ceil(layers / tile);
    const passes = Math.min(layers, least + Math.floor(random() * 3));
    return drawn(layers, tile, passes, random).map((own) =>
      drawn(own, held, Math.min(own, Math.ceil(own / held) + Math.floor(random() * 2)), random),
    );
  }
}

/** So many layers in as few parts as can be, of at most `most`, alike. */
function cut(layers: number, most: number): number[] {
  const parts = Math.ceil(layers / most);
  return Array.from({ length: parts }, (_, at) => Math.floor((layers + at) / parts));
}

/** So many layers in `parts` parts of 1 to `most`. */
function drawn(layers: number, most: number, parts: number, random: Random): number[] {
  const found: number[] = [];
  for (let left = layers, rest = parts; rest > 0; rest--) {
    const [low, high] = [Math.max(1, left - (rest - 1) * most), Math.min(most, left - (rest - 1))];
    const own = low + Math.floor(random() * (high - low + 1));
    found.push(own);
    left -= own;
  }
  return found;
}
