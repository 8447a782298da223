/**
 * Questions: a program, run on records. All that is known of one is in the database, so that any runner goes on where another one ended:
 * `queued` -> `running` (by one runner, for as long as it renews its lease) -> `done`, `failed` or `cancelled`, from which nothing leads on.
 */
import { EventEmitter } from 'node:events';
import { createHash, randomUUID } from 'node:crypto';
import { notFound, ServiceError } from './errors.mjs';
import { checkGiven } from './given.mjs';
import { pageOf } from './pages.mjs';
import { allow } from './roles.mjs';

/** What the log calls runners of the service itself. */
export const SERVICE = 'service';
/** The role of who runs questions elsewhere. */
const RUNS = 'worker';
const NO_RUNNER = 'question.runner';
const ENDED = ['done', 'failed', 'cancelled'];
/** Before the digest of what a question was given; no JSON begins so. */
const DIGEST = 'sha256:';
/** Questions that all runners are told of at a time; the next ones have their turn when these have gone. */
const TOLD = 1000;
/** What is shown of a question: what it was given may be large, and is for who runs it. */
const SHOWN = [
  ...['id', 'asker', 'holder', 'program', 'records', 'state', 'attempt', 'done', 'total'],
  ...['created', 'started', 'finished', 'code', 'message', 'outputs'],
];

export class Questions {
  /** Names of questions that changed, in this process. */
  changes = new EventEmitter().setMaxListeners(0);

  /**
   * @param {import('./database.mjs').Database} database
   * @param {import('./storage.mjs').Storage} storage
   * @param {import('./programs.mjs').Programs} programs
   * @param {import('./keys.mjs').Keys} keys
   * @param {import('./records.mjs').Records} records
   * @param {import('./users.mjs').Users} users
   * @param {import('./config.mjs').Config} config
   */
  constructor(database, storage, programs, keys, records, users, config) {
    this.database = database;
    this.storage = storage;
    this.programs = programs;
    this.keys = keys;
    this.records = records;
    this.users = users;
    this.config = config;
  }

  /**
   * Asks. With the `id` of one that was asked already, gives that one: who does not know whether a question arrived asks again. Errors: 404, 409, 422; 429 `question.open`;
   * 507 `storage.full`.
   */
  async ask(user, { id = randomUUID(), program, records, given = {}, runner }) {
    const worker = await this.#runner(runner);
    const { info } = await this.programs.told(user, program);
    checkGiven(info.inputs, given);
    const asked = {
      ...{ program, records: JSON.stringify(records), given: JSON.stringify(given) },
      runner: worker,
    };
    const known = await this.#known(this.database.db, user, id, asked);
    if (known) return { question: known, created: false };
    const details = { program, records, runner: worker ?? undefined };
    const entry = { actor: user, action: 'question.ask', subject: id, details };
    const made = this.database.change(entry, async (trx) => {
      // The same may have been asked twice at once.
      if (await trx('questions').where({ id }).first('id')) throw new Known();
      await this.programs.get(program, trx);
      await this.#runner(runner, trx);
      await this.#checkOpen(trx, user);
      if (Object.keys(given).length > 0)
        await this.storage.checkRoom(trx, user, Buffer.byteLength(asked.given));
      const { set } = await this.#parts(trx, { ...asked, asker: user.id });
      const row = {
        ...{ id, asker: user.id, ...asked, key_set: set.id, holder: set.holder },
        ...{ state: 'queued', attempt: 0, worker: null, lease: null, done: 0, total: 0 },
        ...{ code: null, message: null, outputs: null, created: Date.now(), started: null, finished: null },
      };
      await trx('questions').insert(row);
      return row;
    });
    const row = await made.catch((error) => {
      if (!(error instanceof Known)) throw error;
    });
    if (!row) return { question: await this.#known(this.database.db, user, id, asked), created: false };
    this.changes.emit('queued', id);
    return { question: this.shown(row), created: true };
  }

  /** Who is to run a question, by a name; null: the service. Errors: 404, 422 `question.runner`. */
  async #runner(name, trx = this.database.db) {
    if (name === undefined) return null;
    const { id, role } = await this.users.named(name, trx);
    if (role === RUNS) return id;
    throw new ServiceError(
      422,
      NO_RUNNER,
      `A question is run by the service, or by a user with the role ${RUNS}`,
      { found: role, expected: RUNS },
    );
  }

