// What tests of the clinic share: a service in a process of its own, its users, and programs to ask.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTask } from 'cipherloom';
import { temporaryFolder } from '../lib/own.mjs';
import { NO_SQLITE, hasSqlite } from '../lib/sqlite.mjs';
import { startProcess } from '../lib/started.mjs';
import { ClinicClient } from '../../examples/clinic/client.mjs';
import { createService } from '../../examples/clinic/service/app.mjs';
import { readConfig } from '../../examples/clinic/service/config.mjs';

export const FOLDER = fileURLToPath(new URL('../../examples/clinic/', import.meta.url));
export const SERVER = join(FOLDER, 'server.mjs');
/** Silence after which a question is another runner's: long, for slow machines, but where a runner is killed. */
const LEASE_MS = 60_000;
export const SHORT_LEASE = { CLINIC_LEASE_MS: '3000' };

/** Why tests with SQLite are left out, or undefined. */
export const skip = !hasSqlite(join(FOLDER, 'package.json')) && NO_SQLITE;

/** The environment of a service in a folder. Rates are those of one person; tests are many. */
export function settings(data, more = {}) {
  return {
    CLINIC_DATA: data,
    CLINIC_PORT: '0',
    CLINIC_LOG: 'info',
    CLINIC_THREADS: '1',
    CLINIC_LEASE_MS: String(LEASE_MS),
    CLINIC_RATE: '1000000',
    CLINIC_LOGIN_RATE: '1000000',
    ...more,
  };
}

/** Starts a service. `script`: another one than the example's. */
export async function startService({ data = temporaryFolder(), env = {}, script = SERVER } = {}) {
  const all = settings(data, env);
  const started = await startProcess(script, [], all, /listens on (\S+)/);
  return { ...started, data, env: all, url: started.first, invite: (role) => command(all, 'invite', role).code };
}

/**
 * Starts a service in this process. `run`: what computes in place of cipherloom, from a job to ciphertexts by name. Gives its parts, too.
 */
export async function serviceHere(t, { run = async () => ({}), env = {}, data = temporaryFolder() } = {}) {
  const config = readConfig(settings(data, { CLINIC_LOG: 'silent', ...env }));
  const service = await createService(config, { startEvaluator: async () => ({ run, stop() {} }) });
  const url = await service.listen();
  t.after(() => service.close());
  const invite = async (role) => (await service.users.invite(undefined, role)).code;
  return { ...service, data, url, invite };
}

/** Bytes that look like an encrypted value. */
export function valueBytes(size, fill = 0) {
  return Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.alloc(size - 11, fill)]);
}

/** What a command of the service prints. */
export function command(env, ...args) {
  const { status, stdout, stderr } = tryCommand(env, ...args);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

export function tryCommand(env, ...args) {
  return spawnSync(process.execPath, [SERVER, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' });
}

/** Registers somebody with a role. Gives the client, with `password`. */
export async function joinAs(service, loom, name, role, url = service.url) {
  const password = randomBytes(16).toString('hex');
  const client = await ClinicClient.register(url, loom, { code: await service.invite(role), name, password });
  return Object.assign(client, { password });
}

/** A question of two clinics' values, fast. */
export function sumTask(size = 4) {
  const task = createTask();
  const [north, south] = ['north', 'south'].map((name) =>
    task.encrypted(name, { shape: [size], min: 0, max: 9_999_999 }),
  );
  task.output('sum', north.add(south).sum());
  return task;
}

/** One person's question. `long`: takes seconds on one thread. */
export function ownTask({ long = false } = {}) {
  const task = createTask();
  const value = task.encrypted('value', { shape: [4], min: 0, max: 63 });
  task.output('sum', value.sum());
  if (long) task.output('more', value.greaterThan(20).sum());
  return task;
}

/** A patient with keys and a record, who is ready to ask. */
export async function patient(service, loom, name = 'patient', options = {}) {
  const client = await joinAs(service, loom, name, 'client');
  const program = await client.publish('a question', await loom.compile(ownTask(options)));
  const key = await client.issueKeys(program);
  const values = [5, 21, 40, 63];
  const record = await client.store({ program, key, label: 'mine', values: { value: values } });
  return {
    client,
    program,
    key,
    record: record.id,
    values,
    asked: { program, records: [record.id] },
    sum: 129,
    more: 3,
  };
}

/** A department with a program and keys, and two clinics whose records it may ask. */
export async function study(service, loom, values = { north: [1, 2, 3, 4], south: [10, 20, 30, 40] }) {
  const department = await joinAs(service, loom, 'department', 'analyst');
  const program = await department.publish('sum', await loom.compile(sumTask(), { publicKey: true }));
  const key = await department.issueKeys(program);
  const fingerprint = await department.fingerprint(key);
  const clinics = {};
  const records = [];
  const grants = [];
  for (const name of ['north', 'south']) {
    const clinic = await joinAs(service, loom, name, 'owner');
    const told = { program, holder: 'department', fingerprint, label: name, values: { [name]: values[name] } };
    const { id } = await clinic.storeFor(told);
    grants.push((await clinic.grant(id, { to: 'department', use: 'ask', program })).id);
    records.push(id);
    clinics[name] = clinic;
  }
  return { department, program, key, fingerprint, clinics, records, grants, asked: { program, records }, sum: 110 };
}

/** What is refused. */
export function refused(status, code) {
  return (error) => {
    if (error.status === status && error.code === code) return true;
    throw new Error(`expected ${status} ${code}, found ${error.status} ${error.code}: ${error.message}`);
  };
}
