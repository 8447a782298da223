// The store of a tab: what it keeps outlives the page, is in the clear nowhere, and stands under its own name alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BROWSERS, openBrowser } from '../lib/browser.mjs';
import { servePages } from './pages.mjs';

let pages;
before(async () => (pages = await servePages()));
after(() => pages?.stop());

/** In the page: raw records, and changes to them. */
const RAW = `
  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const text = (bytes) => new TextDecoder().decode(bytes);
  const bytes = (text) => new TextEncoder().encode(text);
`;

for (const name of BROWSERS)
  describe(name, { timeout: 600_000 }, () => {
    let browser;
    const open = async () => {
      const page = await browser.open(pages.url);
      await page.until('window.inIndexedDB', 60_000);
      return { page, run: (code) => page.evaluate(`(async () => { ${RAW} ${code} })()`) };
    };
    before(async () => (browser = await openBrowser(name)));
    after(() => browser?.close());

    test('gives what was put last, in any tab and after a reload; forgets what is removed, and all', async () => {
      const [one, two] = [await open(), await open()];
      // Both at once: there is one key.
      const written = await Promise.all(
        [one, two].map(({ run }, at) =>
          run(`const store = inIndexedDB('shared');
            await store.put('own ${at}', bytes('old'));
            await store.put('own ${at}', bytes('from ${at}'));
            return [await store.get('none') === undefined, text(await store.get('own ${at}'))];`),
        ),
      );
      assert.deepEqual(written, [
        [true, 'from 0'],
        [true, 'from 1'],
      ]);
      // In turns: what the last one put is what both read.
      await one.run(`await inIndexedDB('shared').put('same', bytes('old'))`);
      for (const { run } of [two, one])
        assert.equal(
          await run(`const store = inIndexedDB('shared');
            if (text(await store.get('same')) === 'old') await store.put('same', bytes('new'));
            return text(await store.get('same'));`),
          'new',
        );
      await one.page.reload();
      await one.page.until('window.inIndexedDB', 60_000);
      const read = await one.run(`const store = inIndexedDB('shared');
        const found = [text(await store.get('own 0')), text(await store.get('own 1')), (await store.get('same')).length];
        await store.remove('own 0');
        await store.remove('never there');
        return [...found, await store.get('own 0') === undefined];`);
      assert.deepEqual(read, ['from 0', 'from 1', 3, true]);
      // Though the other tab has it open.
      const gone = await one.run(`await inIndexedDB('shared').destroy();
        return (await indexedDB.databases()).some(({ name }) => name === 'shared');`);
      assert.equal(gone, false);
      const anew = await two.run(`const store = inIndexedDB('shared');
        const before = await store.get('same');
        await store.put('same', bytes('again'));
        return [before === undefined, text(await store.get('same'))];`);
      assert.deepEqual(anew, [true, 'again']);
      for (const { page } of [one, two]) await page.close();
    });

    test('nothing is in the clear, the key stays in the browser, and what was moved or altered is refused', async () => {
      const { page, run } = await open();
      const found = await run(`const store = inIndexedDB('secrets');
        await store.put('a', bytes('attack at dawn'));
        await store.put('b', bytes('attack at dusk'));
        await store.close();
        const database = await asked(indexedDB.open('secrets'));
        const stores = () => database.transaction(['keys', 'values'], 'readwrite');
        const [key] = await asked(stores().objectStore('keys').getAll());
        const [a, b] = await asked(stores().objectStore('values').getAll());
        const exported = await crypto.subtle.exportKey('raw', key).then(() => 'given', ({ name }) => name);
        const changed = async (value) => {
          await asked(stores().objectStore('values').put(value, 'a'));
          return store.get('a').then(text, ({ message }) => message);
        };
        const altered = a.bytes.slice(0);
        new Uint8Array(altered)[3] ^= 1;
        const results = {
          exported,
          clear: [a, b].map(({ bytes }) => text(bytes)).some((found) => found.includes('attack')),
          nonces: text(a.nonce) === text(b.nonce),
          moved: await changed(b),
          altered: await changed({ ...a, bytes: altered }),
          back: await changed(a),
        };
        await asked(stores().objectStore('keys').clear());
        await store.close();
        results.other = await store.get('b').then(text, ({ message }) => message);
        database.close();
        await store.destroy();
        return results;`);
      assert.deepEqual(found, {
        exported: 'InvalidAccessError',
        clear: false,
        nonces: false,
        moved: 'a value was altered, or is of another name or key',
        altered: 'a value was altered, or is of another name or key',
        back: 'attack at dawn',
        other: 'a value was altered, or is of another name or key',
      });
      assert.deepEqual(page.problems, []);
      await page.close();
    });

    test('a name that is none is told at once', async () => {
      const { page, run } = await open();
      assert.equal(await run(`try { inIndexedDB(7); } catch ({ code }) { return code; }`), 'input.type');
      await page.close();
    });
  });
