/** Where the data of each user lie, who brought them and what has them: blobs and their rows in the database, changed together. */
import { checkDeclared, KINDS } from './blobs.mjs';
import { notFound, ServiceError } from './errors.mjs';

export class Storage {
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
    const mine = await db('uploads')
      .join('blobs', 'blobs.sha', 'uploads.sha')
      .where('uploads.user', user.id)
      .sum({ bytes: 'bytes' })
      .first();
    const all = await db('blobs').sum({ bytes: 'bytes' }).first();
    const { maxBlobBytes: most, userBytes, storeBytes } = this.config;
    return {
      most,
      left: Math.max(0, Math.min(userBytes - Number(mine.bytes), storeBytes - Number(all.bytes))),
    };
  }

  /** Stores bytes of a user. Errors: as of `BlobStore.receive`. */
  async bring(user, stream) {
    const received = await this.blobs.receive(stream, await this.limits(user));
    const { sha, bytes, kind } = received;
    try {
      await this.database.change(
        { actor: user.id, action: 'blob.store', subject: sha, details: { bytes, kind } },
        async (trx) => {
          // Again: others of this user's may have come meanwhile.
          checkDeclared(bytes, await this.limits(user, trx));
          await this.#keep(trx, received);
          await trx('uploads')
            .insert({ user: user.id, sha, created: Date.now() })
            .onConflict(['user', 'sha'])
            .merge(['created']);
        },
      );
    } finally {
      await this.blobs.discard(received);
    }
    return { sha, bytes, kind };
  }

  /** Stores what a run gave. The rows that say whose it is are the caller's. */
  async store(bytes) {
    const left =
      this.config.storeBytes -
      Number((await this.database.db('blobs').sum({ bytes: 'bytes' }).first()).bytes);
    const received = await this.blobs.receive([bytes], { most: Infinity, left });
    try {
      await this.database.locked((trx) => this.#keep(trx, received));
    } finally {
      await this.blobs.discard(received);
    }
    return received.sha;
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
    const known = new Map(rows.map((row) => [row.sha, row]));
    for (const sha of shas) {
      const row = known.get(sha);
      if (row === undefined)
        throw new ServiceError(422, 'blob.missing', 'A blob is named that you have not uploaded', {
          where: sha,
        });
      if (row.kind !== KINDS[kind])
        throw new ServiceError(422, 'blob.kind', `A blob is of another kind than ${kind}`, {
          where: sha,
          found: row.kind,
          expected: KINDS[kind],
        });
    }
    return known;
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
    await this.database.locked(async (trx) => {
      for (const sha of shas)
        if ((await trx('blobs').where({ sha }).first()) === undefined) await this.blobs.remove(sha);
    });
  }

  /** Removes what is part of nothing: uploads that nothing came of, answers of runs that were given up, and files without rows, which a killed service left. */
  async sweepAll() {
    const old = Date.now() - this.config.unusedMs;
    await this.database.locked(async (trx) => {
      // Devices bring answers for others. Not at once: two may bring the same bytes.
      const devices = trx('users').where({ role: 'worker' }).select('id');
      await trx('uploads').where('created', '<', old).whereIn('user', devices).delete();
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
        const question = await db('questions').where({ id }).first();
        if (question && [question.asker, question.holder].includes(user.id)) return true;
      }
      if (kind === 'record') {
        const grant = await db('grants')
          .where({ record: id, grantee: user.id, use: 'read', revoked: null })
          .first();
        if (grant) return true;
      }
    }
    return false;
  }
}
