import { describe, expect, it } from 'vitest';
import {
  decimalsOf,
  ExactDecimal,
  floorSqrt,
  powerOfTen,
  ratio,
  ratioToRoot,
  toUnits,
} from '../src/exact.js';
import { randomBigInt, randomDouble, random } from './random.js';

/** An exact fraction. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/** The exact value of a finite double, from its bits. */
function exactly(x: number): Fraction {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = (exponent === 0 ? fraction : fraction + (1n << 52n)) * (bits >> 63n ? -1n : 1n);
  const power = Math.max(exponent, 1) - 1075;
  return power >= 0
    ? { top: mantissa << BigInt(power), bottom: 1n }
    : { top: mantissa, bottom: 1n << BigInt(-power) };
}

/** The neighbor of a double in the order of doubles. */
function neighbor(x: number, step: 1n | -1n): number {
  if (x === 0) return step > 0n ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigUint64(0, view.getBigUint64(0) + (x > 0 ? step : -step));
  return view.getFloat64(0);
}

function isEven(x: number): boolean {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return (view.getBigUint64(0) & 1n) === 0n;
}

/** x + y halved. */
function middle(x: Fraction, y: Fraction): Fraction {
  return { top: x.top * y.bottom + y.top * x.bottom, bottom: 2n * x.bottom * y.bottom };
}

/**
 * The slow model: no double is nearer, and a tie went to the even one. `compare(f)` is the sign of (true
 * value - f).
 */
function expectNearest(x: number, compare: (f: Fraction) => number): void {
  const here = exactly(x);
  const low = compare(middle(exactly(neighbor(x, -1n)), here));
  const high = compare(middle(exactly(neighbor(x, 1n)), here));
  const fits = low >= 0 && high <= 0 && (isEven(x) || (low > 0 && high < 0));
  if (!fits) throw new Error(`${x} is not the nearest double`);
}

const sign = (x: bigint): number => (x > 0n ? 1 : x < 0n ? -1 : 0);

function expectRatio(top: bigint, bottom: bigint): void {
  expectNearest(ratio(top, bottom), (f) => sign(top * f.bottom - f.top * bottom));
}

/** a / sqrt(b) against f: compares signs first, then squares. */
function expectRatioToRoot(a: bigint, b: bigint): void {
  expectNearest(ratioToRoot(a, b), (f) => {
    if (sign(a) !== sign(f.top)) return sign(a) - sign(f.top);
    return sign(a) * sign(a * a * f.bottom * f.bottom - f.top * f.top * b);
  });
}

describe('toUnits', () => {
  it('takes a number as its shortest decimal form', () => {
    expect(toUnits(0.1, 1)).toBe(1n);
    expect(toUnits(1.005, 3)).toBe(1005n);
    expect(toUnits(-12.5, 2)).toBe(-1250n);
    expect(toUnits(1e21, 0)).toBe(10n ** 21n);
    expect(toUnits(1.5e-7, 8)).toBe(15n);
    expect(toUnits(-0, 3)).toBe(0n);
    expect(toUnits(7n, 2)).toBe(700n);
    expect(toUnits(9007199254740993n, 0)).toBe(9007199254740993n);
    expect(toUnits(0.30000000000000004, 17)).toBe(30000000000000004n);
  });

  it('refuses more decimals than there are', () => {
    expect(toUnits(0.125, 2)).toBeUndefined();
    expect(toUnits(0.1 + 0.2, 15)).toBeUndefined();
    expect(toUnits(5e-324, 18)).toBeUndefined();
    expect(decimalsOf(0.125)).toBe(3);
    expect(decimalsOf(1e-7)).toBe(7);
    expect(decimalsOf(1.5e300)).toBe(0);
  });

  it('agrees with a model on strings, near and beyond the limits of its fast path', () => {
    for (let i = 0; i < 50_000; i++) {
      const decimals = random(19);
      const digits = random(18) + 1;
      const units = randomBigInt(10n ** BigInt(digits));
      const value = Number(new ExactDecimal(units, decimals).toString());
      expect(toUnits(value, decimals)).toBe(model(value, decimals));
    }
    for (let i = 0; i < 20_000; i++) {
      const value = randomDouble();
      const decimals = random(19);
      expect(toUnits(value, decimals)).toBe(model(value, decimals));
    }
  });

  /** Moves the point of the shortest form, digit by digit. */
  function model(value: number, decimals: number): bigint | undefined {
    const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    let text = whole + fraction;
    let places = fraction.length - Number(exponent);
    for (; places < decimals; places++) text += '0';
    for (; places > decimals; places--) {
      if (!text.endsWith('0')) return undefined;
      text = text.slice(0, -1) || '0';
    }
    return value < 0 ? -BigInt(text) : BigInt(text);
  }
});

