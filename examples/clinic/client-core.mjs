/**
 * The clinic's client, for browsers and Node alike: what the page has, and what `client.mjs` adds files to. Secret keys are made here, stay here (in a worker of cipherloom's), and leave only by
 * {@link CoreClient.exportKeys}, under a passphrase.
 */

/** What the service refused: `code` as in its README, `status` of HTTP. */
export class ClinicError extends Error {
  /** In so many milliseconds it may be tried again: of 429, where the service says so. @type {number | undefined} */
  afterMs;

  /** `status` is undefined where the client itself refused: `key.elsewhere`, `service.bytes`, `input.kind`. */
  constructor(status, { code, message, details = {} }) {
    super(message);
    this.name = 'ClinicError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The service did not answer, or not to the end, which says nothing of what was asked. `cause`: what the platform said. */
export class AwayError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'AwayError';
    this.code = 'service.away';
  }
}

/** Between two tries to reach a service that is away. */
const AGAIN_MS = 250;
const DAY_MS = 86_400_000;
/** What the service, or a proxy before it, says while it is away. */
const AWAY = [502, 503, 504];

/** Nobody is there, which says nothing of what was asked. */
export function isAway(error) {
  return error instanceof AwayError || (error instanceof ClinicError && AWAY.includes(error.status));
}

export class CoreClient {
  /** Secret keys by the id of the set that the service has. @type {Map<string, import('cipherloom').Client>} */
  #keys = new Map();
  /** How often all keys were forgotten: what began before is not kept when it comes. */
  #forgotten = 0;
  /** Opened programs by id. @type {Map<string, import('cipherloom').Program>} */
  #programs = new Map();
  /** What this client knows the service to have, so that what is done again after a failure sends nothing twice. @type {Set<string>} */
  #sent = new Set();
  #fetch;
  /** @type {string | undefined} */
  token;
  /** @type {{id: string, name: string, role: string} | undefined} */
  user;

  /**
   * @param {string | URL} url of the service; what is behind its last `/` does not count
   * @param {import('cipherloom').Loom | undefined} loom one that comes later is set before it is needed
   * @param {{fetch?: typeof globalThis.fetch}} [own] another way to send requests
   */
  constructor(url, loom, { fetch = (url, request) => globalThis.fetch(url, request) } = {}) {
    this.url = new URL(url);
    this.loom = loom;
    this.#fetch = fetch;
  }

  /** Registers with a code, and logs in. */
  static async register(url, loom, { code, name, password }) {
    const client = new this(url, loom);
    await client.call('POST', '/register', { code, name, password });
    await client.login({ name, password });
    return client;
  }

  async login({ name, password }) {
    const { token, user } = await this.call('POST', '/sessions', { name, password });
    this.token = token;
    this.user = user;
  }

  async logout() {
    await this.call('DELETE', '/sessions/current');
    this.token = undefined;
  }

  /** One request; of a list, one for each of its pages. Errors: ClinicError; AwayError where the service is not there. */
  async call(method, path, body, signal) {
    const sent = body && JSON.stringify(body);
    const response = await this.#send(method, path, sent, { 'content-type': 'application/json' }, signal);
    if (response.status === 204) return undefined;
    const told = await reached(response.json());
    let next = nextPage(path, response);
    while (next !== undefined) {
      const page = await this.#send(method, next, undefined, {}, signal);
      told.push(...(await reached(page.json())));
      next = nextPage(path, page);
    }
    return told;
  }

  /** `about`: headers of a body. */
  async #send(method, path, body, about, signal) {
    const request = {
      method,
      headers: { ...(this.token && { authorization: `Bearer ${this.token}` }), ...(body && about) },
      body,
      signal,
    };
    const response = await reached(this.#fetch(new URL(`v1${path}`, this.url), request));
    if (response.ok) return response;
    const told = await response.json().catch(() => ({}));
    const refusal = told.error ?? { code: 'service.failed', message: response.statusText };
    const error = new ClinicError(response.status, refusal);
    // A proxy may say when instead of how long.
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    if (Number.isFinite(seconds)) error.afterMs = 1000 * seconds;
    throw error;
  }

  /** Stores bytes; gives their SHA-256, which is compared with one's own. `path`: where who runs a question brings its outputs. */
  async upload(bytes, signal, path = '/blobs') {
    const own = await shaOf(bytes);
    // Of what is there already the service needs to keep nothing.
    const about = {
      'content-type': 'application/octet-stream',
      'content-digest': `sha-256=:${base64(own)}:`,
    };
    const response = await this.#send('POST', path, bytes, about, signal);
    const { sha } = await reached(response.json());
    if (sha !== own)
      throw new ClinicError(undefined, {
        code: 'service.bytes',
        message: 'The service stored something else than was sent',
        details: { found: sha, expected: own },
      });
    if (path === '/blobs') this.#sent.add(sha);
    return sha;
  }

