/** A task client worker: compiles tasks over values, holds secret keys, encrypts and decrypts. */
import type { RawTaskClient, RawTasks } from '../raw.js';
import { openTasks } from '../raw-tasks.js';
import { Handles } from './handles.js';
import { overwrite } from './overwrite.js';
import type { TaskClientMethods } from './protocol.js';
import { Moved, serve } from './serve.js';
import { open, taskMethods, tasks } from './task-methods.js';

const clients = new Handles<RawTaskClient>();
let raw: RawTasks;

serve<TaskClientMethods>({
  start(_, options) {
    const instance = openTasks(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  ...taskMethods(() => raw),
  compile: ({ hear }, task, options) =>
    open(raw.RawTask.compile(JSON.stringify(task), JSON.stringify(options), hear)),
  createClient: (_, task) => clients.add(new raw.RawTaskClient(tasks.get(task))),
  restoreClient: (_, task, saved) => clients.add(raw.RawTaskClient.restore(tasks.get(task), saved)),
  saveClient: (_, client) => {
    const saved = clients.get(client).save();
    return new Moved(saved, [saved.buffer]);
  },
  freeClient: (_, client) => clients.free(client),
  key: (call, client, name) => {
    const job = clients.get(client).keyJob(name);
    return call.finish(job, () => {
      const bytes = job.takeBytes();
      return new Moved(bytes, [bytes.buffer]);
    });
  },
  encrypt: (call, client, names, cells, present) => {
    try {
      const job = clients.get(client).encryptJob(names, cells, present);
      return call.finish(job, () => {
        const objects = job.takeObjects();
        return new Moved(
          objects,
          objects.map(({ bytes }) => bytes.buffer),
        );
      });
    } finally {
      // The job has its own, and wipes them.
      for (const data of [...cells, ...present]) overwrite(data);
    }
  },
  decrypt: (call, client, results, names, cells, present) => {
    const job = clients.get(client).decryptJob(results, names, cells, present);
    return call.finish(job, () => {
      const values = job.takeCells();
      // Moved, so that no copy stays behind.
      const arrays = values.flatMap(({ cells, present, integers }) => [cells, present, integers]);
      return new Moved(
        values,
        arrays.flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer] : [])),
      );
    });
  },
});
