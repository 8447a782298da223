// A manager in a process of its own, for tests that kill it: node manager.mjs REDIS FOLDER RUN. Prints its result and how it stands.
import { cluster, folderStore } from 'cipherloom/cluster';
import { run } from './jobs.mjs';

const [redis, folder, name] = process.argv.slice(2);
const crew = await cluster({ redis, store: folderStore(folder), run: name });
console.log('begins');
const { rows, statistics } = await run(crew, { operator: 'told', rows: 60, parts: 60 });
const { workers, ...state } = crew.state();
console.log(JSON.stringify({ rows, tasks: statistics.tasks, done: statistics.done, state, workers: workers.length }));
await crew.close();