  /** A question that was asked already. Errors: 409 `question.taken` where it is another one. */
  async #known(trx, user, id, { given, ...asked }) {
    // Compared there, where it lies.
    const same = trx.raw('case when given in (?, ?) then 1 else 0 end as same', [given, digest(given)]);
    const row = await trx('questions')
      .where({ id })
      .first(...SHOWN, 'runner', same);
    if (!row) return undefined;
    if (
      row.asker !== user.id ||
      row.same !== 1 ||
      Object.keys(asked).some((name) => asked[name] !== row[name])
    )
      throw new ServiceError(409, 'question.taken', 'There is another question of this id', { where: 'id' });
    return this.shown(row);
  }

  /** Nobody's questions keep all others waiting for ever. Errors: 429 `question.open`. */
  async #checkOpen(trx, user) {
    const { openQuestions: most } = this.config;
    const { open } = await trx('questions')
      .where({ asker: user.id })
      .whereNotIn('state', ENDED)
      .count({ open: '*' })
      .first();
    if (Number(open) >= most)
      throw new ServiceError(
        429,
        'question.open',
        `A user has at most ${most} questions that have not ended`,
        {
          found: Number(open),
          expected: most,
        },
      );
  }

  /** What a question is made of, if it may be asked now. */
  async #parts(trx, { asker, program, records }) {
    // Disabled, or of another role by now.
    const user = await trx('users').where({ id: asker, disabled: null }).first('role');
    if (!user) throw notFound('user');
    allow(user, 'questions.ask');
    const about = await trx('programs').where({ id: program }).first();
    const rows = [];
    for (const id of JSON.parse(records)) rows.push(await this.records.askable(trx, asker, program, id));
    const [{ key_set }] = rows;
    if (rows.some((row) => row.key_set !== key_set))
      throw new ServiceError(422, 'question.keys', 'The records were encrypted under different keys', {
        found: [...new Set(rows.map((row) => row.key_set))],
      });
    const set = await this.keys.usable(trx, key_set, ['active', 'retired']);
    const inputs = new Map();
    const wanted = JSON.parse(about.info).inputs;
    const encrypted = wanted.filter(({ place }) => place === 'encrypted').map(({ name }) => name);
    for (const row of rows) {
      for (const [name, sha] of Object.entries(JSON.parse(row.inputs))) {
        if (!encrypted.includes(name)) continue;
        if (inputs.has(name))
          throw new ServiceError(422, 'question.twice', 'Two records give the same input', { where: name });
        inputs.set(name, sha);
      }
    }
    const missing = encrypted.filter((name) => !inputs.has(name));
    if (missing.length > 0)
      throw new ServiceError(422, 'question.missing', 'No record gives some of the inputs', {
        expected: missing,
      });
    const evaluation = await this.keys.evaluation(trx, set, program, [...inputs.values()][0]);
    return { set, job: { program: about.sha, evaluation, inputs: Object.fromEntries(inputs) } };
  }

  /** Of those that one asked, or whose answers one's key decrypts. Errors: 404. */
  async get(user, id) {
    const row = await this.database
      .db('questions')
      .where({ id })
      .first(...SHOWN);
    if (!row || ![row.asker, row.holder].includes(user.id)) throw notFound('question');
    return this.shown(row);
  }

  /** A page of them. */
  async list(user, { after } = /** @type {{after?: string}} */ ({})) {
    const query = this.database.db('questions').select(...SHOWN);
    const queries = [query.clone().where({ asker: user.id }), query.clone().where({ holder: user.id })];
    const { rows, next } = await pageOf(queries, after, 'questions');
    return { items: rows.map((row) => this.shown(row)), next };
  }

  shown(row) {
    return {
      ...{
        id: row.id,
        asker: row.asker,
        holder: row.holder,
        program: row.program,
        records: JSON.parse(row.records),
        state: row.state,
        attempt: row.attempt,
      },
      ...{
        done: row.done,
        total: row.total,
        created: row.created,
        started: row.started,
        finished: row.finished,
      },
      ...(row.code && { error: { code: row.code, message: row.message } }),
      ...(row.outputs && { outputs: JSON.parse(row.outputs) }),
    };
  }

  /** It ends now, wherever it is. Errors: 404; 409 `question.ended`. */
  async cancel(user, id) {
    const gone = await this.database.change(
      { actor: user, action: 'question.cancel', subject: id },
      async (trx) => {
        const row = await trx('questions').where({ id, asker: user.id }).first('id', 'state');
        if (!row) throw notFound('question');
        if (ended(row.state))
          throw new ServiceError(409, 'question.ended', `The question is ${row.state}`, { found: row.state });
        return this.#end(trx, id, { state: 'cancelled' });
      },
    );
    await this.endedAll([{ id, gone }]);
  }

  /**
   * Ends what has not ended and rests on a user, as that one is now, in a transaction that says why: what was asked by who is disabled, and what names who runs no more, since nobody else takes it. Gives what
   * {@link endedAll} is to have when it is through.
   */
  async stopFor(trx, { id, role, disabled }) {
    const asked = disabled === null ? [] : await this.#endAll(trx, { asker: id }, { state: 'cancelled' });
    if (disabled === null && role === RUNS) return asked;
    const message = 'The user who was to run it may run no more';
    const failed = { state: 'failed', code: NO_RUNNER, message };
    return [...asked, ...(await this.#endAll(trx, { runner: id }, failed))];
  }

  async #endAll(trx, which, change) {
    const rows = await trx('questions').where(which).whereNotIn('state', ENDED).select('id');
    const all = [];
    for (const { id } of rows) all.push({ id, gone: await this.#end(trx, id, change) });
    return all;
  }

  async endedAll(all) {
    // Who runs or waits hears of it before anything is removed.
    for (const { id } of all) {
      this.changes.emit(`cancel ${id}`);
      this.#changed(id);
    }
    await this.#swept(all.flatMap(({ gone }) => gone));
  }

  /** It has ended, whatever becomes of the bytes: those that stay are removed by the next sweep of all. */
  async #swept(gone) {
    await this.storage.sweep(gone).catch(() => {});
  }

  /** The bytes of an answer go; that it was asked stays known. Of who asked, who holds the key has to fetch it before. Errors: 404; 409 `answer.none`. */
  async deleteAnswer(user, id) {
    const gone = await this.database.change(
      { actor: user, action: 'answer.delete', subject: id },
      async (trx) => {
        const row = await trx('questions').where({ id, asker: user.id }).first('state', 'outputs');
        if (!row) throw notFound('question');
        if (Object.keys(JSON.parse(row.outputs ?? '{}')).length === 0)
          throw new ServiceError(409, 'answer.none', 'There is no answer to delete', { found: row.state });
        await trx('questions').where({ id }).update({ outputs: '{}' });
        return this.storage.release(trx, 'result', id);
      },
    );
    this.#changed(id);
    await this.#swept(gone);
  }

  /**
   * Takes a question to run it: one that waits, or whose runner has gone silent. Undefined where there is none.
   * @param {{worker: string, runner: string | null, id?: string}} who `worker`: this process; `runner`: a user who runs, null for the service; `id`: that one alone
   */
  async claim({ worker, runner, id }) {
    // Most look-ups find nothing, and need not wait for who changes something.
    for (let row; (row = await this.#waiting(this.database.db, { runner, id }));) {
      const actor = runner ?? SERVICE;
      try {
        const job = await this.#take(row, { worker, runner, actor });
        this.#changed(row.id);
        return job;
      } catch (error) {
        if (error instanceof Gone) continue;
        if (!(error instanceof ServiceError)) throw error;
        // Granted, stored or issued when it was asked, and no longer; or it ended too many runners.
        await this.#refuse(row, error, actor);
      }
    }
    return undefined;
  }

  /** Errors: `Gone` where somebody was faster; ServiceError where it may not be run any more. */
  #take({ id, attempt: before }, { worker, runner, actor }) {
    const attempt = before + 1;
    const entry = { actor, action: 'question.start', subject: id, details: { attempt } };
    return this.database.change(entry, async (trx) => {
      const row = await this.#waiting(trx, { runner, id });
      if (row?.attempt !== before) throw new Gone();
      if (before >= this.config.attempts)
        throw new ServiceError(500, 'question.attempts', `${before} runners ended in the middle of it`);
      const { job } = await this.#parts(trx, row);
      const { given } = await trx('questions').where({ id }).first('given');
      await trx('questions').where({ id }).update({
        state: 'running',
        attempt,
        worker,
        lease: this.#lease(),
        started: Date.now(),
        done: 0,
        total: 0,
      });
      return { id, attempt, ...job, given: JSON.parse(given) };
    });
  }

  async #refuse({ id, attempt }, error, actor) {
    const entry = { actor, action: 'question.fail', subject: id, details: { attempt, code: error.code } };
    const gone = await this.database
      .change(entry, async (trx) => {
        const row = await trx('questions').where({ id, attempt }).whereNotIn('state', ENDED).first('id');
        if (!row) throw new Gone();
        return this.#failed(trx, id, error);
      })
      .catch((again) => {
        if (!(again instanceof Gone)) throw again;
        return [];
      });
    this.#changed(id);
    await this.#swept(gone);
  }

  /**
   * @param {any} trx
   * @param {{runner: string | null, id?: string}} who
   */
  #waiting(trx, { runner, id }) {
    const query = openTo(trx, runner);
    if (id) query.where({ id });
    return query.first('id', 'attempt', 'asker', 'program', 'records');
  }

  /** Those that wait for the service, or whose runner has gone silent: as many as are told at a time. */
  waiting() {
    return openTo(this.database.db, null).limit(TOLD).select('id', 'attempt');
  }

  #lease() {
    return Date.now() + this.config.leaseMs;
  }

  /** Says that a runner is still there. False: the question is no longer its own, and it is to stop. */
  async renew({ id, attempt }, { done, total } = /** @type {{done?: number, total?: number}} */ ({})) {
    const changed = await this.database
      .db('questions')
      .where({ id, attempt, state: 'running' })
      .update({
        lease: this.#lease(),
        ...(total !== undefined && { done: Math.floor(done), total: Math.floor(total) }),
      });
    if (changed > 0) this.#changed(id);
    return changed > 0;
  }

  /** The answer, of outputs that {@link store} took. It counts once: of a runner that was given up nothing is taken any more. Errors: 409 `question.lost`; 422 as of `Storage.settle`. */
  async finish({ id, attempt }, outputs, actor) {
    const gone = await this.database.change(
      { actor, action: 'question.done', subject: id, details: { attempt } },
      async (trx) => {
        await this.#running(trx, { id, attempt });
        return this.#end(
          trx,
          id,
          { state: 'done', outputs: JSON.stringify(outputs) },
          Object.values(outputs),
        );
      },
    );
    this.#changed(id);
    await this.#swept(gone);
  }

  /** Takes an output of a question from who runs it. Gives its SHA-256. Errors: 409 `question.lost`, 507 `storage.full`, and as of `BlobStore.receive`. */
  async store(
    { id, attempt },
    bytes,
    { declared, most } = /** @type {{declared?: number, most?: number}} */ ({}),
  ) {
    const { asker } = await this.#running(this.database.db, { id, attempt });
    const mine = (trx) => this.#running(trx, { id, attempt });
    return this.storage.store({ id, asker }, bytes, { declared, most, mine });
  }

  /** Errors: 409 `question.lost`. */
  async fail({ id, attempt }, { code, message }, actor) {
    const gone = await this.database.change(
      { actor, action: 'question.fail', subject: id, details: { attempt, code } },
      async (trx) => {
        await this.#running(trx, { id, attempt });
        return this.#failed(trx, id, { code, message });
      },
    );
    this.#changed(id);
    await this.#swept(gone);
  }

  /** A runner that ends in good order hands back what it has not done. */
  async release({ id, attempt }) {
    await this.database
      .db('questions')
      .where({ id, attempt, state: 'running' })
      .update({ state: 'queued', lease: null, worker: null });
  }

  async #running(trx, { id, attempt }) {
    const row = await trx('questions').where({ id, attempt, state: 'running' }).first('id', 'asker');
    if (row) return row;
    throw new ServiceError(409, 'question.lost', 'The question was cancelled, or given to another runner', {
      where: id,
    });
  }

  #failed(trx, id, { code, message }) {
    return this.#end(trx, id, { state: 'failed', code, message });
  }

  /** Of what it was given is kept what tells another question from it, and outputs that are no answer go. Gives what is to be swept. */
  async #end(trx, id, change, outputs = []) {
    const { given } = await trx('questions').where({ id }).first('given');
    const gone = await this.storage.settle(trx, id, outputs);
    await trx('questions')
      .where({ id })
      .update({ ...change, given: digest(given), lease: null, finished: Date.now() });
    return gone;
  }

  #changed(id) {
    this.changes.emit(id);
  }

  /** Whether a question names a user to run it. */
  async isOf(worker, id) {
    return (await this.database.db('questions').where({ id, runner: worker.id }).first('id')) !== undefined;
  }

  /** Errors: 404. */
  async checkOf(worker, id) {
    if (!(await this.isOf(worker, id))) throw notFound('question');
  }

  /** What a runner may read for a question that it has. Errors: 404. */
  async readFor(worker, { id, attempt }, sha) {
    const row = await this.database
      .db('questions')
      .where({ id, attempt, state: 'running', runner: worker.id })
      .first('asker', 'program', 'records');
    if (!row) throw notFound('question');
    const { job } = await this.#parts(this.database.db, row);
    if (![job.program, ...job.evaluation, ...Object.values(job.inputs)].includes(sha)) throw notFound('blob');
    return this.storage.blobs.stream(sha);
  }
}

/** What may be taken now, by a user who runs or (null) by the service: what waits, and what a silent runner has. The oldest first. */
function openTo(trx, runner) {
  return trx('questions')
    .where({ runner })
    .where((either) =>
      either
        .where({ state: 'queued' })
        .orWhere((silent) => silent.where({ state: 'running' }).where('lease', '<', Date.now())),
    )
    .orderBy('created');
}

/** What is kept of a text in the clear that is needed no more; short ones without a value stay. */
function digest(given) {
  if (given === '{}' || given.startsWith(DIGEST)) return given;
  return `${DIGEST}${createHash('sha256').update(given).digest('hex')}`;
}

/** A question that somebody else was faster with. */
class Gone extends Error {}

/** A question that is there by now. */
class Known extends Error {}

/** Whether nothing leads on from a state. */
export function ended(state) {
  return ENDED.includes(state);
}
