/** Keys: evaluation keys, which compute, and public keys, which encrypt. They are made by who holds the secret key, on request of others too, rotated, and deleted. */
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from './errors.mjs';
import { pageOf } from './pages.mjs';

/** `active`: for new records; `retired`: for those that there are; `deleted`: its bytes are gone. */
export class Keys {
  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./programs.mjs').Programs} programs
   * @param {import('./users.mjs').Users} users
   */
  constructor(database, storage, programs, users) {
    this.database = database;
    this.storage = storage;
    this.programs = programs;
    this.users = users;
  }

  /** Adds a set; with `replaces` another one retires in the same moment. Requests for such keys are answered by it. Errors: 404, 422. */
  async add(user, { program, evaluation, publicKey, replaces }) {
    const about = await this.programs.get(program);
    await this.storage.brought(this.database.db, user, evaluation, 'evaluationKey');
    if (publicKey) {
      await this.storage.brought(this.database.db, user, [publicKey], 'publicKey');
      await this.programs.checkPublicKey(user, about, publicKey);
    }
    const id = randomUUID();
    const details = { program, replaces };
    await this.database.change({ actor: user.id, action: 'key.add', subject: id, details }, async (trx) => {
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

  /** A page of keys of a program that one can encrypt for, or one's own. */
  async list({ holder, program, after }) {
    const query = this.database
      .db('key_sets')
      .join('users', 'users.id', 'key_sets.holder')
      .select('key_sets.*', 'users.name');
    if (holder) query.where('users.name', holder);
    if (program) query.where('key_sets.program', program);
    const { rows, next } = await pageOf(query.whereNot('key_sets.state', 'deleted'), after, 'key_sets');
    const items = rows.map((row) => ({
      ...{ id: row.id, holder: row.name, program: row.program, publicKey: row.public ?? undefined },
      ...{ state: row.state, created: row.created },
    }));
    return { items, next };
  }

  async retire(user, id) {
    await this.database.change({ actor: user.id, action: 'key.retire', subject: id }, (trx) =>
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
      { actor: user.id, action: 'key.delete', subject: id },
      async (trx) => {
        const changed = await trx('key_sets')
          .where({ id, holder: user.id })
          .whereNot({ state: 'deleted' })
          .update({ state: 'deleted', evaluation: '[]', public: null, changed: Date.now() });
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
    const { blobs } = this.storage;
    const identity = await blobs.identity(value);
    const others = await trx('key_sets')
      .where({ holder: set.holder, program })
      .whereNot({ state: 'deleted' })
      .orderBy('created', 'desc')
      .select('evaluation', 'public');
    for (const other of others) {
      const evaluation = JSON.parse(other.evaluation);
      const one = evaluation[0] ?? other.public;
      if (one && identity !== undefined && (await blobs.identity(one)) === identity) return evaluation;
    }
    return JSON.parse(set.evaluation);
  }

  /** Asks a holder for a public key. Errors: 404; 422 `key.public`. */
  async request(user, { holder, program }) {
    const about = await this.programs.get(program);
    if (!about.info.publicKey)
      throw new ServiceError(422, 'key.public', 'The program was compiled without publicKey: it takes none');
    const of = await this.users.named(holder);
    const id = randomUUID();
    const details = { holder: of.id, program };
    await this.database.change({ actor: user.id, action: 'key.request', subject: id, details }, (trx) =>
      trx('key_requests').insert({
        ...{ id, requester: user.id, holder: of.id, program },
        ...{ state: 'open', key_set: null, created: Date.now() },
      }),
    );
    return { id, holder, program, state: 'open' };
  }

  /** A page of requests that one made, and that one is to answer. */
  async requests(user, { after } = /** @type {{after?: string}} */ ({})) {
    const query = this.database
      .db('key_requests')
      .join('users as by', 'by.id', 'key_requests.requester')
      .join('users as of', 'of.id', 'key_requests.holder')
      .where((either) => either.where('requester', user.id).orWhere('holder', user.id))
      .select('key_requests.*', 'by.name as requesterName', 'of.name as holderName');
    const { rows, next } = await pageOf(query, after, 'key_requests');
    const items = rows.map((row) => ({
      ...{ id: row.id, requester: row.requesterName, holder: row.holderName, program: row.program },
      ...{ state: row.state, key: row.key_set ?? undefined },
    }));
    return { items, next };
  }

  async decline(user, id) {
    await this.database.change({ actor: user.id, action: 'key.decline', subject: id }, async (trx) => {
      const changed = await trx('key_requests')
        .where({ id, holder: user.id, state: 'open' })
        .update({ state: 'declined' });
      if (changed === 0) throw notFound('request');
    });
  }
}
