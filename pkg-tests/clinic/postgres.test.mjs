// The same on PostgreSQL: many at once, since there changes really meet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { load } from 'cipherloom';
import { refused, startService, study } from './clinic.mjs';
import { skip, startPostgres } from './postgres.mjs';

let loom;
before(async () => {
  loom = await load({ threads: 1 });
});
after(() => loom.dispose());

test('forty questions at once, by two services, each answered once', { skip }, async () => {
  const database = await startPostgres();
  const env = { CLINIC_DATABASE: database.url };
  const first = await startService({ env });
  const second = await startService({ env, data: first.data });
  const { department, asked, key, sum, clinics } = await study(first, loom);
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await department.ask(asked)).id));
  // The same question twice at once is one question.
  const twice = { ...asked, id: '00000000-0000-4000-8000-000000000001' };
  for (const { id } of await Promise.all([department.ask(twice), department.ask(twice), department.ask(twice)]))
    assert.equal(id, twice.id);
  await Promise.all(
    [...ids, twice.id].map(async (id) => {
      assert.equal((await department.wait(id)).attempt, 1);
      assert.deepEqual(await department.answer(id, key), { sum });
    }),
  );
  const [record] = await clinics.north.call('GET', '/records');
  await clinics.north.call('DELETE', `/records/${record.id}`);
  await assert.rejects(department.ask(asked), refused(404, 'not.found'));
  await assert.rejects(clinics.north.download(record.inputs.north), refused(404, 'not.found'));
  for (const service of [first, second]) assert.equal(await service.stop(), 0);
  await database.stop();
});
