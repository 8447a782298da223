/** Encrypted records, and who may use them for what. */
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from './errors.mjs';
import { pageOf } from './pages.mjs';

export class Records {
  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./programs.mjs').Programs} programs
   * @param {import('./keys.mjs').Keys} keys
   * @param {import('./users.mjs').Users} users
   */
  constructor(database, storage, programs, keys, users) {
    this.database = database;
    this.storage = storage;
    this.programs = programs;
    this.keys = keys;
    this.users = users;
  }

  /** Errors: 404; 409 for keys that are retired or deleted; 422 `record.input`, and as of `Storage.brought`. */
  async add(user, { program, key, label, inputs }) {
    const about = await this.programs.get(program);
    const encrypted = about.info.inputs.filter(({ place }) => place === 'encrypted').map(({ name }) => name);
    for (const name of Object.keys(inputs))
      if (!encrypted.includes(name))
        throw new ServiceError(422, 'record.input', 'The program has no encrypted input of this name', {
          found: name,
          expected: encrypted,
        });
    const id = randomUUID();
    const details = { program, key };
    await this.database.change({ actor: user, action: 'record.add', subject: id, details }, async (trx) => {
      await this.keys.usable(trx, key, ['active']);
      await this.storage.brought(trx, user, Object.values(inputs), 'value');
      await this.storage.use(trx, 'record', id, Object.values(inputs));
      await trx('records').insert({
        ...{ id, owner: user.id, program, key_set: key, label, inputs: JSON.stringify(inputs) },
        ...{ created: Date.now(), deleted: null },
      });
    });
    return { id, program, key, label, inputs };
  }

  /** A page of own ones, and, behind these, of those that others grant: of them inputs are told where they may be read. */
  async list(user, { after, granted } = /** @type {{after?: string, granted?: string}} */ ({})) {
    const { db } = this.database;
    if (granted === undefined) {
      const own = db('records').where({ owner: user.id, deleted: null }).select();
      const { rows, next } = await pageOf(own, after, 'records');
      const items = rows.map((row) => ({ ...shown(row), owner: user.name, inputs: JSON.parse(row.inputs) }));
      if (next !== undefined) return { items, next };
      const first = await this.list(user, { granted: 'yes' });
      return { ...first, items: [...items, ...first.items] };
    }
    const query = db('grants')
      .join('records', 'records.id', 'grants.record')
      .join('users', 'users.id', 'records.owner')
      .where({ 'grants.grantee': user.id, 'grants.revoked': null, 'records.deleted': null })
      .select('records.*', 'grants.use', 'grants.program as allowed', 'users.name as ownerName')
      .select('grants.id as grant', 'grants.created as granted');
    const place = (row) => [row.granted, row.grant];
    const { rows, next } = await pageOf(query, after, 'grants', place);
    const items = rows.map((row) => ({
      ...{ ...shown(row), owner: row.ownerName, use: row.use, allowed: row.allowed ?? undefined },
      ...(row.use === 'read' && { inputs: JSON.parse(row.inputs) }),
    }));
    return { items, next, query: { granted: 'yes' } };
  }

  /** A page of whom a record is granted to. Errors: 404. */
  async grants(user, record, { after } = /** @type {{after?: string}} */ ({})) {
    await this.#own(this.database.db, user, record);
    const query = this.database
      .db('grants')
      .join('users', 'users.id', 'grants.grantee')
      .where({ record, revoked: null })
      .select('grants.*', 'users.name');
    const { rows, next } = await pageOf(query, after, 'grants');
    const items = rows.map(({ id, name, use, program }) => ({
      ...{ id, to: name, use, program: program ?? undefined },
    }));
    return { items, next };
  }

  /** `ask`: in questions of one program; `read`: its ciphertexts. Granting twice is granting once, so that it can be taken back once. Errors: 404. */
  async grant(user, record, { to, use, program }) {
    if ((use === 'ask') !== (program !== undefined))
      throw new ServiceError(422, 'grant.program', 'To ask is granted for one program, to read for none', {
        where: 'program',
      });
    const grantee = await this.users.named(to);
    if (program) await this.programs.get(program);
    const granted = { record, grantee: grantee.id, use, program: program ?? null, revoked: null };
    const details = { record, grantee: grantee.id, use, program };
    const id = await this.database.change(
      { actor: user, action: 'grant.add', details },
      async (trx, entry) => {
        await this.#own(trx, user, record);
        const before = await trx('grants').where(granted).first('id');
        entry.subject = before?.id ?? randomUUID();
        if (!before) await trx('grants').insert({ ...granted, id: entry.subject, created: Date.now() });
        return entry.subject;
      },
    );
    return { id, to, use, program };
  }

  /** From then on; questions that wait for their turn fail. All of what was granted twice, as older services did. Errors: 404. */
  async revoke(user, record, id) {
    await this.database.change(
      { actor: user, action: 'grant.revoke', subject: id, details: { record } },
      async (trx) => {
        await this.#own(trx, user, record);
        const granted = { record, revoked: null };
        const row = await trx('grants')
          .where({ ...granted, id })
          .first('grantee', 'use', 'program');
        if (!row) throw notFound('grant');
        await trx('grants')
          .where({ ...granted, ...row })
          .update({ revoked: Date.now() });
      },
    );
  }

  /** Its bytes go. Results that were computed of it stay with who asked. Errors: 404. */
  async delete(user, id) {
    const gone = await this.database.change(
      { actor: user, action: 'record.delete', subject: id },
      async (trx) => {
        await this.#own(trx, user, id);
        await trx('records').where({ id }).update({ deleted: Date.now(), inputs: '{}' });
        return this.storage.release(trx, 'record', id, user.id);
      },
    );
    await this.storage.sweep(gone);
  }

  async #own(trx, user, id) {
    const row = await trx('records').where({ id, owner: user.id, deleted: null }).first();
    if (!row) throw notFound('record');
    return row;
  }

  /** A record that somebody may ask a program of, now. Errors: 404. */
  async askable(trx, userId, programId, id) {
    const row = await trx('records').where({ id, deleted: null }).first();
    const granted = { record: id, grantee: userId, use: 'ask', program: programId, revoked: null };
    if (row && (row.owner === userId || (await trx('grants').where(granted).first()))) return row;
    throw notFound('record');
  }
}

function shown({ id, program, key_set, label, created }) {
  return { id, program, key: key_set, label, created };
}
