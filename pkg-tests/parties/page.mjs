// A party in a tab: `work` does what party.mjs does in a process.
import { load } from 'cipherloom';
import { inIndexedDB, inMemory, keptRandom, overNats, partyKeys, sealed } from 'cipherloom/parties';
import * as libraries from '/libraries.js';

/** For tests of the store. */
window.inIndexedDB = inIndexedDB;

let keys;
/** Makes the keys of this tab, and gives the public one. */
window.makeKeys = async () => {
  keys = await partyKeys();
  return [...keys.publicKey];
};

window.work = async ({ party, run, graph, nats, others, values, mask }) => {
  const bytes = (numbers) => Uint8Array.from(numbers);
  const loom = await load({ mode: 'single', threads: 1 });
  const refused = [];
  const onRefused = ({ code }) => refused.push(code);
  let transport;
  try {
    const cut = await (await loom.shared(bytes(graph))).cut(party);
    const known = Object.fromEntries(Object.entries(others).map(([name, key]) => [name, bytes(key)]));
    const plain = await overNats({ ...nats, run, party, libraries });
    transport = await sealed(plain, { party, run, keys, others: known, onRefused });
    const inputs = { [`${party}: values`]: Uint32Array.from(values) };
    const keep = inMemory();
    if (mask) {
      const random = await keptRandom(keep, run, 'mask', 4 * values.length);
      inputs['north: mask'] = new Uint32Array(random.buffer);
    }
    const options = { transport, run, timeout: 60_000, keep, onRefused, approve: () => true };
    const outputs = await cut.run(inputs, options);
    return { sum: [...outputs[`${party}: sum`]], refused };
  } catch (error) {
    return { error: `${error.code} ${error.message}` };
  } finally {
    transport?.close();
    loom.dispose();
  }
};
