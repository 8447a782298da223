/** Keys: evaluation keys, which compute, and public keys, which encrypt. They are made by who holds the secret key, on request of others too, rotated, and deleted. */
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from './errors.mjs';
import { pageOf } from './pages.mjs';

/** Written out, since SQLite takes an index of such rows for nothing else. */
const HERE = "key_sets.state <> 'deleted'";

/** `active`: for new records; `retired`: for those that there are; `deleted`: its bytes are gone. */
export class Keys {
  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./programs.mjs').Programs} programs
   * @param {import('./users.mjs').Users} users
   * @param {import('./config.mjs').Config} config
   */
  constructor(database, storage, programs, users, config) {
    this.database = database;
    this.storage = storage;
    this.programs = programs;
    this.users = users;
    this.config = config;
  }

  /** Adds a set; with `replaces` another one retires in the same moment. Requests for such keys are answered by it. Errors: 404, 422; 429 `key.many`. */
  async add(user, { program, evaluation, publicKey, replaces }) {
    const about = await this.programs.get(program);
    await this.storage.brought(this.database.db, user, evaluation, 'evaluationKey');
    if (publicKey) {
      await this.storage.brought(this.database.db, user, [publicKey], 'publicKey');
      await this.programs.checkPublicKey(user, about, publicKey);
    }
    const identity = await identityOf(this.storage.blobs, evaluation, publicKey);
    const id = randomUUID();
    const details = { program, replaces };
    await this.database.change({ actor: user, action: 'key.add', subject: id, details }, async (trx) => {
      await this.#checkCount(trx, user, program);
      // Again, now that nothing changes beside it.
      await this.storage.brought(trx, user, evaluation, 'evaluationKey');
      await this.storage.use(trx, 'evaluation', id, evaluation);
      if (publicKey) {
        await this.storage.brought(trx, user, [publicKey], 'publicKey');
        await this.storage.use(trx, 'public', id, [publicKey]);
      }
      if (replaces) await this.#retire(trx, user, replaces);
      await trx('key_sets').insert({
        ...{
          id,
          holder: user.id,
          program,
          evaluation: JSON.stringify(evaluation),
          public: publicKey ?? null,
          identity,
        },
        ...{ state: 'active', created: Date.now(), changed: null },
      });
      if (publicKey)
        await trx('key_requests')
          .where({ holder: user.id, program, state: 'open' })
          .update({ state: 'answered', key_set: id });
    });
    return { id, program, publicKey, state: 'active' };
  }

