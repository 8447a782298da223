/** All parties of a shared graph, run at once in one loom over one hub, with what they sent each other. */
import type { Crossing, RunInputs, RunOutputs, SharedGraph, Cut } from 'cipherloom';
import { freshSeeds, inProcess, newRun } from 'cipherloom/parties';
import { decode } from '../../dist/parties/frame.js';

/** A value that crossed. */
export interface Crossed {
  readonly crossing: Crossing;
  readonly words: BigUint64Array;
}

export interface Together {
  readonly outputs: Readonly<Record<string, RunOutputs>>;
  /** By channel, put together from the messages that a transport carried. */
  readonly crossed: ReadonlyMap<string, Crossed>;
}

/** `data` may give seeds; those that it does not give are drawn. */
export async function together(
  shared: SharedGraph,
  data: Readonly<Record<string, RunInputs>>,
  change: (cut: Cut) => Promise<Cut> = async (cut) => cut,
): Promise<Together> {
  const [hub, run] = [inProcess(), newRun()];
  const values = new Map<string, Uint8Array>();
  const cuts = await Promise.all(shared.parties.map(async (party) => change(await shared.cut(party))));
  const all = await Promise.all(
    cuts.map(async (cut) => {
      const joined = hub.join(cut.party);
      const transport = {
        ...joined,
        send: (to: string, bytes: Uint8Array) => {
          const frame = decode(bytes);
          if (frame.kind === 'piece') {
            const value = values.get(frame.channel) ?? new Uint8Array(frame.total);
            value.set(frame.bytes, frame.from);
            values.set(frame.channel, value);
          }
          return joined.send(to, bytes);
        },
      };
      const inputs = { ...freshSeeds(cut), ...data[cut.party] };
      return [cut.party, await cut.run(inputs, { transport, run, leaves: cut.leaves })] as const;
    }),
  );
  const crossings = cuts.flatMap(({ sends }) => sends);
  const crossed = crossings.map((crossing): [string, Crossed] => {
    const bytes = values.get(crossing.channel) as Uint8Array;
    return [crossing.channel, { crossing, words: new BigUint64Array(bytes.slice().buffer) }];
  });
  cuts.forEach((cut) => cut.dispose());
  return { outputs: Object.fromEntries(all), crossed: new Map(crossed) };
}
