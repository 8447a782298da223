/** Where the data of each user lie, who brought them and what has them: blobs and their rows in the database, changed together. */
import { checkDeclared, KINDS, otherBytes, shaOf } from './blobs.mjs';
import { notFound, ServiceError } from './errors.mjs';

/** Of what questions are given in the clear; neither database reads the text for it. */
const GIVEN_BYTES = 'octet_length(given)';

/** Blobs that are removed at a time. */
const BATCH = 100;

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

  /** What is left to a user, and of the store, beside what is there; and of bytes (`sha`) whether they are `here`, and count to the user already (`has`). */
  async #left(db, user, sha = '') {
    const asked = db('questions').where({ asker: user });
    const open = db('questions').whereIn('state', ['queued', 'running']);
    const row = await db.first(
      sum(db('blobs').whereIn('sha', shasOf(db, user)), 'bytes').as('mine'),
      sum(db('blobs'), 'bytes').as('all'),
      // What waits is in the clear, and whole; of what has ended a digest is left.
      sum(asked, GIVEN_BYTES).as('given'),
      sum(open, GIVEN_BYTES).as('allGiven'),
      db('blobs').where({ sha }).count('*').as('here'),
      shasOf(db, user).where({ sha }).clearSelect().count('*').as('has'),
    );
    const [mine, all, given, allGiven] = [row.mine, row.all, row.given, row.allGiven].map(Number);
    return {
      ofUser: this.config.userBytes - mine - given,
      ofAll: this.config.storeBytes - all - allGiven,
      here: row.here > 0,
      has: row.has > 0,
    };
  }

  #comingOfAll() {
    let bytes = 0;
    for (const each of this.#coming.values()) bytes += each;
    return bytes;
  }

  /** That a user has room for so many bytes more. Errors: 507 `storage.full`. */
  async checkRoom(trx, user, bytes) {
    checkDeclared(bytes, { ...(await this.limits(user, trx)), most: Infinity });
  }

  /**
   * Takes room for bytes that come, to be given back when they have their row, or do not come. Those that do not say how many they are take all that they may become.
   * Only of this process: others see the rows alone, which are looked at again when bytes have come. Nothing waits in here, so that no two take the same room.
   */
  #reserve(user, bytes) {
    this.#coming.set(user, (this.#coming.get(user) ?? 0) + bytes);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      const others = this.#coming.get(user) - bytes;
      if (others > 0) this.#coming.set(user, others);
      else this.#coming.delete(user);
    };
  }

  /**
   * Stores bytes of a user. `declared`: how many they say they are; `sha`: what they say they are, so that what is there already needs no room.
   * Errors: as of `BlobStore.receive`, before a byte is read where that can be told; 422 `upload.digest`.
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
    const most = this.config.maxBlobBytes;
    checkDeclared(declared ?? 0, { most, left: Infinity });
    const beside = await this.#left(this.database.db, user.id, said);
    // Where there is room they are written again, over a file that may be damaged.
    if (beside.has && this.#once(beside, user.id) < (declared ?? most)) {
      const row = await this.database.db('blobs').where({ sha: said }).first();
      if (row === undefined) throw missing(said);
      await this.blobs.compare(stream, row);
      await this.database.change(entry(row), async (trx) => {
        if ((await trx('blobs').where({ sha: said }).first('sha')) === undefined) throw missing(said);
        await bringing(trx, row);
      });
      return { sha: said, bytes: row.bytes, kind: row.kind };
    }
    return this.#receive(user.id, stream, { declared, most, said, beside }, (received, keep) =>
      this.database.change(entry(received), async (trx) => {
        await keep(trx);
        await bringing(trx, received);
      }),
    );
  }

  /**
   * Receives bytes that count to a user; `said`: what who sends them says that they are; `beside`: what there is ({@link #left}), of this moment; `room`: whether they
   * need any. `work` calls `keep` in the transaction that says what has them. Errors: 413 `upload.large`, 507 `storage.full`, before a byte is read where that can be told.
   */
  async #receive(user, stream, { declared, most, said = undefined, beside, room = true }, work) {
    const left = room ? this.#once(beside, user) : Infinity;
    checkDeclared(declared ?? 0, { most, left });
    const bytes = declared ?? Math.min(most, left);
    const free = this.#reserve(user, room ? bytes : 0);
    try {
      const received = await this.blobs.receive(stream, { most, left: bytes });
      try {
        if (said !== undefined && said !== received.sha) throw otherBytes(received.sha, said);
        await work(received, async (trx) => {
          await this.#checkNew(trx, user, received);
          await this.#keep(trx, received);
          // From here on it has a row, and would count twice.
          free();
        });
      } finally {
        await this.blobs.discard(received);
      }
      return { sha: received.sha, bytes: received.bytes, kind: received.kind };
    } finally {
      free();
    }
  }

  /**
   * That there is room for a blob beside what is there: what is there already needs none, and what is on its way has taken no more than there is. Errors: 507
   * `storage.full`.
   */
  async #checkNew(trx, user, { sha, bytes }) {
    const { ofUser, ofAll, here, has } = await this.#left(trx, user, sha);
    if (has) return;
    checkDeclared(bytes, { most: Infinity, left: Math.max(0, here ? ofUser : Math.min(ofUser, ofAll)) });
  }

  /**
   * Stores an output of a question that is running, which has it from then on: equal questions have equal bytes, and may be deleted meanwhile. It counts to who asked.
   * @param {{id: string, asker: string}} question
   * @param {AsyncIterable<Buffer> | Buffer} stream
   * @param {{declared?: number, most?: number, mine: (trx: any) => Promise<unknown>}} how `mine`: throws where the runner has it no more
   */
  async store({ id, asker }, stream, { declared, most = Infinity, mine }) {
    const isHere = Buffer.isBuffer(stream);
    const beside = await this.#left(this.database.db, asker, isHere ? shaOf(stream) : undefined);
    // What counts already is written again, without room: that file may be damaged.
    const bytes = { declared: isHere ? stream.length : declared, most, beside, room: !beside.has };
    const { sha } = await this.#receive(asker, isHere ? [stream] : stream, bytes, (received, keep) =>
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

  /** Removes files that no row names. Few at a time: all changes wait for it. */
  async sweep(shas) {
    for (const some of batches(shas))
      await this.database.locked(async (trx) => {
        const named = new Set(await trx('blobs').whereIn('sha', some).pluck('sha'));
        for (const sha of some) if (!named.has(sha)) await this.blobs.remove(sha);
      });
  }

  /** Removes what is part of nothing: uploads that nothing came of or that ended in the middle, and files without rows, which a killed service left. */
  async sweepAll() {
    await this.blobs.tidy();
    const old = Date.now() - this.config.unusedMs;
    for (let gone = BATCH; gone === BATCH;) gone = await this.#forget(old);
    for await (const shas of this.blobs.list()) await this.sweep(shas);
  }

  /** Rows of some blobs that are part of nothing go. Gives how many. */
  #forget(old) {
    return this.database.locked(async (trx) => {
      const uses = trx('uses').whereRaw('uses.sha = blobs.sha');
      const uploads = trx('uploads').whereRaw('uploads.sha = blobs.sha').where('uploads.created', '>=', old);
      const unused = await trx('blobs')
        .where('created', '<', old)
        .whereNotExists(uses)
        .whereNotExists(uploads)
        .limit(BATCH)
        .pluck('sha');
      for (const table of ['uploads', 'blobs']) await trx(table).whereIn('sha', unused).delete();
      return unused.length;
    });
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
    const uses = (table, column = 'id') => db(table).whereRaw('?? = uses.id', [`${table}.${column}`]);
    const through = {
      result: [uses('questions').where((who) => who.where({ asker: user.id }).orWhere({ holder: user.id }))],
      evaluation: [uses('key_sets').where({ holder: user.id })],
      record: [
        uses('records').where({ owner: user.id, deleted: null }),
        uses('grants', 'record').where({ grantee: user.id, use: 'read', revoked: null }),
      ],
    };
    // One question, however much has the bytes.
    const read = db('uses').where({ sha });
    read.where((any) => {
      any.whereIn('kind', ['program', 'public']);
      for (const [kind, queries] of Object.entries(through))
        for (const query of queries) any.orWhere((use) => use.where({ kind }).whereExists(query));
    });
    return (await read.first('id')) !== undefined;
  }
}

function* batches(all) {
  for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
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
function sum(query, what) {
  return query.select(query.client.raw(`sum(${what})`));
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
