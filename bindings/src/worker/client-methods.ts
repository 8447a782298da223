/** What client workers do: one compiles tasks, holds secret keys, encrypts and decrypts; or holds public keys alone, and encrypts. */
import type { ErrorRecord } from '../errors.js';
import type {
  NamedBytes,
  NamedData,
  Open,
  RawClient,
  RawJob,
  RawOutput,
  RawOwner,
  RawParty,
  RawTasks,
  RawValues,
} from '../raw.js';
import { toRecord } from './error-record.js';
import { Handles } from './handles.js';
import { overwrite } from './overwrite.js';
import type { ClientMethods, Traced } from './protocol.js';
import { type Call, type Handlers, Moved } from './serve.js';
import { Programs, programMethods } from './program-methods.js';
import { traced } from './traced.js';

/** The handlers of one worker; `open` starts its instance. */
export function clientMethods(open: Open<RawTasks>): Handlers<ClientMethods> {
  const programs = new Programs();
  const clients = new Handles<RawClient>();
  const owners = new Handles<RawOwner>();
  const parties = new Handles<RawParty>();
  let raw: RawTasks;
  return {
    async start(_, options) {
      const instance = await open(options);
      raw = instance.raw;
      return { version: raw.version(), memoryBytes: instance.memoryBytes };
    },
    ...programMethods(programs, () => raw),
    compile: ({ hear }, steps, options) => {
      const all = raw.RawProgram.compileAll(JSON.stringify(steps), JSON.stringify(options), hear).map(
        (program) => programs.open(program),
      );
      return new Moved(
        all.map(({ value }) => value),
        all.flatMap(({ transfer }) => transfer),
      );
    },
    createClient: (_, program) => clients.add(new raw.RawClient(programs.get(program))),
    restoreClient: (_, program, saved) => clients.add(raw.RawClient.restore(programs.get(program), saved)),
    saveClient: (_, client) => {
      const saved = clients.get(client).save();
      return new Moved(saved, [saved.buffer]);
    },
    released: (_, client) => clients.get(client).released(),
    freeClient: (_, client) => clients.free(client),
    key: (call, client, trace, name) => made(call, trace, clients.get(client).keyJob(name)),
    publicKey: (call, client, trace) => made(call, trace, clients.get(client).publicKeyJob()),
    encrypt: (call, client, trace, ...values) => encrypted(call, trace, clients.get(client), values),
    createOwner: (_, program, publicKey) => owners.add(new raw.RawOwner(programs.get(program), publicKey)),
    freeOwner: (_, owner) => owners.free(owner),
    encryptAsOwner: (call, owner, trace, ...values) => encrypted(call, trace, owners.get(owner), values),
    decrypt: (call, client, trace, results, names, cells, present, inputs) => {
      const { names: given, encrypted } = inputs ?? { names: [], encrypted: [] };
      const bound = inputs !== undefined;
      const job = clients.get(client).decryptJob(results, names, cells, present, bound, given, encrypted);
      call.giveBack([], [...results, ...encrypted]);
      return traced(call, job, trace, () => moved(job.takeCells()));
    },
    createParty: (_, program, ...of) => parties.add(new raw.RawParty(programs.get(program), ...of)),
    freeParty: (_, party) => parties.free(party),
    saveParty: (_, party) => bytesMoved(parties.get(party).save()),
    partyReleased: (_, party) => parties.get(party).released(),
    partyDealing: (_, party) => bytesMoved(parties.get(party).dealing()),
    partyInputs: (_, party, secrets) => {
      const own = parties.get(party);
      switch (secrets.of) {
        case 'deal':
          return named(own.dealingInputs());
        case 'keys':
          return named(own.keyInputs(secrets.run));
        case 'decrypt':
          return named(own.decryptionInputs());
        case 'refresh':
          return named(own.refreshingInputs(secrets.run));
      }
    },
    partyKeep: (_, party, share) => {
      try {
        parties.get(party).keep(share);
      } finally {
        overwrite(share);
      }
    },
    partyKeys: (_, party, ...of) => bytesMoved(parties.get(party).keys(...of)),
    partyPublicKey: (_, party, ...made) => bytesMoved(parties.get(party).publicKey(...made)),
    partyKey: (_, party, ...made) => bytesMoved(parties.get(party).key(...made)),
    partyDecryption: (_, party, ...of) => parties.get(party).decryption(...of),
    partyOpened: (call, party, results, publicKey, names, outputs, open) => {
      const job = parties.get(party).openedJob(results, publicKey, names, outputs, ...open);
      return call.finish(job, () => moved(job.takeCells()));
    },
    partySwitching: (_, party, ...of) => parties.get(party).switching(...of),
    partySwitched: (_, party, ...of) => named(parties.get(party).switched(...of)),
    partyRefreshing: (_, party, ...of) => parties.get(party).refreshing(...of),
    partyRefreshed: (_, party, ...of) => named(parties.get(party).refreshed(...of)),
    plain: (_, client, names, cells, present) => {
      try {
        return moved(clients.get(client).plain(names, cells, present));
      } finally {
        for (const data of [...cells, ...present]) overwrite(data);
      }
    },
  };
}

function bytesMoved(bytes: Uint8Array<ArrayBuffer>): Moved<Uint8Array<ArrayBuffer>> {
  return new Moved(bytes, [bytes.buffer]);
}

/** Moved, so that no copy stays behind. */
function named(data: NamedData[]): Moved<NamedData[]> {
  return new Moved(
    data,
    data.map(({ bytes }) => bytes.buffer),
  );
}

/** The bytes that a job makes. */
function made(call: Call, trace: boolean, job: RawJob): Promise<Moved<Traced<Uint8Array<ArrayBuffer>>>> {
  return traced(call, job, trace, () => bytesMoved(job.takeBytes()));
}

/** What whoever has a key makes of values. */
function encrypted(
  call: Call,
  trace: boolean,
  holder: RawClient | RawOwner,
  values: RawValues,
): Promise<Moved<Traced<NamedBytes[]>>> {
  try {
    const job = holder.encryptJob(...values);
    return traced(call, job, trace, () => {
      const objects = job.takeObjects();
      return new Moved(
        objects,
        objects.map(({ bytes }) => bytes.buffer),
      );
    });
  } finally {
    // The job has its own, and wipes them.
    const given = [...values[1], ...values[2]];
    for (const data of given) overwrite(data);
    call.giveBack(given, []);
  }
}

/** Moved, so that no copy stays behind. */
function moved(outputs: RawOutput[]): Moved<RawOutput<ErrorRecord>[]> {
  const arrays = outputs.flatMap(({ cells, present, integers }) => [cells, present, integers]);
  const told = outputs.map(({ problem, ...output }): RawOutput<ErrorRecord> => {
    return problem === undefined ? output : { ...output, problem: toRecord(problem) };
  });
  return new Moved(
    told,
    arrays.flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer] : [])),
  );
}