  /** The same, unless they were sent before: to be used within {@link #brought}. */
  async #uploadOnce(bytes, signal) {
    const sha = await shaOf(bytes);
    return this.#sent.has(sha) ? sha : this.upload(bytes, signal);
  }

  /** Makes something of uploads, and once more where the service has thrown away what it was sent before (`blob.missing`). */
  async #brought(bring) {
    try {
      return await bring();
    } catch (error) {
      if (error.code !== 'blob.missing' || this.#sent.size === 0) throw error;
      this.#sent.clear();
      return bring();
    }
  }

  /** `path`: where who runs a question has it. */
  async download(sha, path = `/blobs/${sha}`) {
    const response = await this.#send('GET', path);
    const bytes = new Uint8Array(await reached(response.arrayBuffer()));
    const found = await shaOf(bytes);
    if (found !== sha)
      throw new ClinicError(undefined, {
        code: 'service.bytes',
        message: 'The service gave something else than was asked for',
        details: { found, expected: sha },
      });
    return bytes;
  }

  async #uploadAll(byName, signal) {
    /** @type {Record<string, string>} */
    const shas = {};
    for (const [name, bytes] of Object.entries(byName)) shas[name] = await this.#uploadOnce(bytes, signal);
    return shas;
  }

  /** Offers a program that was compiled here. Gives its id. */
  async publish(name, program, signal) {
    const { id } = await this.#brought(async () => {
      const blob = await this.#uploadOnce(program.toBytes(), signal);
      return this.call('POST', '/programs', { name, blob }, signal);
    });
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
    const known = this.#programs.get(id);
    if (known) return known;
    const { blob } = await this.call('GET', `/programs/${id}`);
    const opened = await this.loom.program(await this.download(blob));
    this.#programs.set(id, opened);
    return opened;
  }

  /** Makes keys for a program, and gives the service those that hold no secret. With `replaces` they take the place of others. Gives the id of the set. */
  async issueKeys(program, { replaces } = /** @type {{replaces?: string}} */ ({})) {
    const forgotten = this.#forgotten;
    const opened = await this.program(program);
    const holder = await opened.client();
    this.#refuse(holder, forgotten);
    return this.giveKeys(program, holder, { replaces });
  }

  /**
   * Gives the service the keys of a holder that hold no secret. `publicKey`: one that `publicKey()` of the holder made before.
   * @param {string} program
   * @param {import('cipherloom').Client} holder
   * @param {{replaces?: string, publicKey?: Uint8Array, signal?: AbortSignal}} [options]
   */
  async giveKeys(program, holder, { replaces, publicKey, signal } = {}) {
    const forgotten = this.#forgotten;
    const opened = await this.program(program);
    const made = publicKey ?? (opened.info.publicKey ? await holder.publicKey() : undefined);
    const { id } = await this.#brought(async () => {
      const evaluation = [];
      for (const key of holder.evaluationKeys) evaluation.push(await this.#uploadOnce(key, signal));
      const told = made && (await this.#uploadOnce(made, signal));
      return this.call('POST', '/keys', { program, evaluation, publicKey: told, replaces }, signal);
    });
    this.#keep(id, holder, forgotten);
    return id;
  }

  #keep(set, holder, forgotten) {
    this.#refuse(holder, forgotten);
    this.#keys.set(set, holder);
  }

  /** Of a secret key that was begun before all were forgotten. */
  #refuse(holder, forgotten) {
    if (forgotten === this.#forgotten) return;
    holder.dispose();
    throw new Error('The key is of somebody who left');
  }

  /** Whether the secret key of a set is here. */
  holds(set) {
    return this.#keys.has(set);
  }

  /** Answers all requests for one's public key that are open. */
  async answerRequests() {
    const requests = await this.call('GET', '/key-requests');
    const open = requests.filter(({ holder, state }) => holder === this.user.name && state === 'open');
    for (const program of new Set(open.map(({ program }) => program))) await this.issueKeys(program);
    return open.length;
  }

  /** A secret key under a passphrase. Whoever has both can decrypt. */
  async exportKeys(set, passphrase) {
    return this.#holder(set).exportKey(passphrase);
  }

  /** Takes a secret key that {@link exportKeys} gave. Errors: of cipherloom, `key.passphrase` for another passphrase. */
  async importKeys(set, program, bytes, passphrase) {
    const forgotten = this.#forgotten;
    const opened = await this.program(program);
    this.#keep(set, await opened.restoreClient(bytes, { passphrase, evaluationKeys: [] }), forgotten);
  }

  /** Forgets a secret key here; the service keeps the others. */
  forgetKeys(set) {
    this.#keys.get(set)?.dispose();
    this.#keys.delete(set);
  }

  /** Forgets all secret keys here, whatever is known of their sets, and those that are still being made: somebody else comes. */
  forgetAllKeys() {
    this.#forgotten += 1;
    for (const holder of this.#keys.values()) holder.dispose();
    this.#keys.clear();
  }

  /** Forgets a secret key, and has the service delete the others. What was encrypted under it can no longer be decrypted here. */
  async deleteKeys(set) {
    await this.call('DELETE', `/keys/${set}`);
    this.forgetKeys(set);
  }

  /** Encrypts values under one's own key, and stores them. Gives the record. */
  async store({ program, key, label, values }) {
    const ciphertexts = await this.#holder(key).encrypt(values);
    return this.storeCiphertexts({ program, key, label, ciphertexts });
  }

  /**
   * Stores what is encrypted already. Gives the record.
   * @param {{program: string, key: string, label: string, ciphertexts: import('cipherloom').Ciphertexts, signal?: AbortSignal}} record
   */
  async storeCiphertexts({ program, key, label, ciphertexts, signal }) {
    return this.#brought(async () => {
      const inputs = await this.#uploadAll(ciphertexts, signal);
      return this.call('POST', '/records', { program, key, label, inputs }, signal);
    });
  }

  /**
   * Encrypts values for the holder of a public key, and stores them. `fingerprint`: the SHA-256 of that key, as the holder told it by another way than the service, which could
   * hand out a key of its own otherwise. Gives the record. Errors: `key.other`.
   */
  async storeFor({ program, holder, fingerprint, label, values }) {
    const { key, ciphertexts } = await this.encryptFor({ program, holder, fingerprint, values });
    return this.storeCiphertexts({ program, key, label, ciphertexts });
  }

  /** The half of {@link storeFor} that sends nothing of the values. Gives the ciphertexts, and the set of keys that they belong to. */
  async encryptFor({ program, holder, fingerprint, values }) {
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
      return { key: set.id, ciphertexts: await owner.encrypt(values) };
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

  /**
   * Asks, once: if the answer of the service is lost, the same question is asked again. Gives it as it stands. Errors: ClinicError; of what is given in the clear and JSON has no
   * form for, `input.kind`.
   * @param {{program: string, records: string[], given?: {plain?: object, public?: object}, id?: string, runner?: string}} question
   */
  async ask({ given, ...question }) {
    const plain = given && { given: await this.#plainGiven(question.program, given) };
    const asked = { id: crypto.randomUUID(), ...question, ...plain };
    return this.patiently(() => this.call('POST', '/questions', asked));
  }

  /** What is given, as JSON has it: typed arrays, of which one of several axes is flat, become arrays in the shape of their input. */
  async #plainGiven(program, given) {
    const values = Object.values(given).flatMap((byName) => Object.values(byName ?? {}));
    const shapes = new Map();
    if (values.some((value) => ArrayBuffer.isView(value))) {
      const { info } = await this.patiently(() => this.call('GET', `/programs/${program}`));
      for (const { name, shape } of info.inputs) shapes.set(name, shape);
    }
    const plain = (byName) =>
      Object.fromEntries(
        Object.entries(byName ?? {}).map(([name, value]) => [
          name,
          plainCells(name, value, shapes.get(name)),
        ]),
      );
    return Object.fromEntries(Object.entries(given).map(([place, byName]) => [place, plain(byName)]));
  }

  /**
   * Does something again and again while the service is away, for as long as patience lasts: only what may be done twice. Patience begins when the service is found away; `work` says by
   * what it is given that it was there.
   * @template T
   * @param {(there: () => void) => Promise<T>} work
   */
  async patiently(work, patienceMs = 60_000, onAway = undefined) {
    for (let since; ;) {
      let wasThere = false;
      try {
        return await work(() => (wasThere = true));
      } catch (error) {
        if (!isAway(error)) throw error;
        if (since === undefined || wasThere) since = Date.now();
        if (Date.now() - since >= patienceMs) throw error;
        onAway?.();
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /**
   * Waits for the end of a question, through restarts of the service, each of which may take as long as patience lasts. `onState` hears of progress, `onAway` of every try to reach a service
   * that is away. Errors: ClinicError of its code, where it failed.
   * @param {string} id
   * @param {{onState?: (state: any) => void, onAway?: () => void, signal?: AbortSignal, patienceMs?: number}} [watch]
   */
  async wait(id, { onState, onAway, signal, patienceMs } = {}) {
    const ended = await this.patiently(
      async (there) => {
        for await (const state of this.events(id, signal)) {
          there();
          onState?.(state);
          if (['done', 'failed', 'cancelled'].includes(state.state)) return state;
        }
        // The stream ended before the question: the service did.
        throw new AwayError('The stream of events ended');
      },
      patienceMs,
      onAway,
    );
    if (ended.state === 'done') return ended;
    throw new ClinicError(
      0,
      ended.error ?? { code: 'question.cancelled', message: 'The question was cancelled' },
    );
  }

  /** States of a question, as they come. */
  async *events(id, signal) {
    const response = await this.#send('GET', `/questions/${id}/events`, undefined, {}, signal);
    let text = '';
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (let read; !(read = await reached(reader.read())).done;) {
        text += read.value;
        const blocks = text.split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const data = block.split('\n').find((line) => line.startsWith('data: '));
          if (data) yield JSON.parse(data.slice('data: '.length));
        }
      }
    } finally {
      // Who has heard enough leaves: the service counts streams that are open.
      reader.cancel().catch(() => undefined);
    }
  }

  /** Fetches and decrypts the answer to a question. Errors: `answer.none`. */
  async answer(id, key, options) {
    return this.#holder(key).decrypt(await this.#results(id), options);
  }

  /** The same with exact numbers, and with reasons for what has no value. */
  async answerDetails(id, key) {
    return this.#holder(key).decryptDetails(await this.#results(id));
  }

  async #results(id) {
    const { outputs } = await this.call('GET', `/questions/${id}`);
    if (Object.keys(outputs ?? {}).length === 0)
      throw new ClinicError(0, { code: 'answer.none', message: 'There is no answer, or it was deleted' });
    const fetched = new Map();
    /** @type {Record<string, Uint8Array>} */
    const results = {};
    for (const [name, sha] of Object.entries(outputs)) {
      if (!fetched.has(sha)) fetched.set(sha, await this.download(sha));
      results[name] = fetched.get(sha);
    }
    return results;
  }

  #holder(set) {
    const holder = this.#keys.get(set);
    if (holder === undefined) {
      const message = `There is no secret key of the set ${set} here`;
      throw new ClinicError(undefined, { code: 'key.elsewhere', message, details: { set } });
    }
    return holder;
  }
}

