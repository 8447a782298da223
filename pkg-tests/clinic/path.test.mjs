// The whole path, as its users walk it: keys on request, records, grants, questions with progress, cancelling, rotation, deletion, exchange of ciphertexts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { BlobStore } from '../../examples/clinic/service/blobs.mjs';
import { joinAs, ownTask, patient, refused, skip, startService, study } from './clinic.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { join } from 'node:path';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

test('two clinics, one department: it gets the sum, and nothing that was not granted', { skip }, async () => {
  const service = await startService();
  const all = await study(service, loom);
  const { department, clinics, records, grants, key, asked, program } = all;
  const states = [];
  const { id } = await department.ask(asked);
  await department.wait(id, { onState: ({ state }) => states.push(state) });
  assert.equal(states.at(-1), 'done');
  assert.deepEqual(await department.answer(id, key), { sum: all.sum });
  // The same question again, by its id, is the same question.
  assert.equal((await department.ask({ ...asked, id })).state, 'done');
  await assert.rejects(department.ask({ ...asked, records: [records[1]], id }), refused(409, 'question.taken'));

  // Records and results are for those who were granted them.
  const { outputs } = await department.call('GET', `/questions/${id}`);
  for (const clinic of Object.values(clinics)) {
    await assert.rejects(clinic.download(outputs.sum), refused(404, 'not.found'));
    await assert.rejects(clinic.call('GET', `/questions/${id}`), refused(404, 'not.found'));
  }
  const [own] = await clinics.north.call('GET', '/records');
  await assert.rejects(department.download(own.inputs.north), refused(404, 'not.found'));
  await assert.rejects(clinics.south.download(own.inputs.north), refused(404, 'not.found'));
  // With a grant to read, the holder of the key has the ciphertext.
  await clinics.north.grant(own.id, { to: 'department', use: 'read' });
  assert.ok((await department.download(own.inputs.north)).length > 0);

  // A grant is for one program.
  const other = await department.publish('the same again', await loom.compile(ownTask()));
  await assert.rejects(department.ask({ program: other, records: [records[0]] }), refused(404, 'not.found'));
  // One that was taken back counts no more.
  await clinics.south.call('DELETE', `/records/${records[1]}/grants/${grants[1]}`);
  await assert.rejects(department.ask(asked), refused(404, 'not.found'));
  await clinics.south.grant(records[1], { to: 'department', use: 'ask', program });

  // What does not fit together.
  await assert.rejects(department.ask({ program, records: [records[0]] }), refused(422, 'question.missing'));
  const twice = await clinics.north.storeFor({
    ...{ program, holder: 'department', fingerprint: all.fingerprint, label: 'again' },
    values: { north: [1, 1, 1, 1] },
  });
  await clinics.north.grant(twice.id, { to: 'department', use: 'ask', program });
  await assert.rejects(department.ask({ program, records: [...records, twice.id] }), refused(422, 'question.twice'));
  assert.equal(await service.stop(), 0);
});

