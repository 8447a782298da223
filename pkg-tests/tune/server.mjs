// A service in a process of its own. TUNE_STUCK: a place where it stands still for ever, once, and says so.
import { readFileSync } from 'node:fs';
import { createTuneService, readSettings } from 'cipherloom/tune/service';

const { TUNE_STUCK: stuck = '' } = process.env;
const service = await createTuneService(readSettings(process.env, readFileSync), {
  at: (place) => {
    if (place !== stuck) return undefined;
    console.log(`stands at ${place}`);
    return new Promise(() => setInterval(() => {}, 1000));
  },
});
console.log(`best implementations are served at ${await service.listen()}`);
process.once('SIGTERM', async () => {
  await service.close();
  process.exit(0);
});
