import { mulberry32 } from '../lib/random.mjs';

/** Random choices, the same for the same seed and index. */
export class Dice {
  #random;

  constructor(seed, index) {
    this.#random = mulberry32(mixed(mixed(seed) ^ index));
  }

  /** A whole number from 0 to below a limit. */
  below(limit) {
    return Math.floor(this.#random() * limit);
  }

  /** A whole number from least to most. */
  between(least, most) {
    return least + this.below(most - least + 1);
  }

  /** A bigint from least to most. */
  bigBetween(least, most) {
    const span = most - least + 1n;
    let value = 0n;
    for (let reach = 1n; reach < span << 16n; reach <<= 30n) value = (value << 30n) | BigInt(this.below(2 ** 30));
    return least + (value % span);
  }

  chance(probability) {
    return this.#random() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** One of the keys of `{ key: weight }`. */
  weighted(weights) {
    const entries = Object.entries(weights).filter(([, weight]) => weight > 0);
    let left = this.#random() * entries.reduce((total, [, weight]) => total + weight, 0);
    return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1))[0];
  }
}

/** All bits of a 32-bit number depend on all bits: the last step of MurmurHash3. */
function mixed(value) {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
