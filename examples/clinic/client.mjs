/**
 * The clinic's client for Node. Secret keys are made here, stay here (in a worker of cipherloom's), and leave only by {@link ClinicClient.saveKeys}, under a passphrase, into a file of yours.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** What the service refused: `code` as in its README, `status` of HTTP. */
export class ClinicError extends Error {
  constructor(status, { code, message, details }) {
    super(message);
    this.name = 'ClinicError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Between two tries to reach a service that is away. */
const AGAIN_MS = 250;

export class ClinicClient {
  /** Secret keys by the id of the set that the service has. @type {Map<string, import('cipherloom').Client>} */
  #keys = new Map();
  /** Opened programs by id. @type {Map<string, import('cipherloom').Program>} */
  #programs = new Map();
  #token;

  /**
   * @param {string} url of the service
   * @param {import('cipherloom').Loom} loom
   */
  constructor(url, loom) {
    this.url = new URL(url);
    this.loom = loom;
  }

  /** Registers with a code, and logs in. */
  static async register(url, loom, { code, name, password }) {
    const client = new ClinicClient(url, loom);
    await client.call('POST', '/register', { code, name, password });
    await client.login({ name, password });
    return client;
  }

  async login({ name, password }) {
    const { token, user } = await this.call('POST', '/sessions', { name, password });
    this.#token = token;
    this.user = user;
  }

  async logout() {
    await this.call('DELETE', '/sessions/current');
    this.#token = undefined;
  }

  /** One request. Errors: ClinicError; TypeError where the service is not there. */
  async call(method, path, body) {
    const response = await this.#send(method, path, body && JSON.stringify(body), 'application/json');
    return response.status === 204 ? undefined : response.json();
  }

  async #send(method, path, body, type, signal) {
    const response = await fetch(new URL(`/v1${path}`, this.url), {
      method,
      headers: {
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(body && { 'content-type': type }),
      },
      body,
      signal,
    });
    if (response.ok) return response;
    const told = await response.json().catch(() => ({}));
    throw new ClinicError(
      response.status,
      told.error ?? { code: 'service.failed', message: response.statusText },
    );
  }

  /** Stores bytes; gives their SHA-256, which is compared with one's own. */
  async upload(bytes) {
    const response = await this.#send('POST', '/blobs', bytes, 'application/octet-stream');
    const { sha } = await response.json();
    if (sha !== shaOf(bytes)) throw new Error('The service stored something else than was sent');
    return sha;
  }

  /** `path`: where who runs a question has it. */
  async download(sha, path = `/blobs/${sha}`) {
    const response = await this.#send('GET', path);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (shaOf(bytes) !== sha) throw new Error('The service gave something else than was asked for');
    return bytes;
  }

  async #uploadAll(byName) {
    const shas = {};
    for (const [name, bytes] of Object.entries(byName)) shas[name] = await this.upload(bytes);
    return shas;
  }

  /** Offers a program that was compiled here. Gives its id. */
  async publish(name, program) {
    const { id } = await this.call('POST', '/programs', { name, blob: await this.upload(program.toBytes()) });
    this.#programs.set(id, program);
    return id;
  }

  /**
   * Has the service select parameters and base operators for a task. What comes back is a program of that very task, or it is refused here: a service that changed the task would get
   * other numbers than were meant. Gives its id.
   */
  async compileThere(name, task, options) {
    const literal = task.literal();
    const { id, blob } = await this.call('POST', '/programs/compile', { name, task: literal, options });
    await this.checkedProgram(id, blob, literal);
    return id;
  }

  /** Opens a program of the service, and compares its task with the one that is meant. Errors: `program.other`. */
  async checkedProgram(id, blob, literal) {
    const bytes = await this.download(blob);
    if (!sameTask(taskIn(bytes), literal))
      throw new ClinicError(0, {
        code: 'program.other',
        message: 'The program computes another task',
        details: { where: id },
      });
    this.#programs.set(id, await this.loom.program(bytes));
  }

  /** Opens a program of the service; one that is not secure is refused. Look at what it computes before you encrypt for it: `toText('server')`. */
  async program(id) {
    if (!this.#programs.has(id)) {
      const { blob } = await this.call('GET', `/programs/${id}`);
      this.#programs.set(id, await this.loom.program(await this.download(blob)));
    }
    return this.#programs.get(id);
  }

  /** Makes keys for a program, and gives the service those that hold no secret. With `replaces` they take the place of others. Gives the id of the set. */
  async issueKeys(program, { replaces } = /** @type {{replaces?: string}} */ ({})) {
    const opened = await this.program(program);
    return this.#issue(program, opened, await opened.client(), replaces);
  }