describe('ExactDecimal', () => {
  it('prints every digit', () => {
    expect(String(new ExactDecimal(-50n, 2))).toBe('-0.50');
    expect(String(new ExactDecimal(0n, 3))).toBe('0.000');
    expect(String(new ExactDecimal(123456n, 0))).toBe('123456');
    expect(JSON.stringify({ sum: new ExactDecimal(1n, 1) })).toBe('{"sum":"0.1"}');
  });

  it('rounds as parsing its digits does', () => {
    for (let i = 0; i < 20_000; i++) {
      const decimal = new ExactDecimal(randomBigInt(10n ** BigInt(random(40) + 1)), random(30));
      expect(decimal.toNumber() + 0).toBe(Number(decimal.toString()) + 0);
    }
  });
});

describe('ratio', () => {
  it('is the nearest double of random fractions', () => {
    for (let i = 0; i < 20_000; i++) {
      expectRatio(
        randomBigInt(1n << BigInt(random(300) + 1)),
        1n + randomBigInt(1n << BigInt(random(300) + 1), 0n),
      );
    }
  });

  it('breaks ties to even', () => {
    for (let i = 0; i < 5_000; i++) {
      const odd = 2n * randomBigInt(1n << 53n, 1n << 52n) + 1n;
      for (const delta of [-1n, 0n, 1n]) expectRatio(odd * (1n << 80n) + delta, 1n << BigInt(random(200)));
    }
    expect(ratio(2n ** 53n + 1n, 1n)).toBe(2 ** 53);
    expect(ratio(2n ** 53n + 3n, 1n)).toBe(2 ** 53 + 4);
  });

  it('goes down to subnormals and up to infinity', () => {
    for (let i = 0; i < 2_000; i++) {
      expectRatio(randomBigInt(1n << 60n) | 1n, 1n << BigInt(1060 + random(70)));
    }
    expect(ratio(1n, 1n << 1075n)).toBe(0);
    expect(ratio(3n, 1n << 1075n)).toBe(2 * Number.MIN_VALUE);
    expect(ratio(1n << 1024n, 1n)).toBe(Number.POSITIVE_INFINITY);
    expect(ratio(-(1n << 1023n), 1n)).toBe(-(2 ** 1023));
    expect(ratio(0n, 5n)).toBe(0);
  });
});

describe('ratioToRoot', () => {
  it('is the nearest double of random arguments', () => {
    for (let i = 0; i < 20_000; i++) {
      expectRatioToRoot(
        randomBigInt(1n << BigInt(random(300) + 1)),
        1n + randomBigInt(1n << BigInt(random(300) + 1), 0n),
      );
    }
  });

  it('is exact on exact roots, and breaks their ties to even', () => {
    for (let i = 0; i < 2_000; i++) {
      const root = 1n + randomBigInt(1n << 60n, 0n);
      expect(ratioToRoot(root * 3n, root * root)).toBe(3);
      expect(ratioToRoot(-root, root * root)).toBe(-1);
      const odd = 2n * randomBigInt(1n << 53n, 1n << 52n) + 1n;
      expectRatioToRoot(odd, 1n << BigInt(2 * random(100)));
      expectRatioToRoot(odd * root + BigInt(random(3) - 1), root * root);
    }
  });
});

describe('floorSqrt', () => {
  it('is the greatest integer whose square is not greater', () => {
    for (let i = 0; i < 5_000; i++) {
      const x = i < 1000 ? BigInt(i) : randomBigInt(1n << BigInt(random(400) + 1), 0n);
      for (const y of [x, x * x, x * x + 2n * x]) {
        const root = floorSqrt(y);
        expect(root * root <= y && (root + 1n) * (root + 1n) > y).toBe(true);
      }
    }
  });

  it('has exact powers of ten', () => {
    for (let k = 0; k <= 22; k++) expect(BigInt(10 ** k)).toBe(powerOfTen(k));
  });
});