/** What of a request may fail because the service is not there: the platform says so by a TypeError, as it does of faults in a program. */
async function reached(answer) {
  try {
    return await answer;
  } catch (cause) {
    throw cause instanceof TypeError ? new AwayError('The service cannot be reached', { cause }) : cause;
  }
}

/** The address of the page that follows, if one does: of the same list, whatever is said (RFC 8288). */
function nextPage(path, { headers }) {
  const [, next] = /<([^>]*)>; *rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return next && `${path.split('?', 1)[0]}${new URL(next, 'http://service').search}`;
}

/**
 * Cells as JSON has them, which has neither infinite numbers nor integers of many digits, and would say something else instead. What is missing is `null`. Errors: ClinicError `input.kind`,
 * as cipherloom has it of cells that are none; whether they fit the input, it says.
 */
function plainCells(input, value, shape) {
  let next = 0;
  const cell = (found) => {
    const at = next++;
    if (found === undefined || found === null || Number.isNaN(found)) return null;
    const isDay = found instanceof Date && found.getTime() % DAY_MS === 0;
    if (isDay) return found.toISOString().split('T', 1)[0];
    if (['boolean', 'string'].includes(typeof found) || Number.isFinite(found)) return found;
    const kind = { number: 'an infinite number', object: 'an object' }[typeof found] ?? `a ${typeof found}`;
    const expected = 'a finite number, true or false, or a day';
    throw new ClinicError(undefined, {
      code: 'input.kind',
      message: `Input "${input}", cell ${at} (counted from 0): expected ${expected}, found ${kind}`,
      details: { input, cell: at, found: kind, expected },
    });
  };
  const part = (found) =>
    typeof found === 'object' && typeof found?.length === 'number' ? Array.from(found, part) : cell(found);
  const cells = part(value);
  // Flat, and of as many cells: others the service refuses.
  if (!ArrayBuffer.isView(value) || !shape) return cells;
  return shape.slice(1).reduceRight((flat, length) => chunks(flat, length), cells);
}

function chunks(flat, length) {
  return Array.from({ length: Math.ceil(flat.length / length) }, (_, at) =>
    flat.slice(at * length, (at + 1) * length),
  );
}

/** Of hexadecimal digits. */
function base64(digits) {
  return btoa(digits.replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16))));
}

export async function shaOf(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
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