test('keys: asked for, issued, rotated, deleted, kept by the client under a passphrase', { skip }, async () => {
  const service = await startService();
  const { department, clinics, key, program, asked, records } = await study(service, loom);
  const folder = temporaryFolder();
  await clinics.north.call('POST', '/key-requests', { holder: 'department', program });
  assert.equal(await department.answerRequests(), 1);
  const [{ state, key: issued }] = await clinics.north.call('GET', '/key-requests');
  assert.equal(state, 'answered');
  const request = await clinics.south.call('POST', '/key-requests', { holder: 'department', program });
  await department.call('POST', `/key-requests/${request.id}/decline`);
  assert.equal((await clinics.south.call('GET', '/key-requests'))[0].state, 'declined');

  // Rotation: what was encrypted before can still be asked, what comes now takes the new key.
  const next = await department.issueKeys(program, { replaces: key });
  const { inputs } = (await clinics.north.call('GET', '/records'))[0];
  const record = { program, key, label: 'late', inputs };
  await assert.rejects(clinics.north.call('POST', '/records', record), refused(409, 'key.retired'));
  const old = await department.ask(asked);
  await department.wait(old.id);
  assert.deepEqual(await department.answer(old.id, key), { sum: 110 });
  const renewed = await clinics.north.storeFor({
    ...{ program, holder: 'department', fingerprint: await department.fingerprint(next), label: 'new' },
    values: { north: [1, 1, 1, 1] },
  });
  await clinics.north.grant(renewed.id, { to: 'department', use: 'ask', program });
  const mixed = { program, records: [renewed.id, records[1]] };
  await assert.rejects(department.ask(mixed), refused(422, 'question.keys'));

  // Another device of the department's has the key from a file, under a passphrase.
  const file = join(folder, 'key');
  await department.saveKeys(key, file, 'several words that nobody else thinks of');
  await department.loadKeys(key, program, file, 'several words that nobody else thinks of');
  assert.deepEqual(await department.answer(old.id, key), { sum: 110 });

  const before = await department.fingerprint(key);
  await department.deleteKeys(key);
  await assert.rejects(department.ask(asked), refused(409, 'key.deleted'));
  await assert.rejects(clinics.north.download(before), refused(404, 'not.found'));
  await assert.rejects(department.call('DELETE', `/keys/${key}`), refused(404, 'not.found'));
  // Nobody rotates or deletes the keys of others, be it who may have some.
  const stranger = await joinAs(service, loom, 'stranger', 'analyst');
  await assert.rejects(stranger.call('DELETE', `/keys/${issued}`), refused(404, 'not.found'));
  await assert.rejects(stranger.call('POST', `/keys/${issued}/retire`), refused(404, 'not.found'));
});

test('a question is cancelled while it runs, and the next one has its turn', { skip }, async () => {
  const service = await startService();
  const { client, asked, key } = await patient(service, loom, 'patient', { long: true });
  const { id } = await client.ask(asked);
  const next = await client.ask(asked);
  await assert.rejects(
    client.wait(id, {
      onState: ({ state }) => {
        if (state === 'running') void client.call('DELETE', `/questions/${id}`).catch(() => {});
      },
    }),
    refused(0, 'question.cancelled'),
  );
  await assert.rejects(client.call('DELETE', `/questions/${id}`), refused(409, 'question.ended'));
  await client.wait(next.id);
  assert.deepEqual(await client.answer(next.id, key), { sum: 129, more: 3 });
  await assert.rejects(client.call('DELETE', `/questions/${next.id}`), refused(409, 'question.ended'));
});

test('what is taken back while a question waits fails the question', { skip }, async () => {
  const service = await startService({ env: { CLINIC_RUNNERS: '0' } });
  const { department, clinics, records, grants, asked } = await study(service, loom);
  const { id } = await department.ask(asked);
  await clinics.north.call('DELETE', `/records/${records[0]}/grants/${grants[0]}`);
  await service.stop();
  const again = await startService({ data: service.data });
  department.url = new URL(again.url);
  await assert.rejects(department.wait(id), refused(0, 'not.found'));
});

test('what was uploaded and is part of nothing goes, and nothing else', { skip }, async () => {
  const service = await startService();
  const { client, asked, key, sum } = await patient(service, loom);
  const { id } = await client.ask(asked);
  await client.wait(id);
  const unused = await client.upload(Buffer.concat([Buffer.from('cipherloom'), Buffer.of(8), Buffer.from('unused')]));
  assert.ok((await client.download(unused)).length > 0);
  await service.stop();
  const again = await startService({ data: service.data, env: { CLINIC_UNUSED_MS: '1' } });
  client.url = new URL(again.url);
  await assert.rejects(client.download(unused), refused(404, 'not.found'));
  assert.deepEqual(await client.answer(id, key), { sum });
  const next = await client.ask(asked);
  await client.wait(next.id);
  assert.deepEqual(await client.answer(next.id, key), { sum });
});

