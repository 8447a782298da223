/**
 * What the code of all kernels is made of: arithmetic modulo a prime in doubles, two lanes, as the built-in kernels have it (`engine/src/platform/simd/fused.rs`): `h = a w`,
 * `l = h - a w` exactly, `b = round(a w / q)`, and `a w - b q = (h - b q) - l`.
 */
import type { WasmSchedule } from './schedule.js';
import type { Body, Local } from './wasm-writer.js';

/** 2^52: adding it to a small integer shows that in the lowest bits. */
export const INTEGERS = 2 ** 52;
/** Adding and subtracting it rounds. */
const ROUND = 1.5 * 2 ** 52;
/** Bytes of a word, and of two. */
export const WORD = 8;
export const VECTOR = 16;

/** A kernel: code, and which doubles it reads (`engine/src/platform/made.rs`: `Offer::layout`). */
export interface Made {
  /** Exports `closed`, from and to residues, and `open`, which leaves or takes doubles. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly layout: Uint32Array<ArrayBuffer>;
}

/** Parameters of all functions: `out`, `a`, `factors`, `rest`; those of passes have the factors of their blocks before. */
export const PARAMETERS = 4;

/** What of a schedule its arithmetic depends on. */
type Arithmetic = Pick<WasmSchedule, 'rounding' | 'prime'>;

/** What all functions of a kernel emit. */
export class Emitter<S extends Arithmetic = Arithmetic> {
  readonly body: Body;
  readonly schedule: S;
  readonly out: Local;
  readonly a: Local;
  readonly factors: Local;
  readonly rest: Local;
  readonly q: Local;
  readonly inverse: Local;
  readonly round: Local;
  readonly high: Local;

  /** `first`: number of the parameter `out`. */
  constructor(body: Body, schedule: S, first: number) {
    this.body = body;
    this.schedule = schedule;
    [this.out, this.a, this.factors, this.rest] = [0, 1, 2, 3].map((at) => body.parameter(first + at)) as [
      Local,
      Local,
      Local,
      Local,
    ];
    [this.q, this.inverse, this.round, this.high] = Array.from({ length: 4 }, () => body.local('v128')) as [
      Local,
      Local,
      Local,
      Local,
    ];
    const { prime } = schedule;
    if (prime === undefined) {
      body.get(this.factors).loadSplat(0).set(this.q);
      body.get(this.factors).loadSplat(WORD).set(this.inverse);
    } else {
      body.f64x2(prime).set(this.q);
      body.f64x2(1 / prime).set(this.inverse);
    }
    if (schedule.rounding === 'add') body.f64x2(ROUND).set(this.round);
  }

  vector(): Local {
    return this.body.local('v128');
  }

  /** Rounds the product of the two vectors on the stack to integers. */
  roundedProduct(): void {
    if (this.schedule.rounding === 'add')
      this.body.get(this.round).do('f64x2.relaxed_madd').get(this.round).do('f64x2.sub');
    else this.body.do('f64x2.mul').do('f64x2.nearest');
  }

  /** Leaves `x w` modulo the prime on the stack. `w`, `byPrime` put the factor there, and that by the prime. */
  product(x: Local, w: () => void, byPrime: (() => void) | undefined): void {
    const { body, high, q } = this;
    body.get(x);
    w();
    body.do('f64x2.mul').set(high);
    if (byPrime === undefined) body.get(high).get(this.inverse);
    else {
      body.get(x);
      byPrime();
    }
    this.roundedProduct();
    body.get(q).get(high).do('f64x2.relaxed_nmadd');
    body.get(x);
    w();
    body.get(high).do('f64x2.relaxed_nmadd').do('f64x2.sub');
  }

  reduce(x: Local): void {
    this.body.get(x).get(this.inverse);
    this.roundedProduct();
    this.body.get(this.q).get(x).do('f64x2.relaxed_nmadd').set(x);
  }

  /** Words on the stack become doubles. `integers`: 2^52. */
  fromWords(integers: Local): void {
    this.body.get(integers).do('v128.or').get(integers).do('f64x2.sub');
  }

  /** Half of one by the prime, for {@link floored}. */
  setBias(bias: Local): void {
    const { prime } = this.schedule;
    if (prime === undefined) this.body.get(this.inverse).f64x2(0.5).do('f64x2.mul').set(bias);
    else this.body.f64x2(0.5 / prime).set(bias);
  }

  /** Words of residues: by `floor((x + 1/2) / q)`, and what it leaves. */
  floored(x: Local, integers: Local, bias: Local): void {
    const { body } = this;
    body.get(x).get(this.inverse).get(bias).do('f64x2.relaxed_madd').do('f64x2.floor');
    body.get(this.q).get(x).get(integers).do('f64x2.add').do('f64x2.relaxed_nmadd');
    body.get(integers).do('v128.xor').set(x);
  }

  /** Words of residues, of what is larger than the negative prime, and smaller than it: negative ones have the prime added. */
  lifted(x: Local, integers: Local): void {
    const { body } = this;
    body.get(x).get(integers).do('f64x2.add');
    body.get(x).f64x2(0).do('f64x2.lt').get(this.q).do('v128.and').do('f64x2.add');
    body.get(integers).do('v128.xor').set(x);
  }
}
