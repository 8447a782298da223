// Secret keys and values never leave clients: database, files, logs and all that travels are searched for them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { ClinicClient } from '../../examples/clinic/client.mjs';
import { Database } from '../../examples/clinic/service/database.mjs';
import { joinAs, patient, refused, skip, startService, study } from './clinic.mjs';
import { filesIn, find as findIn, forms, numberForms, recorder } from './searching.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

test('no secret key, no value, no password, no token', { skip }, async (t) => {
  const service = await startService({ env: { CLINIC_LOG: 'trace' } });
  const wire = await recorder(service.url);
  t.after(() => wire.close());
  const through = { ...service, url: wire.url };

  // What must not be found. Secret keys are taken from the clients as they make them.
  const keys = [];
  const listening = (target) => {
    const { client } = target;
    target.client = async (...all) => {
      const made = await client.apply(target, all);
      keys.push(await made.save());
      return made;
    };
    return target;
  };
  const compile = loom.compile.bind(loom);
  const open = loom.program.bind(loom);
  t.mock.method(loom, 'compile', async (...all) => listening(await compile(...all)));
  t.mock.method(loom, 'program', async (...all) => listening(await open(...all)));

  const north = [7_351_913, 8_126_407, 5_903_771, 6_660_013];
  const south = [4_812_377, 9_444_829, 3_371_993, 2_908_817];
  const { department, clinics, key, asked } = await study(through, loom, { north, south });
  const { id } = await department.ask(asked);
  await department.wait(id);
  const sum = [...north, ...south].reduce((total, value) => total + value, 0);
  assert.deepEqual(await department.answer(id, key), { sum });
  await department.issueKeys(asked.program, { replaces: key });
  const someone = await patient(through, loom);
  const hers = await someone.client.ask(someone.asked);
  await someone.client.wait(hers.id);
  // Who sends a secret key by mistake is stopped by the first bytes, which have no key yet.
  const saved = await (await someone.client.program(someone.program)).client();
  const direct = new ClinicClient(service.url, loom);
  await direct.login({ name: 'patient', password: someone.client.password });
  await assert.rejects(direct.upload(await saved.save()), refused(422, 'upload.secret'));
  await assert.rejects(
    direct.upload(await saved.exportKey('several words that nobody thinks of')),
    refused(422, 'upload.secret'),
  );
  // Nor is a token taken from an address, or written down from there: this one is good in a header, and the wire has it from the same person.
  assert.equal((await fetch(`${service.url}/v1/me?access_token=${someone.client.token}`)).status, 401);
  assert.equal(await service.stop(), 0);

  assert.equal(keys.length, 4);
  // Behind the frame's 21 bytes and two identities (FORMAT.md, kind 2).
  const seeds = keys.map((bytes) => bytes.subarray(53, 85));
  const places = [...filesIn(service.data), ['log', Buffer.from(service.output())], ['wire', wire.bytes()]];
  const find = (needles, where = places) => findIn(needles, where);
  assert.deepEqual(find(seeds.flatMap(forms)), []);
  assert.deepEqual(find([...north, ...south, sum].flatMap(numberForms)), []);
  // Passwords and tokens travel, under TLS elsewhere, and lie nowhere.
  const kept = places.filter(([name]) => name !== 'wire');
  const tokens = [
    ...wire
      .bytes()
      .toString('latin1')
      .matchAll(/authorization: Bearer (\S+)/gi),
  ].map(([, token]) => token);
  const passwords = [department, ...Object.values(clinics), someone.client].map(({ password }) => password);
  assert.ok(new Set(tokens).size >= 4);
  assert.deepEqual(
    find(
      [...new Set([...tokens, ...passwords])].map((text) => Buffer.from(text)),
      kept,
    ),
    [],
  );

  // The search finds what is there: in each place, in the ways that were searched for.
  assert.ok(find([Buffer.from('department')]).includes('wire'));
  assert.ok(
    find([Buffer.from('clinic.sqlite')], [['name', Buffer.from(kept.map(([name]) => name).join())]]).length === 1,
  );
  assert.ok(find([Buffer.from(id)]).some((name) => name.includes('clinic.sqlite')));
  assert.ok(find([Buffer.from(id)]).includes('log'));
  const stored = readFileSync(kept.find(([name]) => /blobs.[0-9a-f]{2}.[0-9a-f]{64}$/.test(name))[0]);
  assert.ok(find(forms(stored.subarray(100, 132))).includes('wire'));
});

test('a record is of no use to who looks at what is stored', { skip }, async () => {
  const service = await startService();
  const { department, clinics, key, program } = await study(service, loom);
  const thief = await joinAs(service, loom, 'thief', 'analyst');
  // Keys of another one do not decrypt it, be it that the service hands everything out.
  const own = await thief.issueKeys(program);
  const [{ inputs }] = await clinics.north.call('GET', '/records');
  const bytes = await clinics.north.download(inputs.north);
  const opened = await thief.program(program);
  const holder = await opened.client();
  await assert.rejects(holder.decrypt({ sum: bytes }), ({ code }) => /^(key|task|format)\./.test(code));
  assert.notEqual(own, key);
  await department.logout();
  await assert.rejects(department.call('GET', '/me'), refused(401, 'token.invalid'));
});

test('what the database refuses is in the log, without its values', { skip }, async () => {
  const service = await startService();
  const database = await Database.open({ data: service.data });
  await database.db.raw(
    "create trigger broken before insert on users begin select raise(abort, 'broken on purpose'); end",
  );
  await database.close();
  await assert.rejects(joinAs(service, loom, 'somebody', 'owner'), refused(500, 'service.failed'));
  assert.equal(await service.stop(), 0);
  assert.match(service.output(), /insert into .users.*broken on purpose/);
  // Neither who it is nor the hash of the password.
  assert.doesNotMatch(service.output(), /argon2id|somebody/);
});
