/** Long work in slices, so that frames are drawn and keys are heard meanwhile. */

/** Awaited within loops: gives others their turn once a slice is over. */
export type Pace = () => Promise<void> | undefined;

/** Milliseconds of work at a time: half a frame. */
const SLICE = 8;

/** `ended` is asked after every rest; where it holds, {@link Superseded} is thrown. */
export function pace(ended: () => boolean = () => false): Pace {
  let start = performance.now();
  return () => {
    if (performance.now() - start < SLICE) return undefined;
    return new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        start = performance.now();
        if (ended()) reject(new Superseded());
        else resolve();
      });
    });
  };
}

/** Something else is to be shown by now. */
export class Superseded extends Error {
  constructor() {
    super('something else is to be shown');
  }
}
