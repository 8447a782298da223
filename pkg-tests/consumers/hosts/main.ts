// As the README begins.
import { createTask, load, type Client, type Loom, type Program } from 'cipherloom';

const AGES: readonly number[] = [34, 71, 28, 45, 62, 19, 53, 40];

// Types are checked, and not `any`.
// @ts-expect-error threads are a number
export const wrong: Parameters<typeof load>[0] = { threads: 'two' };

const loom: Loom = await load({ threads: 2 });
const task = createTask();
const ages = task.encrypted('ages', { shape: [AGES.length], min: 0, max: 120 });
task.output('mean', ages.mean());
const program: Program = await loom.compile(task);
const client: Client = await program.client();
const results = await program.run(await client.encrypt({ ages: AGES }), client.evaluationKeys);
const { mean } = await client.decrypt(results);
console.log(JSON.stringify({ mean, threads: loom.mode.threads }));
loom.dispose();
