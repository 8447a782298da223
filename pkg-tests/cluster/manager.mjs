// A manager in a process of its own, for tests that kill it: node manager.mjs REDIS FOLDER RUN ROWS. Prints its result and how it stands.
import { cluster, folderStore } from 'cipherloom/cluster';
import { run } from './jobs.mjs';

const [redis, folder, name, rows] = process.argv.slice(2);
const crew = await cluster({ redis, store: folderStore(folder), run: name });
const done = await run(crew, { operator: 'told', rows: Number(rows), parts: Number(rows) });
const { workers, ...state } = crew.state();
console.log(JSON.stringify({ rows: done.rows, tasks: done.statistics.tasks, done: done.statistics.done, state }));
await crew.close();
