/** The catalogue of programs. Who uploads one, or has one compiled, offers it to all; who computes with one, or encrypts for one, has to look at it. */
import { randomUUID } from 'node:crypto';
import { Desk } from './desk.mjs';
import { notFound, ServiceError } from './errors.mjs';
import { pageOf } from './pages.mjs';

export class Programs {
  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./config.mjs').Config} config
   */
  constructor(database, storage, config) {
    this.database = database;
    this.storage = storage;
    // Neither computes anything for users. Compiling may take long, and what is opened does not wait for it.
    this.opening = new Desk(config.compileMs);
    this.compiling = new Desk(config.compileMs);
  }

  /** Errors: those of cipherloom for bytes that are no program, or not secure. */
  async add(user, { name, blob }) {
    await this.storage.brought(this.database.db, user, [blob], 'program');
    const info = await this.opening.take(user, async (evaluator, signal) =>
      evaluator.inspect(await this.storage.blobs.read(blob), undefined, signal),
    );
    return this.#insert(user, name, blob, info);
  }

  /** Selects parameters and base operators here. Errors: those of cipherloom; 429 `program.busy`. */
  async compile(user, { name, task, options }) {
    if (this.compiling.has(user))
      throw new ServiceError(429, 'program.busy', 'Your last task is still being compiled: one at a time', {
        expected: `${Math.ceil(this.compiling.ms / 1000)} seconds`,
      });
    const { bytes, info } = await this.compiling.take(user, (evaluator, signal) =>
      evaluator.compile(task, options ?? {}, signal),
    );
    const { sha } = await this.storage.bring(user, [Buffer.from(bytes)], { declared: bytes.length });
    return this.#insert(user, name, sha, info);
  }

  async #insert(user, name, sha, info) {
    const id = randomUUID();
    await this.database.change(
      { actor: user, action: 'program.add', subject: id, details: { sha } },
      async (trx) => {
        // It may have waited for long until it was opened.
        await this.storage.brought(trx, user, [sha], 'program');
        await trx('programs').insert({
          ...{ id, owner: user.id, name, sha, info: JSON.stringify(info) },
          ...{ created: Date.now(), removed: null },
        });
        await this.storage.use(trx, 'program', id, [sha]);
      },
    );
    return { id, name, blob: sha, info };
  }

  /** A page of them. */
  async list({ after } = /** @type {{after?: string}} */ ({})) {
    const query = this.database.db('programs').where({ removed: null }).select();
    const { rows, next } = await pageOf(query, after, 'programs');
    return { items: rows.map(shown), next };
  }

  async get(id, trx = this.database.db) {
    const row = await trx('programs').where({ id, removed: null }).first();
    if (!row) throw notFound('program');
    return shown(row);
  }

  /** One that is offered, or that a user has keys, records or questions of: these are of no use without it. Errors: 404. */
  async told(user, id) {
    const { db } = this.database;
    const row = await db('programs').where({ id }).first();
    if (!row || (row.removed !== null && !(await this.#isUsedBy(user, id)))) throw notFound('program');
    return shown(row);
  }

  async #isUsedBy(user, program) {
    const { db } = this.database;
    const uses = [
      db('key_sets').where({ program, holder: user.id }).whereNot({ state: 'deleted' }),
      db('records').where({ program, owner: user.id, deleted: null }),
      db('questions')
        .where({ program })
        .where((either) => either.where({ asker: user.id }).orWhere({ holder: user.id })),
    ];
    for (const use of uses) if (await use.first('id')) return true;
    return false;
  }

  /** It is no longer offered; its bytes stay, for what was encrypted for it. Errors: 404. */
  async remove(user, id) {
    await this.database.change({ actor: user, action: 'program.remove', subject: id }, async (trx) => {
      const changed = await trx('programs')
        .where({ id, owner: user.id, removed: null })
        .update({ removed: Date.now() });
      if (changed === 0) throw notFound('program');
    });
  }

  /** That a public key is one for a program. Errors: those of cipherloom; 422 `key.public`. */
  async checkPublicKey(user, program, sha) {
    if (!program.info.publicKey)
      throw new ServiceError(422, 'key.public', 'The program was compiled without publicKey: it takes none');
    await this.opening.take(user, async (evaluator, signal) => {
      const [bytes, key] = await Promise.all(
        [program.blob, sha].map((each) => this.storage.blobs.read(each)),
      );
      return evaluator.inspect(bytes, key, signal);
    });
  }

  async stop() {
    await Promise.all([this.opening.stop(), this.compiling.stop()]);
  }
}

function shown({ id, name, sha, info, owner }) {
  return { id, name, blob: sha, owner, info: JSON.parse(info) };
}
