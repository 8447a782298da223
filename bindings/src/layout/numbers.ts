/** Types of numbers that labels name. */
import { roundToHalf } from './half.js';
import { checkOneOf } from './wrong.js';

/** What is known of a type: its bytes, and how a double becomes one of its numbers. */
export interface NumberKind {
  readonly bytes: number;
  readonly round: (x: number) => number;
}

/** Truncates and saturates; NaN gives 0, as conversions of tensors do. */
const whole =
  (least: number, most: number) =>
  (x: number): number =>
    Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x), least), most) + 0;

/** Types by name. Floats round to nearest, ties to even; integers truncate and saturate, NaN gives 0. */
export const NUMBER_KINDS = {
  float16: { bytes: 2, round: roundToHalf },
  float32: { bytes: 4, round: Math.fround },
  float64: { bytes: 8, round: (x) => x },
  int8: { bytes: 1, round: /* @__PURE__ */ whole(-128, 127) },
  uint8: { bytes: 1, round: /* @__PURE__ */ whole(0, 255) },
  int16: { bytes: 2, round: /* @__PURE__ */ whole(-(2 ** 15), 2 ** 15 - 1) },
  uint16: { bytes: 2, round: /* @__PURE__ */ whole(0, 2 ** 16 - 1) },
  int32: { bytes: 4, round: /* @__PURE__ */ whole(-(2 ** 31), 2 ** 31 - 1) },
  uint32: { bytes: 4, round: /* @__PURE__ */ whole(0, 2 ** 32 - 1) },
} as const satisfies Readonly<Record<string, NumberKind>>;

/** A type of numbers. Integers of 64 bits are none: a double does not hold them. */
export type NumberType = keyof typeof NUMBER_KINDS;

/** Their names. */
export const NUMBER_TYPES = /* @__PURE__ */ Object.keys(NUMBER_KINDS) as readonly NumberType[];

/** What is known of a type. Errors: LayoutError `layout.label` for one that there is not. */
export function numberKind(type: NumberType): NumberKind {
  return NUMBER_KINDS[checkOneOf('layout.label', 'type of numbers', type, NUMBER_TYPES)];
}
