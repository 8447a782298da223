/** Where the data of each user lie, who brought them and what has them: blobs and their rows in the database, changed together. */
import { checkDeclared, KINDS, otherBytes, shaOf } from './blobs.mjs';
import { notFound, ServiceError } from './errors.mjs';

/** Of what questions are given in the clear; neither database reads the text for it. */
const GIVEN_BYTES = 'octet_length(given)';

export class Storage {
  /** Bytes that are on their way, by whom they count to. @type {Map<string, number>} */
  #coming = new Map();

  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./blobs.mjs').BlobStore} blobs
   * @param {import('./config.mjs').Config} config
   */
  constructor(database, blobs, config) {
    this.database = database;
    this.blobs = blobs;
    this.config = config;
  }

  /** How much a user may bring now. */
  async limits(user, db = this.database.db) {
    return { most: this.config.maxBlobBytes, left: this.#once(await this.#left(db, user.id), user.id) };
  }

  /** What is left to a user once all that is on its way has come. */
  #once({ ofUser, ofAll }, user) {
    return Math.max(0, Math.min(ofUser - (this.#coming.get(user) ?? 0), ofAll - this.#comingOfAll()));
  }

  /** What is left to a user, and of the store, beside what is there. */
  async #left(db, user) {
    const mine = await sum(db('blobs').whereIn('sha', shasOf(db, user)), 'bytes');
    const all = await sum(db('blobs'), 'bytes');
    // What waits is in the clear, and whole; of what has ended a digest is left.
    const given = await sum(db('questions').where({ asker: user }), GIVEN_BYTES);
    const allGiven = await sum(db('questions').whereIn('state', ['queued', 'running']), GIVEN_BYTES);
    return {
      ofUser: this.config.userBytes - mine - given,
      ofAll: this.config.storeBytes - all - allGiven,
    };
  }

  #comingOfAll() {
    let bytes = 0;
    for (const each of this.#coming.values()) bytes += each;
    return bytes;
  }

  /** Before a byte is read. `sha`: what the bytes are said to be. Errors: 413 `upload.large`, 507 `storage.full`. */
  async expect(user, { declared = 0, sha }) {
    const { most, left } = await this.limits(user);
    checkDeclared(declared, {
      most,
      left: (await this.#has(this.database.db, user.id, sha)) ? Infinity : left,
    });
  }

  /** That a user has room for so many bytes more. Errors: 507 `storage.full`. */
  async checkRoom(trx, user, bytes) {
    checkDeclared(bytes, { ...(await this.limits(user, trx)), most: Infinity });
  }

  /**
   * Takes room for bytes that come, to be given back when they have their row, or do not come. Those that do not say how many they are take all that they may become.
   * Only of this process: others see the rows alone, which are looked at again when bytes have come. What counts already (`sha`) takes none.
   */
  async #reserve(user, declared, most, sha) {
    if (await this.#has(this.database.db, user, sha)) return { bytes: declared ?? most, free: () => {} };
    const beside = await this.#left(this.database.db, user);
    // From here on nothing waits, so that no two take the same room.
    const left = this.#once(beside, user);
    checkDeclared(declared ?? 0, { most, left });
    const bytes = declared ?? Math.min(most, left);
    this.#coming.set(user, (this.#coming.get(user) ?? 0) + bytes);
    let taken = true;
    const free = () => {
      if (!taken) return;
      taken = false;
      const others = this.#coming.get(user) - bytes;
      if (others > 0) this.#coming.set(user, others);
      else this.#coming.delete(user);
    };
    return { bytes, free };
  }

  /** Whether bytes count to a user already. */
  async #has(db, user, sha) {
    return sha !== undefined && (await shasOf(db, user).andWhere({ sha }).first()) !== undefined;
  }

  /**
   * Stores bytes of a user. `declared`: how many they say they are; `sha`: what they say they are, so that what is there already needs no room.
   * Errors: as of `BlobStore.receive`; 422 `upload.digest`.
   */
  async bring(user, stream, { declared, sha: said } = /** @type {{declared?: number, sha?: string}} */ ({})) {
    const bringing = (trx, { sha }) =>
      trx('uploads')
        .insert({ user: user.id, sha, created: Date.now() })
        .onConflict(['user', 'sha'])
        .merge(['created']);
    const entry = ({ sha, bytes, kind }) => ({
      ...{ actor: user, action: 'blob.store', subject: sha, details: { bytes, kind } },
    });
    const { most, left } = await this.limits(user);
    // Where there is room they are written again, over a file that may be damaged.
    if (left < (declared ?? most) && (await this.#has(this.database.db, user.id, said))) {
      const row = await this.database.db('blobs').where({ sha: said }).first();
      if (row === undefined) throw missing(said);
      await this.blobs.compare(stream, row);
      await this.database.change(entry(row), async (trx) => {
        if ((await trx('blobs').where({ sha: said }).first('sha')) === undefined) throw missing(said);
        await bringing(trx, row);
      });
      return { sha: said, bytes: row.bytes, kind: row.kind };
    }
    return this.#receive(user.id, stream, { declared, most, said }, (received, keep) =>
      this.database.change(entry(received), async (trx) => {
        await keep(trx);
        await bringing(trx, received);
      }),
    );
  }

  /** Receives bytes that count to a user; `said`: what who sends them says that they are, `own`: what they are. `work` calls `keep` in the transaction that says what has them. */
  async #receive(user, stream, { declared, most, said = undefined, own = undefined }, work) {
    const room = await this.#reserve(user, declared, most, own);
    try {
      const received = await this.blobs.receive(stream, { most, left: room.bytes });
      try {
        if (said !== undefined && said !== received.sha) throw otherBytes(received.sha, said);
        await work(received, async (trx) => {
          await this.#checkNew(trx, user, received);
          await this.#keep(trx, received);
          // From here on it has a row, and would count twice.
          room.free();
        });
      } finally {
        await this.blobs.discard(received);
      }
      return { sha: received.sha, bytes: received.bytes, kind: received.kind };
    } finally {
      room.free();
    }
  }

  /**
   * That there is room for a blob beside what is there: what is there already needs none, and what is on its way has taken no more than there is. Errors: 507
   * `storage.full`.
   */
  async #checkNew(trx, user, { sha, bytes }) {
    if (await this.#has(trx, user, sha)) return;
    const { ofUser, ofAll } = await this.#left(trx, user);
    const here = (await trx('blobs').where({ sha }).first('sha')) !== undefined;
    checkDeclared(bytes, { most: Infinity, left: Math.max(0, here ? ofUser : Math.min(ofUser, ofAll)) });
  }

  /**
   * Stores an output of a question that is running, which has it from then on: equal questions have equal bytes, and may be deleted meanwhile. It counts to who asked.
   * @param {{id: string, asker: string}} question
   * @param {AsyncIterable<Buffer> | Buffer} stream
   * @param {{declared?: number, most?: number, mine: (trx: any) => Promise<unknown>}} how `mine`: throws where the runner has it no more
   */
  async store({ id, asker }, stream, { declared, most = Infinity, mine }) {
    const here = Buffer.isBuffer(stream) ? { declared: stream.length, own: shaOf(stream) } : { declared };
    const pieces = Buffer.isBuffer(stream) ? [stream] : stream;
    // Written again where it is there: that file may be damaged.
    const { sha } = await this.#receive(asker, pieces, { ...here, most }, (received, keep) =>
      this.database.locked(async (trx) => {
        await mine(trx);
        await keep(trx);
        await this.use(trx, 'output', id, [received.sha]);
      }),
    );
    return sha;
  }

