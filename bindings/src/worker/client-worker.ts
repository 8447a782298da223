/** The client worker: compiles tasks, holds secret keys, encrypts and decrypts. */
import {
  type NamedBytes,
  openRaw,
  type RawClient,
  type RawJob,
  type RawModule,
  type RawProgram,
} from '../raw.js';
import { Handles } from './handles.js';
import type { ClientMethods, OpenProgram } from './protocol.js';
import { type Call, Moved, serve } from './serve.js';

const programs = new Handles<RawProgram>();
const clients = new Handles<RawClient>();
let raw: RawModule;

function open(program: RawProgram): Moved<OpenProgram> {
  const bytes = program.bytes();
  return new Moved({ program: programs.add(program), info: program.info(), bytes }, [bytes.buffer]);
}

function moved(bytes: Uint8Array<ArrayBuffer>): Moved<Uint8Array<ArrayBuffer>> {
  return new Moved(bytes, [bytes.buffer]);
}

function movedAll(objects: NamedBytes[]): Moved<NamedBytes[]> {
  return new Moved(
    objects,
    objects.map(({ bytes }) => bytes.buffer),
  );
}

function bytesOf(call: Call, job: RawJob): Promise<Moved<Uint8Array<ArrayBuffer>>> {
  return call.finish(job, () => moved(job.takeBytes()));
}

serve<ClientMethods>({
  start(_, options) {
    const instance = openRaw(options);
    raw = instance.raw;
    return { version: raw.version(), memoryBytes: instance.memoryBytes };
  },
  compile: (_, task, options) => open(raw.RawProgram.compile(task, options)),
  openProgram: (_, bytes) => open(raw.RawProgram.fromBytes(bytes)),
  text: (_, program, stage) => programs.get(program).text(stage),
  graph: (_, program, stage) => programs.get(program).graph(stage),
  freeProgram: (_, program) => programs.free(program),
  createClient: (_, program) => clients.add(new raw.RawClient(programs.get(program))),
  restoreClient: (_, program, saved) => clients.add(raw.RawClient.restore(programs.get(program), saved)),
  saveClient: (_, client) => moved(clients.get(client).save()),
  freeClient: (_, client) => clients.free(client),
  key: (call, client, index) => bytesOf(call, clients.get(client).keyJob(index)),
  encrypt: (call, client, inputs, units, present) => {
    const job = clients.get(client).encryptJob(inputs, units, present);
    return call.finish(job, () => movedAll(job.takeObjects()));
  },
  decrypt: (call, client, names, at, ciphertexts) => {
    const job = clients.get(client).decryptJob(names, at, ciphertexts);
    return call.finish(job, () => job.takeValues());
  },
});
