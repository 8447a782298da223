// A party in a process of its own. It is told by a message what to do, and says how it went by another one.
import { load } from 'cipherloom';
import { inFolder, keptRandom, overBroadcast, overNats, sealed } from 'cipherloom/parties';
import { dataOf, SIZE } from './graph.mjs';

process.once('message', async (about) => {
  const result = await work(about).catch(({ code, message, details }) => ({
    error: { code, message, reason: details?.reason, party: details?.party },
  }));
  process.send(result, () => process.disconnect());
});

async function work({ party, graph, run, nats, keys, others, keep, seed, timeout, relayed }) {
  const loom = await load({ mode: 'single', threads: 1 });
  try {
    const cut = await (await loom.shared(graph)).cut(party);
    const store = keep && inFolder(keep);
    const inputs = { [`${party}: values`]: dataOf(seed).data[party] };
    if (party === 'north')
      inputs['north: mask'] = new Uint32Array((await keptRandom(store, run, 'mask', 4 * SIZE)).buffer);
    const plain = relayed ? overBroadcast(overParent(), party) : await overNats({ ...nats, run, party });
    const refused = [];
    const onRefused = ({ code }) => refused.push(code);
    const transport = keys ? await sealed(plain, { party, run, keys, others, onRefused }) : plain;
    // The test hears how far it is.
    const noted = {
      close: () => transport.close(),
      listen: (...how) => transport.listen(...how),
      send: async (to, bytes) => {
        await transport.send(to, bytes);
        process.send({ sent: true });
      },
    };
    const options = { transport: noted, run, keep: store, timeout, onRefused, approve: () => true };
    try {
      const outputs = await cut.run(inputs, options);
      return { outputs, refused };
    } finally {
      transport.close();
    }
  } finally {
    loom.dispose();
  }
}

/** The parent process as what carries messages. */
function overParent() {
  const heard = new Map();
  return {
    postMessage: (data) => process.send({ relay: data }),
    addEventListener: (_, listener) => {
      heard.set(listener, (data) => data.relay && listener({ data: data.relay }));
      process.on('message', heard.get(listener));
    },
    removeEventListener: (_, listener) => process.off('message', heard.get(listener)),
    close: () => {},
  };
}