  /** Outputs that were stored for a question become its answer, or are dropped with it. Gives what {@link sweep} is to remove. Errors: 422 `blob.missing`, `blob.kind`. */
  async settle(trx, question, shas = []) {
    const rows = await trx('uses')
      .join('blobs', 'blobs.sha', 'uses.sha')
      .where({ 'uses.kind': 'output', 'uses.id': question })
      .select('blobs.sha', 'blobs.kind', 'blobs.bytes');
    checkKnown(rows, shas, 'value');
    await this.use(trx, 'result', question, shas);
    return this.release(trx, 'output', question);
  }

  /** The file gets its name and the row is there in one transaction, beside which nothing is removed. */
  async #keep(trx, received) {
    const { sha, bytes, kind } = received;
    await this.blobs.keep(received);
    await trx('blobs').insert({ sha, bytes, kind, created: Date.now() }).onConflict('sha').merge(['created']);
  }

  /** Blobs that a user brought, of a kind, to be part of something. Errors: 422 `blob.missing`, `blob.kind`. */
  async brought(trx, user, shas, kind) {
    const rows = await trx('uploads')
      .join('blobs', 'blobs.sha', 'uploads.sha')
      .where('uploads.user', user.id)
      .whereIn('uploads.sha', shas)
      .select('blobs.sha', 'blobs.kind', 'blobs.bytes');
    return checkKnown(rows, shas, kind);
  }

  /** Says that something has blobs. `kind` and `id`: what has them. */
  async use(trx, kind, id, shas) {
    for (const sha of new Set(shas))
      await trx('uses').insert({ sha, kind, id }).onConflict(['sha', 'kind', 'id']).ignore();
  }

  /** Something is gone, and so is what nobody else has. `owner`: whose uploads they were. Gives what {@link sweep} is to remove. */
  async release(trx, kind, id, owner) {
    const shas = (await trx('uses').where({ kind, id }).select('sha')).map(({ sha }) => sha);
    await trx('uses').where({ kind, id }).delete();
    const still = new Set((await trx('uses').whereIn('sha', shas).select('sha')).map(({ sha }) => sha));
    const unused = shas.filter((sha) => !still.has(sha));
    if (owner) await trx('uploads').where({ user: owner }).whereIn('sha', unused).delete();
    const others = new Set((await trx('uploads').whereIn('sha', unused).select('sha')).map(({ sha }) => sha));
    const gone = unused.filter((sha) => !others.has(sha));
    await trx('blobs').whereIn('sha', gone).delete();
    return gone;
  }

  /** Removes files that no row names. */
  async sweep(shas) {
    if (shas.length === 0) return;
    await this.database.locked(async (trx) => {
      for (const sha of shas)
        if ((await trx('blobs').where({ sha }).first()) === undefined) await this.blobs.remove(sha);
    });
  }

  /** Removes what is part of nothing: uploads that nothing came of or that ended in the middle, and files without rows, which a killed service left. */
  async sweepAll() {
    await this.blobs.tidy();
    const old = Date.now() - this.config.unusedMs;
    await this.database.locked(async (trx) => {
      const uses = trx('uses').whereRaw('uses.sha = blobs.sha');
      const uploads = trx('uploads').whereRaw('uploads.sha = blobs.sha').where('uploads.created', '>=', old);
      const unused = await trx('blobs')
        .where('created', '<', old)
        .whereNotExists(uses)
        .whereNotExists(uploads)
        .select('sha');
      for (const { sha } of unused) {
        await trx('uploads').where({ sha }).delete();
        await trx('blobs').where({ sha }).delete();
      }
    });
    const all = [];
    for await (const { sha } of this.blobs.list()) all.push(sha);
    if (all.length > 0) await this.sweep(all);
  }

  /**
   * Bytes, for who may read them: who brought them; anybody, of programs and public keys; who asked and who holds the key, of results; whose record
   * it is and who has a grant to read it, of records. Errors: 404 for all others.
   */
  async read(user, sha) {
    if (await this.#mayRead(user, sha)) return this.blobs.stream(sha);
    throw notFound('blob');
  }

  async #mayRead(user, sha) {
    const { db } = this.database;
    if (await db('uploads').where({ user: user.id, sha }).first()) return true;
    for (const { kind, id } of await db('uses').where({ sha }).select('kind', 'id')) {
      if (kind === 'program') return true;
      if (kind === 'public') return true;
      if (kind === 'result') {
        const question = await db('questions').where({ id }).first('asker', 'holder');
        if (question && [question.asker, question.holder].includes(user.id)) return true;
      }
      if (kind === 'evaluation' && (await db('key_sets').where({ id, holder: user.id }).first('id')))
        return true;
      if (kind === 'record') {
        if (await db('records').where({ id, owner: user.id, deleted: null }).first('id')) return true;
        const grant = await db('grants')
          .where({ record: id, grantee: user.id, use: 'read', revoked: null })
          .first();
        if (grant) return true;
      }
    }
    return false;
  }
}

