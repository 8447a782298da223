// Calls that are right, and must compile; and wrong ones, which must not.
import type { Circuit, Client, DataOwner, HeldValues, Program, Value } from 'cipherloom';

interface Row {
  readonly ages: number[][];
  readonly smokes?: boolean;
}
interface Sent {
  readonly ages: Uint8Array;
}
interface Data {
  readonly x: Float32Array;
}
declare const row: Row;
declare const sent: Sent;
declare const data: Data;
declare const stored: Record<string, Buffer>;
declare const either: { readonly a: number[] } | { readonly b: boolean };

export async function byName(program: Program, client: Client, owner: DataOwner, held: HeldValues, circuit: Circuit) {
  const keys = client.evaluationKeys;
  await client.encrypt(row);
  await owner.encrypt(row);
  await client.plain(row);
  await client.encrypt(either);
  await client.encrypt({ ages: [1, null, undefined], days: ['2020-02-29', new Date(0)], all: BigInt64Array.of(1n) });
  await program.run(sent, keys, { plain: { w: 1 } });
  await program.run(stored, keys);
  await program.run({ ...(await client.encrypt({})), ages: new Uint8Array() }, keys);
  await program.hold(sent, keys);
  await held.run();
  await held.run(sent);
  const { mean } = await client.decrypt(sent);
  await client.decryptExact(await program.run({}, keys));
  await client.decryptDetails(sent);
  await circuit.run(data);
  // What a wrapper takes.
  const wrapped = (values: Parameters<Client['encrypt']>[0]) => client.encrypt(values);
  await wrapped({ ages: [1] });
  // @ts-expect-error a cell is no object
  await client.encrypt({ ages: { of: 1 } });
  // @ts-expect-error values have names
  await client.encrypt([1, 2]);
  // @ts-expect-error
  await client.encrypt('x');
  // @ts-expect-error
  await client.encrypt(5);
  // @ts-expect-error an await is missing
  await program.run(client.encrypt(row), keys);
  // @ts-expect-error
  await program.run(new Map<string, Uint8Array>(), keys);
  // @ts-expect-error
  await program.run({ ages: 'x' }, keys);
  // @ts-expect-error typed arrays alone
  await circuit.run({ x: [1, 2] });
  return mean;
}

export function operands(value: Value) {
  value.add(BigInt64Array.of(1n, 2n));
  value.add([new Float64Array(3), new Float64Array(3)]);
  value.add([BigInt64Array.of(1n), [2]]);
  value.slice(Int32Array.of(0, 0), Int32Array.of(1, 1));
  value.equals(['north', 'south']);
  // @ts-expect-error no cells
  value.add([{}]);
  // @ts-expect-error whole numbers
  value.slice(BigInt64Array.of(0n));
}
