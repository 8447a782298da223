// The whole path, on this machine: a service in a process of its own, two clinics, a health department that asks what their patients' means and spread come to, and a patient with a key of
// her own. Nobody but the department sees the answer, nobody but the clinics the numbers. It checks its own results, and ends what it started. Run it after `npm run build`:
//   node examples/clinic/try.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTask, load } from 'cipherloom';
import { ClinicClient } from './client.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clinic-'));
const env = { ...process.env, CLINIC_DATA: folder, CLINIC_PORT: '0', CLINIC_LOG: 'warn' };
const server = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
process.once('exit', () => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const url = await new Promise((resolve, reject) => {
  server.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  server.stdout.setEncoding('utf8').on('data', (text) => {
    const [, address] = text.match(/listens on (\S+)/) ?? [];
    if (address) resolve(address);
  });
});

// The first administrator is invited at the machine itself, everybody else by her.
const loom = await load();
const register = (name, code) =>
  ClinicClient.register(url, loom, { name, code, password: randomBytes(16).toString('hex') });
const first = execFileSync(process.execPath, [SERVER, 'invite', 'admin'], { env, encoding: 'utf8' });
const admin = await register('admin', JSON.parse(first).code);
const joinAs = async (name, role) => register(name, (await admin.call('POST', '/invites', { role })).code);
const department = await joinAs('department', 'analyst');
const clinics = { north: await joinAs('north', 'owner'), south: await joinAs('south', 'owner') };

// What is asked is a program that everybody can read.
const WEEKS = 52;
const task = createTask();
const cases = Object.keys(clinics).map((name) => task.encrypted(name, { shape: [WEEKS], min: 0, max: 500 }));
const all = cases[0].add(cases[1]);
task.output('mean', all.mean());
task.output('variance', all.variance());
task.output('correlation', cases[0].correlation(cases[1]));
const question = await department.publish('cases of a week', await loom.compile(task, { publicKey: true }));

// The clinics ask for a key; the department makes one, and tells its fingerprint by another way than the service.
for (const clinic of Object.values(clinics))
  await clinic.call('POST', '/key-requests', { holder: 'department', program: question });
assert.equal(await department.answerRequests(), 2);
const [{ key }] = await clinics.north.call('GET', '/key-requests');
const fingerprint = await department.fingerprint(key);

const seen = {};
const records = [];
for (const [at, [name, clinic]] of Object.entries(clinics).entries()) {
  seen[name] = Array.from({ length: WEEKS }, (_, week) => 100 + ((week * (31 + 8 * at) + at * 17) % 211));
  const told = {
    program: question,
    holder: 'department',
    fingerprint,
    label: `${name}, this year`,
    values: { [name]: seen[name] },
  };
  const { id } = await clinic.storeFor(told);
  // Only this program, and only by the department.
  await clinic.grant(id, { to: 'department', use: 'ask', program: question });
  records.push(id);
}
const asked = await department.ask({ program: question, records });
await department.wait(asked.id, {
  onState: ({ state }) => console.log(`question of the department: ${state}`),
});
const answer = await department.answer(asked.id, key);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sums = seen.north.map((value, week) => value + seen.south[week]);
const squares = (a, b) => a.reduce((sum, value, at) => sum + (value - mean(a)) * (b[at] - mean(b)), 0);
near(answer.mean, mean(sums));
near(answer.variance, squares(sums, sums) / (WEEKS - 1));
near(
  answer.correlation,
  squares(seen.north, seen.south) /
    Math.sqrt(squares(seen.north, seen.north) * squares(seen.south, seen.south)),
);
const [middle, spread, r] = [answer.mean, answer.variance, answer.correlation].map(Number);
console.log(
  `cases of a week in both: ${middle.toFixed(2)}, variance ${spread.toFixed(1)}, r ${r.toFixed(3)}`,
);

// What was not granted is not to be had: one clinic's record by another, or the record itself.
for (const [who, what] of [
  [clinics.south, records[0]],
  [department, records[0]],
]) {
  const { inputs } = (await who.call('GET', '/records')).find(({ id }) => id === what) ?? {};
  assert.equal(inputs, undefined);
}

// A patient keeps her own record, under her own key; the service selects the parameters for her task, and she checks that it is hers.
const patient = await joinAs('patient', 'client');
const own = createTask();
const pressure = own.encrypted('pressure', { shape: [7], min: 0, max: 300 });
own.output('high', pressure.greaterThan(140).count());
own.output('mean', pressure.mean());
const week = [128, 145, 139, 151, 140, 122, 160];
const mine = await patient.compileThere('days of high pressure', own);
const myKey = await patient.issueKeys(mine);
const record = await patient.store({
  program: mine,
  key: myKey,
  label: 'this week',
  values: { pressure: week },
});
const hers = await patient.ask({ program: mine, records: [record.id] });
await patient.wait(hers.id);
const days = await patient.answer(hers.id, myKey);
assert.equal(days.high, week.filter((value) => value > 140).length);
near(days.mean, mean(week));
console.log(`days of high pressure: ${days.high} of ${week.length}`);

const log = await admin.call('GET', '/audit/check');
assert.equal(log.intact, true);
console.log(`${log.entries} entries in the audit log, and their chain holds`);
loom.dispose();
server.removeAllListeners('exit');
const over = once(server, 'exit');
server.kill('SIGTERM');
assert.deepEqual(await over, [0, null]);

function near(found, expected) {
  assert.ok(
    Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${found} is not ${expected}`,
  );
}
