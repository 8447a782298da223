// The tab “Clinic”, as people use it: a service that serves the page itself, tables that never leave, answers that open here alone; sessions that end, services that go away.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { load } from 'cipherloom';
import { ClinicClient } from '../../examples/clinic/client.mjs';
import { ROOT } from '../../scripts/lib/run.mjs';
import { BROWSERS, describeBeside, openBrowser } from '../lib/browser.mjs';
import { temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';
import { startProcess } from '../lib/started.mjs';
import { builtPage, servePage } from '../page/demo.mjs';
import { skip, startService } from './clinic.mjs';
import { filesIn, find, forms, numberForms, recorder } from './searching.mjs';

const PATIENCE_MS = 300_000;
/** What Vite prints, colors aside. */
const LOCAL = /(Local)/;
const at = (id) => `[data-testid="clinic-${id}"]`;
const one = (id) => `document.querySelector('${at(id)}')`;
const shown = (id) => `${one(id)} && ${one(id)}.checkVisibility()`;
const textOf = (page, id) => page.evaluate(`${one(id)}.textContent`);
const TABLE = {
  weight: [7_351_913, 8_126_407, 5_903_771, 6_660_013],
  height: [4_812_377, 9_444_829, 3_371_993, 2_908_817],
};
const PASSPHRASE = 'several words that nobody thinks of';

/** A service that serves the page, as the README says. */
const startPage = (env = {}) => startService({ env: { CLINIC_PAGE: builtPage(), CLINIC_DEMO: 'yes', ...env } });

/** A file with a table. */
function csv(columns, name = 'mine.csv') {
  const names = Object.keys(columns);
  const file = join(temporaryFolder(), name);
  const rows = columns[names[0]].map((_, row) => names.map((column) => columns[column][row]).join(','));
  writeFileSync(file, [names.join(','), ...rows, ''].join('\n'));
  return file;
}

async function comeIn(page) {
  await page.until(shown('demo'), PATIENCE_MS);
  await page.click(at('demo'));
  await page.until(one('user'), PATIENCE_MS);
  return { name: await textOf(page, 'user'), password: await textOf(page, 'demo-password') };
}

async function choose(page, file) {
  await page.upload(at('file'), file);
  await ready(page);
}

const ready = (page) => page.until(`${one('sizes')}.querySelector('table') && !${one('send')}.disabled`, PATIENCE_MS);

async function send(page) {
  await page.click(at('send'));
  await page.until(`/^Stored/.test(${one('status')}.textContent)`, PATIENCE_MS);
}

async function ask(page) {
  await page.front();
  await page.until(one('ask'), PATIENCE_MS);
  await page.click(at('ask'));
}

/** Opens the newest answer, and reads it from the screen. */
async function open(page) {
  await page.front();
  await page.until(one('open'), PATIENCE_MS);
  await page.click(at('open'));
  await page.until(one('answer'), PATIENCE_MS);
  return page.evaluate(
    `[...${one('answer')}.querySelectorAll('[data-testid="clinic-result"]')].map(({ dataset }) => ({ ...dataset }))`,
  );
}

function isRight(results, table = TABLE) {
  assert.deepEqual(
    results.map(({ column }) => column),
    Object.keys(table),
  );
  for (const { column, count, mean, deviation } of results) {
    const values = table[column];
    const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
    assert.equal(Number(count), values.length);
    assert.equal(Number(mean), middle);
    const expected = Math.sqrt(squares / (values.length - 1));
    assert.ok(Math.abs(Number(deviation) - expected) <= 1e-12 * expected, `${deviation}, expected ${expected}`);
  }
}

const failed = (page, code) =>
  page.until(`${one('error')}.dataset.code === '${code}' && !${one('error')}.hidden`, PATIENCE_MS);

/** Chooses in a list, as a person does. */
const select = (page, id, value) =>
  page.evaluate(
    `{ const list = ${one(id)}; list.value = ${JSON.stringify(value)}; list.dispatchEvent(new Event('change', { bubbles: true })); }`,
  );

for (const name of BROWSERS) {
  describeBeside(name, { skip }, () => {
    let browser;
    let loom;
    before(async () => {
      browser = await openBrowser(name);
      loom = await load({ threads: 1 });
    });
    after(async () => {
      await browser?.close();
      loom?.dispose();
    });

    test('a table is asked, and nobody but the tab sees key, values or answer', async (t) => {
      const service = await startPage({ CLINIC_LOG: 'trace' });
      const wire = await recorder(service.url);
      t.after(() => wire.close());
      const page = await browser.open(`${wire.url}/#clinic`);
      const user = await comeIn(page);
      await choose(page, csv(TABLE));
      assert.match(await textOf(page, 'sizes'), /stays: the table, and the secret key/i);
      await send(page);
      // From there on by keyboard: each step leads to the next one's button.
      await page.until(`document.activeElement === ${one('ask')}`, PATIENCE_MS);
      await page.press('Enter');
      await page.until(`document.activeElement?.closest('${at('question')}') && ${one('open')}`, PATIENCE_MS);
      isRight(await open(page));
      assert.equal(await page.evaluate(`document.activeElement === ${one('answer')}`), true);
      assert.equal(await page.evaluate(`${one('answer')}.querySelectorAll('svg .mean').length`), 2);
      // What the service says that it saw.
      const seen = await page.evaluate(
        `[...${one('seen')}.querySelectorAll('[data-action]')].map(({ dataset }) => dataset.action)`,
      );
      for (const action of [
        'session.start',
        'blob.store',
        'program.add',
        'key.add',
        'record.add',
        'question.ask',
        'question.done',
      ])
        assert.ok(seen.includes(action), action);
      // The key is kept under a passphrase, and opens the same answer after the tab was loaded anew.
      await page.evaluate(`${one('passphrase')}.value = ${JSON.stringify(PASSPHRASE)}`);
      await page.click(at('keep-key'));
      await page.until(`${one('key')}.dataset.kept === 'true'`, PATIENCE_MS);
      const sealed = Buffer.from(await page.evaluate(SEALED));
      const again = await browser.open(`${wire.url}/#clinic`);
      await again.until(shown('demo'), PATIENCE_MS);
      await again.evaluate(`document.querySelector('#panel-clinic details').open = true`);
      await signIn(again, user);
      await again.until(one('open-key'), PATIENCE_MS);
      await again.click(at('open'));
      await again.until(`/key of this answer is not in this tab/.test(${one('error')}.textContent)`, PATIENCE_MS);
      await again.evaluate(`${one('passphrase')}.value = 'not that passphrase'`);
      await again.click(at('open-key'));
      await failed(again, 'key.passphrase');
      await again.evaluate(`${one('passphrase')}.value = ${JSON.stringify(PASSPHRASE)}`);
      await again.click(at('open-key'));
      await again.until(`${one('key')}.dataset.here === 'true'`, PATIENCE_MS);
      isRight(await open(again));
      // Deleted, it is gone for all.
      await again.click(at('delete-answer'));
      await again.until(`/answer was deleted/.test(${one('state')}.textContent)`, PATIENCE_MS);
      for (const { problems } of [page, again]) assert.deepEqual(problems, []);

      // The secret key, from what the browser keeps: in nothing that travelled, was stored or logged.
      const client = new ClinicClient(service.url, loom);
      await client.login(user);
      const [{ program }] = await client.call('GET', `/keys?holder=${user.name}`);
      const holder = await (
        await client.program(program)
      ).restoreClient(sealed, { passphrase: PASSPHRASE, evaluationKeys: [] });
      // Behind the frame's 21 bytes and two identities (FORMAT.md, kind 2).
      const seed = (await holder.save()).subarray(53, 85);
      assert.equal(await service.stop(), 0);
      const places = [...filesIn(service.data), ['log', Buffer.from(service.output())], ['wire', wire.bytes()]];
      const values = Object.values(TABLE).flat();
      const sums = Object.values(TABLE).map((column) => column.reduce((sum, value) => sum + value, 0));
      assert.deepEqual(find(forms(seed), places), []);
      assert.deepEqual(find(forms(sealed.subarray(40)), places), []);
      assert.deepEqual(find([...values, ...sums].flatMap(numberForms), places), []);
      assert.deepEqual(find([Buffer.from(PASSPHRASE)], places), []);
      const kept = places.filter(([place]) => place !== 'wire');
      assert.deepEqual(find([Buffer.from(user.password)], kept), []);
      // The search finds what is there.
      assert.deepEqual(find([Buffer.from('weight')], [['wire', wire.bytes()]]), ['wire']);
      assert.ok(find([Buffer.from(user.name)], kept).some((place) => place.includes('clinic.sqlite')));
      await page.close();
      await again.close();
    });

    test('one lets another ask, and takes it back; one encrypts for another, who alone can read', async () => {
      const service = await startPage();
      const ann = await browser.open(`${service.url}/#clinic`);
      await comeIn(ann);
      await choose(ann, csv(TABLE));
      await send(ann);
      const ben = await browser.open(`${service.url}/#clinic`);
      const { name: other } = await comeIn(ben);
      // Ann's record and key: ben asks, ann reads.
      await ann.front();
      await ann.until(
        `[...(${one('share-with')}?.options ?? [])].some(({ value }) => value === '${other}')`,
        PATIENCE_MS,
      );
      await select(ann, 'share-with', other);
      await ann.click(at('share'));
      await ann.until(one('grant'), PATIENCE_MS);
      await ask(ben);
      await ben.until(`/It opens by the key of/.test(${one('state')}?.textContent)`, PATIENCE_MS);
      assert.equal(await ben.evaluate(`${one('open')} === null`), true);
      isRight(await open(ann));
      await ann.click(at('revoke'));
      await ann.until(`${one('grant')} === null`, PATIENCE_MS);
      await ben.front();
      await ben.until(`${one('ask')} === null`, PATIENCE_MS);
      // For ben, by a public key of his that both compare.
      await ann.front();
      await select(ann, 'reader', other);
      await ready(ann);
      assert.match(await textOf(ann, 'sizes'), /you cannot read the answers yourself/);
      await ann.click(at('send'));
      await ann.until(`/has been asked for a key/.test(${one('status')}.textContent)`, PATIENCE_MS);
      await ben.front();
      await ben.until(one('give-key'), PATIENCE_MS);
      await ben.click(at('look'));
      await ben.until(`/mean\\(weight\\)/.test(${one('request')}.textContent)`, PATIENCE_MS);
      await ben.click(at('give-key'));
      await ben.until(one('own-fingerprint'), PATIENCE_MS);
      await ann.front();
      await ann.until(one('fingerprint'), PATIENCE_MS);
      assert.equal(await textOf(ann, 'fingerprint'), await textOf(ben, 'own-fingerprint'));
      await ann.click(at('agree'));
      await ann.until(`/may ask what it comes to/.test(${one('status')}.textContent)`, PATIENCE_MS);
      await ask(ben);
      isRight(await open(ben));
      for (const { problems } of [ann, ben]) assert.deepEqual(problems, []);
      assert.equal(await service.stop(), 0);
      await ann.close();
      await ben.close();
    });

    test('the service is killed while a question waits; its session ends; what was done stays, and goes on', async () => {
      const env = { CLINIC_PORT: String(await freePort()), CLINIC_RUNNERS: '0' };
      const first = await startPage(env);
      const page = await browser.open(`${first.url}/#clinic`);
      const user = await comeIn(page);
      await choose(page, csv(TABLE));
      await send(page);
      await ask(page);
      await page.until(`/Waits/.test(${one('state')}?.textContent)`, PATIENCE_MS);
      await page.click(at('cancel'));
      await page.until(`/Cancelled/.test(${one('state')}.textContent)`, PATIENCE_MS);
      await ask(page);
      await page.until(`/Waits/.test(${one('state')}.textContent)`, PATIENCE_MS);
      await first.stop('SIGKILL');
      await page.until(`/service is away/i.test(${one('state')}.textContent)`, PATIENCE_MS);
      await ask(page);
      await failed(page, 'service.away');
      const second = await startService({ data: first.data, env: { ...first.env, CLINIC_RUNNERS: '1' } });
      isRight(await open(page));

      // All other sessions end when a password is changed.
      const client = new ClinicClient(second.url, undefined);
      await client.login(user);
      const password = 'another password than before';
      await client.call('POST', '/password', { old: user.password, password });
      await failed(page, 'token.invalid');
      assert.match(await textOf(page, 'error'), /Sign in again/);
      assert.equal(await page.evaluate(`${one('name')}.value`), user.name);
      await signIn(page, { ...user, password: 'one that is wrong' });
      await failed(page, 'login.wrong');
      await signIn(page, { ...user, password });
      await page.until(one('user'), PATIENCE_MS);
      // Keys and table are where they were.
      await page.until(`!${one('send')}.disabled`, PATIENCE_MS);
      await send(page);
      await ask(page);
      isRight(await open(page));
      assert.equal(await second.stop(), 0);
      await page.close();
    });

    test('of who was there before, nothing stays for another person', async () => {
      const service = await startPage();
      const page = await browser.open(`${service.url}/#clinic`);
      const first = await comeIn(page);
      await choose(page, csv(TABLE));
      await send(page);
      await page.until(`${one('key')}?.dataset.here === 'true'`, PATIENCE_MS);
      const admin = new ClinicClient(service.url, undefined);
      const { code } = await admin.call('POST', '/demo');
      const second = { name: 'second', password: 'a password of the second one' };
      await admin.call('POST', '/register', { code, ...second });
      // The session ends, with the key in the tab.
      await admin.login(first);
      const password = 'another password than before';
      await admin.call('POST', '/password', { old: first.password, password });
      await failed(page, 'token.invalid');
      assert.match(await textOf(page, 'table-name'), /mine\.csv/);
      await signIn(page, second);
      await page.until(`${one('user')}?.textContent === 'second'`, PATIENCE_MS);
      assert.equal(await textOf(page, 'table-name'), '');
      assert.equal(await page.evaluate(`${one('columns')}.childElementCount`), 0);
      assert.equal(await page.evaluate(`${one('label')}.value`), 'My table');
      // Signing out works without a service.
      await service.stop('SIGKILL');
      await page.click(at('sign-out'));
      await page.until(one('name'), PATIENCE_MS);
      const again = await startService({
        data: service.data,
        env: { ...service.env, CLINIC_PORT: new URL(service.url).port },
      });
      await page.evaluate(`document.querySelector('#panel-clinic details').open = true`);
      await signIn(page, { ...first, password });
      await page.until(`${one('key')}?.dataset.here === 'false'`, PATIENCE_MS);
      assert.equal(await again.stop(), 0);
      await page.close();
    });

    test('what is too large, too much or not allowed is told in words, and one goes on', async () => {
      const env = { CLINIC_PORT: String(await freePort()), CLINIC_MAX_BLOB_BYTES: '20000' };
      const small = await startPage(env);
      const page = await browser.open(`${small.url}/#clinic`);
      await comeIn(page);
      await choose(page, csv(TABLE));
      await page.click(at('send'));
      await failed(page, 'upload.large');
      assert.match(await textOf(page, 'error'), /larger than the service takes.*at most 20 kB/s);
      await small.stop();
      // The same table goes on where it stopped, once there is more room.
      const large = await startService({
        data: small.data,
        env: { ...small.env, CLINIC_MAX_BLOB_BYTES: '1000000', CLINIC_RATE: '400' },
      });
      await send(page);
      const programs = await page.evaluate(`${one('seen')}.querySelectorAll('[data-action="program.add"]').length`);
      assert.equal(programs, 1);
      // Until the service has enough for a while: its minute may end in between.
      await page.evaluate(`(async () => {
        for (;;) {
          const answers = await Promise.all(Array.from({ length: 100 }, () => fetch('clinic/health')));
          if (answers.some(({ status, headers }) => status === 429 && Number(headers.get('retry-after')) >= 20)) return true;
        }
      })()`);
      await page.click(at('ask'));
      await failed(page, 'rate.limit');
      assert.match(await textOf(page, 'error'), /Too many requests at once. Go on in/);
      assert.equal(await large.stop(), 0);
      await page.close();
    });
  });
}

describe('the page without a browser of its own', { skip }, () => {
  test('where no service is behind the page, the tab says how to start one', async () => {
    const server = await servePage();
    const browser = await openBrowser('Chromium');
    try {
      const page = await browser.open(`${server.url}#clinic`);
      await page.until(one('missing'), PATIENCE_MS);
      assert.match(await textOf(page, 'missing'), /npm start/);
      await page.click(at('look-again'));
      await page.until(`/still none/.test(${one('missing-status')}.textContent)`, PATIENCE_MS);
      assert.equal(await page.evaluate(`${one('look-again')}.disabled`), false);
      assert.deepEqual(page.problems, []);
    } finally {
      await browser.close();
      await server.stop();
    }
  });

  test('what npm start serves has a service behind it, and ends with it', async () => {
    const port = String(await freePort());
    const TMPDIR = temporaryFolder();
    const where = ['--no-open', '--host', '127.0.0.1', '--port', port, '--strictPort', '--outDir', builtPage()];
    const server = await startProcess(join(ROOT, 'www', 'scripts', 'serve.mjs'), where, { TMPDIR }, LOCAL);
    const url = `http://127.0.0.1:${port}/`;
    const health = await fetch(new URL('clinic/health', url));
    assert.deepEqual(await health.json(), { ok: true, demo: true });
    const page = await fetch(url);
    assert.match(page.headers.get('content-security-policy'), /connect-src 'self'/);
    const demo = await fetch(new URL('clinic/v1/demo', url), { method: 'POST' });
    assert.equal(demo.status, 201);
    assert.deepEqual(
      readdirSync(TMPDIR).map((folder) => folder.replace(/-\w+$/, '')),
      ['cipherloom-clinic'],
    );
    // A foreign page can send this, too.
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${Number(port) + 1}`]) {
      const foreign = await fetch(new URL('clinic/v1/demo', url), { method: 'POST', headers: { origin } });
      assert.equal(foreign.status, 404, origin);
    }
    const own = { method: 'POST', headers: { origin: `http://127.0.0.1:${port}` } };
    assert.equal((await fetch(new URL('clinic/v1/demo', url), own)).status, 201);
    // Vite ends, too, and says which signal it was.
    assert.ok([0, 143].includes(await server.stop()));
    assert.deepEqual(readdirSync(TMPDIR), []);
  });

  test('what npm start serves to others has no service: it would give them accounts', async () => {
    const port = String(await freePort());
    const TMPDIR = temporaryFolder();
    const where = ['--no-open', '--host', '0.0.0.0', '--port', port, '--strictPort', '--outDir', builtPage()];
    const server = await startProcess(join(ROOT, 'www', 'scripts', 'serve.mjs'), where, { TMPDIR }, LOCAL);
    const demo = await fetch(`http://127.0.0.1:${port}/clinic/v1/demo`, { method: 'POST' });
    assert.notEqual(demo.status, 201);
    assert.match(server.output(), /no service.*others reach 0\.0\.0\.0/);
    await server.stop('SIGHUP');
    assert.deepEqual(readdirSync(TMPDIR), []);
  });

  test('the service serves the files of the page, with its policy, and no others', async () => {
    const service = await startPage();
    const page = await fetch(service.url);
    assert.equal(page.status, 200);
    assert.equal(await page.text(), readFileSync(join(builtPage(), 'index.html'), 'utf8'));
    const policy = page.headers.get('content-security-policy');
    assert.match(policy, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']+';/);
    assert.match(policy, /connect-src 'self'; .*frame-ancestors 'none'/);
    // The page says the same of itself.
    const own = readFileSync(join(builtPage(), 'index.html'), 'utf8').match(
      /Content-Security-Policy" content="([^"]*)"/,
    )[1];
    assert.equal(policy, `${own.replaceAll('&#39;', "'")}; frame-ancestors 'none'`);
    for (const path of [
      '/..%2fserver.mjs',
      '/assets/..%2f..%2fpackage.json',
      '/clinic/..%2f..%2fpackage.json',
      '/assets/',
      '/clinic.sqlite',
    ])
      assert.equal((await fetch(`${service.url}${path}`)).status, 404, path);
    // Under a name that is not this machine's, nobody gets an account.
    const { port } = new URL(service.url);
    const { request } = await import('node:http');
    const foreign = request({
      host: '127.0.0.1',
      port,
      path: '/v1/demo',
      method: 'POST',
      headers: { host: `evil.example:${port}` },
    });
    foreign.end();
    const [answer] = await once(foreign, 'response');
    assert.equal(answer.statusCode, 404);
    answer.resume();
    assert.equal(await service.stop(), 0);
    const without = await startService();
    assert.equal((await fetch(`${without.url}/v1/demo`, { method: 'POST' })).status, 404);
    assert.equal((await fetch(without.url)).status, 404);
  });
});

async function signIn(page, { name, password }) {
  await page.evaluate(
    `${one('name')}.value = ${JSON.stringify(name)}; ${one('password')}.value = ${JSON.stringify(password)};`,
  );
  await page.click(`${at('sign-in')} button`);
}

/** The only key that the browser keeps, as it is kept. */
const SEALED = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('cipherloom.clinic');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const all = opening.result.transaction('keys').objectStore('keys').getAll();
    all.onsuccess = () => {
      opening.result.close();
      resolve([...all.result.at(-1).sealed]);
    };
  };
})`;
