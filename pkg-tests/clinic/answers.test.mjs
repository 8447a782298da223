// Answers while they are stored: equal questions have equal bytes, and what is deleted of one stays of the other. Runs are made up here.
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { joinAs, patient, refused, serviceHere, skip, valueBytes } from './clinic.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

const OUTPUTS = { sum: valueBytes(500, 1), more: valueBytes(500, 2) };

test('an answer that is deleted while an equal one is stored takes nothing of it away', { skip }, async (t) => {
  const service = await serviceHere(t, { run: async () => OUTPUTS });
  const { client: owner, asked, record, program } = await patient(service, loom);
  const friend = await joinAs(service, loom, 'friend', 'client');
  await owner.grant(record, { to: 'friend', use: 'ask', program });
  // One's own answer, and that of somebody else.
  for (const first of [owner, friend]) {
    const { id } = await first.ask(asked);
    await first.wait(id);
    const { storage } = service;
    const store = storage.store.bind(storage);
    let stored = 0;
    storage.store = async (...all) => {
      const sha = await store(...all);
      if (++stored === 1) await first.call('DELETE', `/questions/${id}/answer`);
      return sha;
    };
    const second = await owner.ask(asked);
    const { outputs } = await owner.wait(second.id);
    storage.store = store;
    assert.equal(stored, 2);
    for (const [name, bytes] of Object.entries(OUTPUTS))
      assert.ok(bytes.equals(await owner.download(outputs[name])), name);
    await owner.call('DELETE', `/questions/${second.id}/answer`);
  }
});

test('an output whose file is lost is written again', { skip }, async (t) => {
  const service = await serviceHere(t, { run: async () => OUTPUTS });
  const { client, asked } = await patient(service, loom);
  const answered = async () => {
    const { id } = await client.ask(asked);
    return (await client.wait(id)).outputs;
  };
  const { sum } = await answered();
  rmSync(join(service.data, 'blobs', sum.slice(0, 2), sum));
  await assert.rejects(client.download(sum));
  assert.equal((await answered()).sum, sum);
  assert.ok(OUTPUTS.sum.equals(await client.download(sum)));
});

test(
  'what a run stored is gone when its question ends otherwise, and no answer names what is not there',
  { skip },
  async (t) => {
    const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
    const { client, asked } = await patient(service, loom);
    const { questions } = service;
    const claim = async () => {
      const { id } = await client.ask(asked);
      return { id, job: await questions.claim({ worker: 'this test', runner: null, id }) };
    };
    const fileOf = (sha) => join(service.data, 'blobs', sha.slice(0, 2), sha);
    for (const end of [
      ({ id }) => client.call('DELETE', `/questions/${id}`),
      ({ job }) => questions.fail(job, { code: 'some.failure', message: 'some failure' }, 'service'),
    ]) {
      const { id, job } = await claim();
      const sha = await questions.store(job, OUTPUTS.sum);
      assert.ok(existsSync(fileOf(sha)));
      await end({ id, job });
      assert.equal(existsSync(fileOf(sha)), false);
      await assert.rejects(questions.store(job, OUTPUTS.sum), ({ code }) => code === 'question.lost');
    }
    const { id, job } = await claim();
    const sum = await questions.store(job, OUTPUTS.sum);
    const missing = questions.finish(job, { sum, more: '0'.repeat(64) }, 'service');
    await assert.rejects(missing, ({ code }) => code === 'blob.missing');
    assert.equal((await client.call('GET', `/questions/${id}`)).state, 'running');
    // Nor one that lost its file's row in between.
    await service.database.db('blobs').where({ sha: sum }).delete();
    await assert.rejects(questions.finish(job, { sum }, 'service'), ({ code }) => code === 'blob.missing');
  },
);

test(
  'a question is run with the keys of the very secret key that its records are encrypted under',
  { skip },
  async (t) => {
    const service = await serviceHere(t, { env: { CLINIC_RUNNERS: '0' } });
    const client = await joinAs(service, loom, 'patient', 'client');
    const programs = [];
    for (const more of [1, 2]) {
      const task = loom.task();
      const value = task.encrypted('value', { shape: [4], min: 0, max: 9 });
      task.output('sum', value.greaterThan(2).multiply(value).add(more).sum());
      programs.push(await client.publish(`plus ${more}`, await loom.compile(task)));
    }
    const [first, second] = programs;
    const key = await client.issueKeys(first);
    const { id: record } = await client.store({ program: first, key, label: 'mine', values: { value: [1, 2, 3, 4] } });
    const sealed = await client.exportKeys(key, 'words that nobody thinks of');
    const opened = await client.program(second);
    const evaluationOf = async (set) =>
      JSON.parse((await service.database.db('key_sets').where({ id: set }).first()).evaluation);
    const ask = async () => {
      const { id } = await client.ask({ program: second, records: [record] });
      return (await service.questions.claim({ worker: 'this test', runner: null, id })).evaluation;
    };
    assert.deepEqual(await ask(), await evaluationOf(key));
    assert.ok((await ask()).length > 0);
    const same = await opened.restoreClient(sealed, { passphrase: 'words that nobody thinks of' });
    const sameSet = await client.giveKeys(second, same);
    assert.deepEqual(await ask(), await evaluationOf(sameSet));
    // Of another secret key: newer, and of no use for this record.
    await client.issueKeys(second);
    assert.deepEqual(await ask(), await evaluationOf(sameSet));
  },
);