  /** Nobody's keys are looked through for ever. Errors: 429 `key.many`. */
  async #checkCount(trx, user, program) {
    const { keySets: most } = this.config;
    const sets = trx('key_sets').where({ holder: user.id, program }).whereRaw(HERE);
    const found = Number((await sets.count({ all: '*' }).first()).all);
    if (found >= most)
      throw new ServiceError(
        429,
        'key.many',
        `A user has at most ${most} sets of keys for one program: delete one that is needed no more`,
        { found, expected: most },
      );
  }

  /** A page of keys of a program that one can encrypt for, or one's own. */
  async list({ holder, program, after }) {
    const query = this.database
      .db('key_sets')
      .join('users', 'users.id', 'key_sets.holder')
      .select('key_sets.*', 'users.name');
    if (holder) query.where('users.name', holder);
    if (program) query.where('key_sets.program', program);
    const { rows, next } = await pageOf(query.whereRaw(HERE), after, 'key_sets');
    const items = rows.map((row) => ({
      ...{ id: row.id, holder: row.name, program: row.program, publicKey: row.public ?? undefined },
      ...{ state: row.state, created: row.created },
    }));
    return { items, next };
  }

  async retire(user, id) {
    await this.database.change({ actor: user, action: 'key.retire', subject: id }, (trx) =>
      this.#retire(trx, user, id),
    );
  }

  async #retire(trx, user, id) {
    const changed = await trx('key_sets')
      .where({ id, holder: user.id, state: 'active' })
      .update({ state: 'retired', changed: Date.now() });
    if (changed === 0) throw notFound('key');
  }

  /** Its bytes go, and nothing is computed with it any more. Errors: 404. */
  async delete(user, id) {
    const gone = await this.database.change(
      { actor: user, action: 'key.delete', subject: id },
      async (trx) => {
        const changed = await trx('key_sets')
          .where({ id, holder: user.id })
          .whereNot({ state: 'deleted' })
          .update({ state: 'deleted', evaluation: '[]', public: null, identity: null, changed: Date.now() });
        if (changed === 0) throw notFound('key');
        return [
          ...(await this.storage.release(trx, 'evaluation', id, user.id)),
          ...(await this.storage.release(trx, 'public', id, user.id)),
        ];
      },
    );
    await this.storage.sweep(gone);
  }

  /** One that new records may be encrypted under. Errors: 404; 409 `key.retired`, `key.deleted`. */
  async usable(trx, id, states) {
    const row = await trx('key_sets').where({ id }).first();
    if (!row) throw notFound('key');
    if (!states.includes(row.state))
      throw new ServiceError(409, `key.${row.state}`, `The key is ${row.state}`, {
        found: row.state,
        expected: states,
      });
    return row;
  }

  /**
   * Evaluation keys of a holder for a program: of sets for it the newest one of the very secret key that data (`value`, one of them) were encrypted under, or else of the set that they
   * name. A holder may have sets of several secret keys for one program.
   */
  async evaluation(trx, set, program, value) {
    if (set.program === program || value === undefined) return JSON.parse(set.evaluation);
    // Of one value, however many sets there are.
    const identity = await this.storage.blobs.identity(value);
    const same =
      identity &&
      (await trx('key_sets')
        .where({ holder: set.holder, program, identity })
        .whereRaw(HERE)
        .orderBy([
          { column: 'created', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .first('evaluation'));
    return JSON.parse((same ?? set).evaluation);
  }

  /** Asks a holder for a public key; once, until the holder has said something. Errors: 404; 422 `key.public`. */
  async request(user, { holder, program }) {
    const about = await this.programs.get(program);
    if (!about.info.publicKey)
      throw new ServiceError(422, 'key.public', 'The program was compiled without publicKey: it takes none');
    const of = await this.users.named(holder);
    const asked = { requester: user.id, holder: of.id, program, state: 'open' };
    const details = { holder: of.id, program };
    const id = await this.database.change(
      { actor: user, action: 'key.request', details },
      async (trx, entry) => {
        const before = await trx('key_requests').where(asked).first('id');
        entry.subject = before?.id ?? randomUUID();
        if (!before)
          await trx('key_requests').insert({
            ...asked,
            ...{ id: entry.subject, key_set: null, created: Date.now() },
          });
        return entry.subject;
      },
    );
    return { id, holder, program, state: 'open' };
  }

  /** A page of requests that one made, and that one is to answer. */
  async requests(user, { after } = /** @type {{after?: string}} */ ({})) {
    const query = this.database
      .db('key_requests')
      .join('users as by', 'by.id', 'key_requests.requester')
      .join('users as of', 'of.id', 'key_requests.holder')
      .select('key_requests.*', 'by.name as requesterName', 'of.name as holderName');
    const queries = [
      query.clone().where('key_requests.requester', user.id),
      query.clone().where('key_requests.holder', user.id),
    ];
    const { rows, next } = await pageOf(queries, after, 'key_requests');
    const items = rows.map((row) => ({
      ...{ id: row.id, requester: row.requesterName, holder: row.holderName, program: row.program },
      ...{ state: row.state, key: row.key_set ?? undefined },
    }));
    return { items, next };
  }

  async decline(user, id) {
    await this.database.change({ actor: user, action: 'key.decline', subject: id }, async (trx) => {
      const changed = await trx('key_requests')
        .where({ id, holder: user.id, state: 'open' })
        .update({ state: 'declined' });
      if (changed === 0) throw notFound('request');
    });
  }
}

/** What a set says of the secret key that it is of (`BlobStore.identity`); null where it says nothing. */
async function identityOf(blobs, evaluation, publicKey) {
  const one = evaluation[0] ?? publicKey;
  return (one && (await blobs.identity(one))) ?? null;
}

/** Sets that are looked at at a time. */
const BATCH = 50;

/** Says of all sets that do not say it yet which secret key they are of. */
export async function identify(db, blobs) {
  for (let last = ''; ;) {
    const rows = await db('key_sets')
      .where({ identity: null })
      .where('id', '>', last)
      .whereRaw(HERE)
      .orderBy('id')
      .limit(BATCH)
      .select('id', 'evaluation', 'public');
    for (const { id, evaluation, public: publicKey } of rows) {
      const identity = await identityOf(blobs, JSON.parse(evaluation), publicKey);
      // It may have been deleted meanwhile.
      if (identity !== null) await db('key_sets').where({ id }).whereRaw(HERE).update({ identity });
    }
    if (rows.length < BATCH) return;
    last = rows.at(-1).id;
  }
}
