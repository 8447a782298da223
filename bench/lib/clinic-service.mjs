// The clinic's service as the benchmark starts it. CLINIC_CLEAR=1: the same, but that records are numbers in the clear, and an evaluator computes on these what the program would.
import { createService } from '../../examples/clinic/service/app.mjs';
import { readConfig } from '../../examples/clinic/service/config.mjs';
import { framed, statistics, unframed } from './clinic-question.mjs';

/** Computes in the request thread: it takes microseconds. */
const clear = {
  async run({ inputs }, read) {
    const columns = await Promise.all(['age', 'pressure'].map(async (name) => unframed(await read(inputs[name]))));
    return { statistics: framed(statistics(...columns)) };
  },
  stop() {},
};
const own = process.env.CLINIC_CLEAR === '1' ? { startEvaluator: async () => clear } : {};
const service = await createService(readConfig(process.env), own);
console.log(`clinic listens on ${await service.listen()}`);
process.once('SIGTERM', async () => {
  await service.close();
  process.exit(0);
});
