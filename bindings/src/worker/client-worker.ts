/** A client worker: compiles tasks, holds secret keys, encrypts and decrypts. */
import type { NamedBytes, RawClient, RawJob, RawColumns, RawOutputValues } from '../raw.js';
import { openColumns } from '../raw-columns.js';
import { Handles } from './handles.js';
import { overwrite } from './overwrite.js';
import { open, programMethods, programs } from './program-methods.js';
import type { ClientMethods } from './protocol.js';
import { type Call, Moved, serve } from './serve.js';

const clients = new Handles<RawClient>();
let raw: RawColumns;

function moved(bytes: Uint8Array<ArrayBuffer>): Moved<Uint8Array<ArrayBuffer>> {
  return new Moved(bytes, [bytes.buffer]);
}

function movedAll(objects: NamedBytes[]): Moved<NamedBytes[]> {
  return new Moved(
    objects,
    objects.map(({ bytes }) => bytes.buffer),
  );
}

/** Moved, so that no copy stays behind. */
function movedValues(outputs: RawOutputValues[]): Moved<RawOutputValues[]> {
  const columns = outputs.flatMap(({ parts }) => Object.values(parts));
  return new Moved(
    outputs,
    columns.flatMap((integers) => (integers instanceof BigInt64Array ? [integers.buffer] : [])),
  );
}

function bytesOf(call: Call, job: RawJob): Promise<Moved<Uint8Array<ArrayBuffer>>> {
  return call.finish(job, () => moved(job.takeBytes()));
}

serve<ClientMethods>({
  start(_, options) {
    const instance = openColumns(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  ...programMethods(() => raw),
  compile: ({ hear }, task, options) => open(raw.RawProgram.compile(task, options, hear)),
  createClient: (_, program) => clients.add(new raw.RawClient(programs.get(program))),
  restoreClient: (_, program, saved) => clients.add(raw.RawClient.restore(programs.get(program), saved)),
  saveClient: (_, client) => moved(clients.get(client).save()),
  freeClient: (_, client) => clients.free(client),
  key: (call, client, index) => bytesOf(call, clients.get(client).keyJob(index)),
  encrypt: (call, client, inputs, units, present) => {
    try {
      const job = clients.get(client).encryptJob(inputs, units, present);
      return call.finish(job, () => movedAll(job.takeObjects()));
    } finally {
      // The job has its own, and wipes them.
      for (const data of [...units, ...present]) overwrite(data);
    }
  },
  decrypt: (call, client, names, at, ciphertexts, inputs) => {
    const job = clients.get(client).decryptJob(names, at, ciphertexts, inputs);
    return call.finish(job, () => movedValues(job.takeValues()));
  },
});
