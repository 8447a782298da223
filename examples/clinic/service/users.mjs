/** Users, invitations and sessions. */
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from './errors.mjs';
import { pageByName } from './pages.mjs';
import { hashPassword, isPassword } from './passwords.mjs';
import { newToken, tokenHash } from './tokens.mjs';

export class Users {
  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./config.mjs').Config} config
   */
  constructor(database, config) {
    this.database = database;
    this.config = config;
  }

  /** A code with which somebody registers, once. `creator`: undefined for `otherwise`, such as the command line, which is how the first administrator comes. */
  async invite(creator, role, otherwise = 'command line') {
    const { token, hash } = newToken();
    const expires = Date.now() + this.config.inviteMs;
    const actor = creator ?? otherwise;
    await this.database.change({ actor, action: 'user.invite', details: { role } }, (trx) =>
      trx('invites').insert({ hash, role, creator: creator?.id ?? null, expires, used_by: null }),
    );
    return { code: token, role, expires };
  }

  /** Errors: 403 `invite.invalid`, 409 `user.taken`, 422 `password.short`. */
  async register({ code, name, password }) {
    const hashed = await hashPassword(password);
    const id = randomUUID();
    const hash = tokenHash(code);
    return this.database.change({ actor: id, action: 'user.register', subject: id }, async (trx, entry) => {
      const invite = await trx('invites').where({ hash, used_by: null }).first();
      if (!invite || invite.expires <= Date.now())
        throw new ServiceError(403, 'invite.invalid', 'This invitation is none, was used, or has expired');
      if (await trx('users').where({ name }).first())
        throw new ServiceError(409, 'user.taken', 'Somebody has this name', { where: 'name' });
      await trx('users').insert({
        ...{ id, name, role: invite.role, password: hashed },
        ...{ created: Date.now(), disabled: null },
      });
      await trx('invites').where({ hash }).update({ used_by: id });
      entry.details = { role: invite.role };
      return { id, name, role: invite.role };
    });
  }

  /** Errors: 401 `login.wrong`, the same for all reasons. */
  async login({ name, password }) {
    const user = await this.database.db('users').where({ name }).first();
    const right = await isPassword(user?.password, password);
    const wrong = () => new ServiceError(401, 'login.wrong', 'Name and password do not go together');
    if (!right) throw wrong();
    const { token, hash } = newToken();
    const [created, expires] = [Date.now(), Date.now() + this.config.sessionMs];
    await this.database.change({ actor: user.id, action: 'session.start' }, async (trx) => {
      // Comparing takes a while, in which another password may have ended all sessions.
      const same = { id: user.id, password: user.password, disabled: null };
      if (!(await trx('users').where(same).first('id'))) throw wrong();
      await trx('sessions').where('expires', '<=', created).delete();
      await trx('sessions').insert({ hash, user: user.id, created, expires });
    });
    return { token, expires, user: shown(user) };
  }

  /** Whose token it is; undefined for none, expired ones, and those of disabled users. */
  async of(token) {
    const hash = tokenHash(token);
    const session = await this.database.session(hash);
    if (!session) return undefined;
    const user = await this.database.db('users').where({ id: session.user, disabled: null }).first();
    return user && { ...shown(user), session: hash };
  }

  /** Whether a session that was valid still is. */
  async isIn(user) {
    return (await this.database.session(user.session)) !== undefined;
  }

  async logout(user) {
    await this.database.change({ actor: user.id, action: 'session.end' }, (trx) =>
      trx('sessions').where({ hash: user.session }).delete(),
    );
  }

  /** All other sessions end. Errors: 401 `login.wrong`, 422 `password.short`. */
  async changePassword(user, { old, password }) {
    const row = await this.database.db('users').where({ id: user.id }).first();
    if (!(await isPassword(row.password, old)))
      throw new ServiceError(401, 'login.wrong', 'The old password is another one');
    const hashed = await hashPassword(password);
    await this.database.change({ actor: user, action: 'user.password' }, async (trx) => {
      await trx('users').where({ id: user.id }).update({ password: hashed });
      await trx('sessions').where({ user: user.id }).whereNot({ hash: user.session }).delete();
    });
  }

  /** A page of them. */
  async list({ after } = /** @type {{after?: string}} */ ({})) {
    const query = this.database.db('users').where({ disabled: null }).select('id', 'name', 'role');
    const { rows, next } = await pageByName(query, after);
    return { items: rows, next };
  }

  /** Errors: 404. */
  async named(name, trx = this.database.db) {
    const user = await trx('users').where({ name, disabled: null }).first();
    if (!user) throw notFound('user');
    return shown(user);
  }

  /**
   * Disables or enables, or gives another role; sessions and invitations of theirs end either way, and what `stop` ends of the user as it is then, whose result is given. Errors: 404; 409 `user.self`.
   * @param {(trx: any, user: {id: string, role: string, disabled: number | null}) => Promise<any[]>} stop
   */
  async set(admin, name, { disabled, role }, stop) {
    return this.database.change(
      { actor: admin, action: 'user.set', details: { disabled, role } },
      async (trx, entry) => {
        const user = await trx('users').where({ name }).first();
        if (!user) throw notFound('user');
        if (user.id === admin.id)
          throw new ServiceError(
            409,
            'user.self',
            'Nobody locks themselves out: another administrator has to',
          );
        entry.subject = user.id;
        const changed = {
          ...(disabled !== undefined && { disabled: disabled ? Date.now() : null }),
          ...(role !== undefined && { role }),
        };
        await trx('users').where({ id: user.id }).update(changed);
        await trx('sessions').where({ user: user.id }).delete();
        // Nor do they come back by what they invited themselves to.
        await trx('invites').where({ creator: user.id, used_by: null }).delete();
        const stopped = await stop(trx, { ...user, ...changed });
        entry.details = { ...entry.details, ended: stopped.length };
        return stopped;
      },
    );
  }
}

function shown({ id, name, role }) {
  return { id, name, role };
}