test('an answer is deleted by who asked, and is gone for who holds the key', { skip }, async () => {
  const here = await startService();
  const owner = await patient(here, loom);
  const friend = await joinAs(here, loom, 'friend', 'client');
  await owner.client.grant(owner.record, { to: 'friend', use: 'ask', program: owner.program });
  const { id } = await friend.ask(owner.asked);
  const { outputs, asker, holder } = await friend.wait(id);
  assert.deepEqual([asker, holder], [friend.user.id, owner.client.user.id]);
  // Who holds the key reads it, and has no say in whether it stays; nor has anybody else.
  assert.deepEqual(await owner.client.answer(id, owner.key), { sum: owner.sum });
  const stranger = await joinAs(here, loom, 'stranger', 'client');
  for (const other of [owner.client, stranger])
    await assert.rejects(other.call('DELETE', `/questions/${id}/answer`), refused(404, 'not.found'));
  const [sha] = Object.values(outputs);
  const file = join(here.data, 'blobs', sha.slice(0, 2), sha);
  assert.ok(existsSync(file));
  await friend.call('DELETE', `/questions/${id}/answer`);
  assert.equal(existsSync(file), false);
  assert.deepEqual((await friend.call('GET', `/questions/${id}`)).outputs, {});
  await assert.rejects(owner.client.download(sha), refused(404, 'not.found'));
  await assert.rejects(owner.client.answer(id, owner.key), refused(0, 'answer.none'));
  await assert.rejects(friend.call('DELETE', `/questions/${id}/answer`), refused(409, 'answer.none'));
  // Both see in the log what became of the question, and of each other nothing else.
  const actions = async (client) => (await client.call('GET', '/audit/own')).map(({ action }) => action);
  const mine = ['question.ask', 'question.start', 'question.done', 'answer.delete'];
  assert.deepEqual(await actions(friend), ['user.register', 'session.start', ...mine]);
  const hers = await actions(owner.client);
  for (const action of [...mine, 'record.add', 'grant.add']) assert.ok(hers.includes(action), action);
  assert.deepEqual(await actions(stranger), ['user.register', 'session.start']);
  assert.equal(await here.stop(), 0);
});

test('a client that forgets all keys has none, nor one that was still being made', { skip }, async () => {
  const here = await startService();
  const { client, program, key } = await patient(here, loom);
  assert.equal(client.holds(key), true);
  const sealed = await client.exportKeys(key, 'several words that nobody thinks of');
  const making = assert.rejects(client.issueKeys(program), /of somebody who left/);
  client.forgetAllKeys();
  await making;
  assert.equal(client.holds(key), false);
  const opening = client.importKeys(key, program, sealed, 'several words that nobody thinks of');
  const refusal = assert.rejects(opening, /of somebody who left/);
  client.forgetAllKeys();
  await refusal;
  assert.equal(client.holds(key), false);
  await client.importKeys(key, program, sealed, 'several words that nobody thinks of');
  assert.equal(client.holds(key), true);
  assert.equal(await here.stop(), 0);
});

const FILES = '/proc/self/fd';
test(
  'bytes that nobody reads after all leave no file open',
  { skip: !existsSync(FILES) && `no ${FILES}` },
  async () => {
    const store = new BlobStore(temporaryFolder());
    const sha = 'ab'.repeat(32);
    mkdirSync(join(store.path(sha), '..'));
    writeFileSync(store.path(sha), new Uint8Array(1_000_003));
    const isOpen = () =>
      readdirSync(FILES).some((file) => {
        try {
          return readlinkSync(join(FILES, file)) === store.path(sha);
        } catch {
          return false; // the one that lists them
        }
      });
    for (const pieces of [0, 1]) {
      const { stream } = await store.stream(sha);
      assert.equal(isOpen(), true);
      if (pieces > 0)
        await once(
          stream.on('error', () => undefined),
          'readable',
        );
      const closed = once(stream, 'close');
      stream.destroy();
      await closed;
      // Closing is a call of its own to the system.
      while (isOpen()) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
);

test('of bytes that were changed and come in pieces, nobody gets the last piece', { skip }, async () => {
  const here = await startService();
  const client = await joinAs(here, loom, 'large', 'client');
  const bytes = new Uint8Array(1_000_003).fill(7);
  bytes.set(new TextEncoder().encode('cipherloom'));
  bytes[10] = 8;
  const sha = await client.upload(bytes);
  assert.deepEqual(await client.download(sha), bytes);
  const file = join(here.data, 'blobs', sha.slice(0, 2), sha);
  const changed = readFileSync(file);
  changed[500_000] ^= 1;
  writeFileSync(file, changed);
  await assert.rejects(client.download(sha), { code: 'service.away' });
  await here.printed(/storage\.damaged/);
  assert.equal((await client.call('GET', '/me')).name, 'large');
  assert.equal(await here.stop(), 0);
});