  async #issue(program, opened, holder, replaces) {
    const evaluation = [];
    for (const key of holder.evaluationKeys) evaluation.push(await this.upload(key));
    const publicKey = opened.info.publicKey ? await this.upload(await holder.publicKey()) : undefined;
    const { id } = await this.call('POST', '/keys', { program, evaluation, publicKey, replaces });
    this.#keys.set(id, holder);
    return id;
  }

  /** Answers all requests for one's public key that are open. */
  async answerRequests() {
    const requests = await this.call('GET', '/key-requests');
    const open = requests.filter(({ holder, state }) => holder === this.user.name && state === 'open');
    for (const program of new Set(open.map(({ program }) => program))) await this.issueKeys(program);
    return open.length;
  }

  /** Writes a secret key into a file, under a passphrase. Whoever has both can decrypt. */
  async saveKeys(set, file, passphrase) {
    await writeFile(file, await this.#holder(set).exportKey(passphrase), { mode: 0o600 });
  }

  async loadKeys(set, program, file, passphrase) {
    const opened = await this.program(program);
    this.#keys.set(set, await opened.restoreClient(await readFile(file), { passphrase, evaluationKeys: [] }));
  }

  /** Forgets a secret key, and has the service delete the others. What was encrypted under it can no longer be decrypted here. */
  async deleteKeys(set) {
    await this.call('DELETE', `/keys/${set}`);
    this.#keys.get(set)?.dispose();
    this.#keys.delete(set);
  }

  /** Encrypts values under one's own key, and stores them. Gives the record. */
  async store({ program, key, label, values }) {
    const inputs = await this.#uploadAll(await this.#holder(key).encrypt(values));
    return this.call('POST', '/records', { program, key, label, inputs });
  }

  /**
   * Encrypts values for the holder of a public key, and stores them. `fingerprint`: the SHA-256 of that key, as the holder told it by another way than the service, which could
   * hand out a key of its own otherwise. Gives the record. Errors: `key.other`.
   */
  async storeFor({ program, holder, fingerprint, label, values }) {
    const sets = await this.call('GET', `/keys?holder=${holder}&program=${program}`);
    const set = sets.find(({ state, publicKey }) => state === 'active' && publicKey === fingerprint);
    if (set === undefined)
      throw new ClinicError(0, {
        code: 'key.other',
        message: 'The service has no such key of that holder',
        details: { expected: fingerprint },
      });
    const opened = await this.program(program);
    const owner = await opened.owner(await this.download(fingerprint));
    try {
      const inputs = await this.#uploadAll(await owner.encrypt(values));
      return await this.call('POST', '/records', { program, key: set.id, label, inputs });
    } finally {
      owner.dispose();
    }
  }

  /** What one tells those who are to encrypt: the SHA-256 of the public key. */
  async fingerprint(set) {
    const sets = await this.call('GET', `/keys?holder=${this.user.name}`);
    return sets.find(({ id }) => id === set)?.publicKey;
  }

  async grant(record, grant) {
    return this.call('POST', `/records/${record}/grants`, grant);
  }

  /** Asks, once: if the answer of the service is lost, the same question is asked again. Gives it as it stands. */
  async ask(question) {
    const asked = { id: randomUUID(), ...question };
    return this.patiently(() => this.call('POST', '/questions', asked));
  }

  /** Does something again and again while the service is away, for as long as patience lasts: only what may be done twice. */
  async patiently(work, patienceMs = 60_000) {
    for (const began = Date.now(); ;) {
      try {
        return await work();
      } catch (error) {
        const away = error instanceof TypeError || error.status === 503;
        if (!away || Date.now() - began > patienceMs) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /**
   * Waits for the end of a question, through restarts of the service. `onState` hears of progress. Errors: ClinicError of its code, where it failed.
   * @param {string} id
   * @param {{onState?: (state: any) => void, signal?: AbortSignal, patienceMs?: number}} [watch]
   */
  async wait(id, { onState, signal, patienceMs } = {}) {
    const ended = await this.patiently(async () => {
      for await (const state of this.events(id, signal)) {
        onState?.(state);
        if (['done', 'failed', 'cancelled'].includes(state.state)) return state;
      }
      // The stream ended before the question: the service did.
      throw new TypeError('the stream of events ended');
    }, patienceMs);
    if (ended.state === 'done') return ended;
    throw new ClinicError(
      0,
      ended.error ?? { code: 'question.cancelled', message: 'The question was cancelled' },
    );
  }

  /** States of a question, as they come. */
  async *events(id, signal) {
    const response = await this.#send('GET', `/questions/${id}/events`, undefined, undefined, signal);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        const data = block.split('\n').find((line) => line.startsWith('data: '));
        if (data) yield JSON.parse(data.slice('data: '.length));
      }
    }
  }

  /** Fetches and decrypts the answer to a question. */
  async answer(id, key, options) {
    const { outputs } = await this.call('GET', `/questions/${id}`);
    const fetched = new Map();
    /** @type {Record<string, Uint8Array>} */
    const results = {};
    for (const [name, sha] of Object.entries(outputs)) {
      if (!fetched.has(sha)) fetched.set(sha, await this.download(sha));
      results[name] = fetched.get(sha);
    }
    return this.#holder(key).decrypt(results, options);
  }

  #holder(set) {
    const holder = this.#keys.get(set);
    if (holder === undefined) throw new Error(`There is no secret key of the set ${set} here`);
    return holder;
  }
}

export function shaOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The task in the bytes of a program: behind the frame's 21 bytes a length and JSON (FORMAT.md, kind 7). */
export function taskIn(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(21, true);
  return JSON.parse(new TextDecoder().decode(bytes.subarray(25, 25 + length))).task;
}

/** Literals that say the same: fields that are left out are not there. */
function sameTask(one, other) {
  const plain = (value) => JSON.stringify(value, (_key, part) => sorted(part));
  return plain(one) === plain(other);
}

function sorted(part) {
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}