/** Bytes of a user: uploads, and answers to what was asked, also those that are being stored. */
function shasOf(db, user) {
  const questions = db('questions').where({ asker: user }).select('id');
  return db
    .from((all) =>
      all
        .from('uploads')
        .where({ user })
        .select('sha')
        .union((answers) =>
          answers.from('uses').whereIn('kind', ['result', 'output']).whereIn('id', questions).select('sha'),
        )
        .as('own'),
    )
    .select('sha');
}

/** @param {string} what a column or an expression of one */
async function sum(query, what) {
  const [row] = await query.select(query.client.raw(`sum(${what}) as total`));
  return Number(row.total);
}

/** Errors: 422 `blob.missing`, `blob.kind`. */
function checkKnown(rows, shas, kind) {
  const known = new Map(rows.map((row) => [row.sha, row]));
  for (const sha of shas) {
    const row = known.get(sha);
    if (row === undefined) throw missing(sha);
    if (row.kind !== KINDS[kind])
      throw new ServiceError(422, 'blob.kind', `A blob is of another kind than ${kind}`, {
        where: sha,
        found: row.kind,
        expected: KINDS[kind],
      });
  }
  return known;
}

function missing(sha) {
  return new ServiceError(422, 'blob.missing', 'A blob is named that you have not uploaded', { where: sha });
}
