// An explorer that takes a task and never ends it, until it is killed.
import { openExplorerKeys, runExplorer } from 'cipherloom/tune';

const { EXPLORER_URL: url = '', EXPLORER_KEYS: saved = '', EXPLORER_DEVICE: device = '' } = process.env;
await runExplorer({
  ...{ url, keys: await openExplorerKeys(Buffer.from(saved, 'hex')), version: 'test' },
  signal: new AbortController().signal,
  explorer: {
    device,
    explore: ({ operator }) => {
      console.log(`explores ${operator}`);
      return new Promise(() => setInterval(() => {}, 1000));
    },
  },
});
