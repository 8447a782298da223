/** Settings, from the environment. What is not said is safe: this machine alone, limits on everything. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from './errors.mjs';

const MIB = 2 ** 20;
/** Timers hold no more, and what is beyond is no time at all to them. */
const MOST_TIMER = 2 ** 31 - 1;

/**
 * @typedef {object} Config
 * @property {string} data folder of blobs and, without `database`, of the database
 * @property {string | undefined} database `postgres://...`; undefined: SQLite in `data`
 * @property {string | undefined} redis `redis://...`: questions are handed out by BullMQ; undefined: in this process
 * @property {string} host
 * @property {number} port 0: any free one
 * @property {{cert: Buffer, key: Buffer} | undefined} tls
 * @property {number} proxies in front of this: addresses are what the outermost of them says; 0: none
 * @property {number} runners questions that are run at a time here; 0: none
 * @property {number} threads of each runner; 0: as many as there are processors
 * @property {number} maxBlobBytes
 * @property {number} userBytes of one user: uploads, answers to what they asked, what open questions were given
 * @property {number} storeBytes of all users
 * @property {number} sessionMs
 * @property {number} inviteMs
 * @property {number} requestMs for all of a request of JSON to come
 * @property {number} rate requests a minute, of one user or, without one, one address
 * @property {number} loginRate tries to log in or register a minute, of one address
 * @property {number} streams of events that one user may have open
 * @property {number} unusedMs after which bytes go that are part of nothing
 * @property {number} compileMs the longest that opening a program or compiling a task may take
 * @property {number} leaseMs how long a runner that says nothing keeps a question
 * @property {number} questionMs the longest that a run may take
 * @property {number} openQuestions of one user that have not ended
 * @property {number} keySets of one user for one program that are not deleted
 * @property {number} attempts runs of a question that ended with their runner, before it fails
 * @property {string} logLevel
 * @property {string | undefined} page folder of the built page (www/dist) that is served, too; undefined: none
 * @property {boolean} demo whoever is at this machine registers without a code: for trying it out
 */

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Config}
 */
export function readConfig(env) {
  const tls = env.CLINIC_TLS_CERT && {
    cert: readFileSync(env.CLINIC_TLS_CERT),
    key: readFileSync(need(env, 'CLINIC_TLS_KEY')),
  };
  const host = env.CLINIC_HOST ?? '127.0.0.1';
  const local = ['127.0.0.1', '::1', 'localhost'].includes(host);
  const demo = env.CLINIC_DEMO === 'yes';
  const proxies = number(env, 'CLINIC_BEHIND_PROXY', 0, 0, 16);
  if (demo && (!local || proxies > 0))
    throw wrong(
      'CLINIC_DEMO',
      env.CLINIC_DEMO,
      'nothing where others than this machine come: anybody may register',
    );
  if (!local && !tls && proxies === 0)
    throw wrong(
      'CLINIC_HOST',
      host,
      'an address of this machine alone, or CLINIC_TLS_CERT and CLINIC_TLS_KEY, or CLINIC_BEHIND_PROXY, the number of proxies that have TLS: tokens must not travel in the clear',
    );
  return {
    data: env.CLINIC_DATA ?? join(process.cwd(), 'clinic-data'),
    database: env.CLINIC_DATABASE,
    redis: env.CLINIC_REDIS,
    host,
    port: number(env, 'CLINIC_PORT', 8080, 0, 65_535),
    tls: tls || undefined,
    proxies,
    runners: number(env, 'CLINIC_RUNNERS', 1, 0, 64),
    threads: number(env, 'CLINIC_THREADS', 0, 0, 256),
    maxBlobBytes: number(env, 'CLINIC_MAX_BLOB_BYTES', 256 * MIB, 1),
    userBytes: number(env, 'CLINIC_USER_BYTES', 10_240 * MIB, 1),
    storeBytes: number(env, 'CLINIC_STORE_BYTES', 1_048_576 * MIB, 1),
    sessionMs: number(env, 'CLINIC_SESSION_MS', 12 * 3_600_000, 1),
    inviteMs: number(env, 'CLINIC_INVITE_MS', 72 * 3_600_000, 1),
    requestMs: number(env, 'CLINIC_REQUEST_MS', 30_000, 1, MOST_TIMER),
    rate: number(env, 'CLINIC_RATE', 1200, 1),
    loginRate: number(env, 'CLINIC_LOGIN_RATE', 20, 1),
    streams: number(env, 'CLINIC_STREAMS', 100, 1),
    unusedMs: number(env, 'CLINIC_UNUSED_MS', 24 * 3_600_000, 1),
    compileMs: number(env, 'CLINIC_COMPILE_MS', 30_000, 1, MOST_TIMER),
    leaseMs: number(env, 'CLINIC_LEASE_MS', 10_000, 100, MOST_TIMER),
    questionMs: number(env, 'CLINIC_QUESTION_MS', 600_000, 1, MOST_TIMER),
    openQuestions: number(env, 'CLINIC_OPEN_QUESTIONS', 1000, 1),
    keySets: number(env, 'CLINIC_KEY_SETS', 1000, 1),
    attempts: number(env, 'CLINIC_ATTEMPTS', 10, 1),
    logLevel: env.CLINIC_LOG ?? 'info',
    page: env.CLINIC_PAGE || undefined,
    demo,
  };
}

function need(env, name) {
  if (env[name]) return env[name];
  throw wrong(name, 'nothing', 'a file');
}

function number(env, name, otherwise, least, most = Number.MAX_SAFE_INTEGER) {
  const text = env[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(name, text, `a whole number from ${least} to ${most}`);
}

function wrong(name, found, expected) {
  return new ServiceError(500, 'config.invalid', `${name}: expected ${expected}, found ${found}`, {
    where: name,
    found,
    expected,
  });
}
