/** Modules that are edited: what was hashed is what runs. */
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  type Crew,
  fromModule,
  inline,
  loadJob,
  type Row,
  SparseValueVector,
  threads,
  VectorMap,
} from '../../dist/job/index.js';
import { hashOfModule, importModule, StaleModule } from '../../dist/job/operators/modules.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cipherloom-modules-')));
afterAll(() => rmSync(directory, { recursive: true }));
const crews: Crew[] = [];
afterEach(async () => {
  for (const crew of crews.splice(0)) await crew.close();
});
const kept = (crew: Crew): Crew => {
  crews.push(crew);
  return crew;
};

let files = 0;
/** A module's path and address, which no other test has. */
function fresh(text: string): { path: string; url: string; write(text: string): void } {
  const path = join(directory, `module-${files++}.mjs`);
  const write = (text: string): void => writeFileSync(path, text);
  write(text);
  return { path, url: pathToFileURL(path).href, write };
}
const times = (rate: number): string => `export default ([, value]) => value * ${rate};`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The values that a function makes of eight ones. */
async function rates(crew: Crew, module: string, parts = 4): Promise<unknown[]> {
  const rounds = [VectorMap(fromModule(module))];
  const job = await loadJob({ inputs: { rows: SparseValueVector({ parts }) }, rounds }, { crew });
  try {
    for (let key = 0; key < 8; key++) await job.inputs['rows']?.emit(key, 1);
    const rows: Row[] = [];
    for await (const row of (await job.run()).getItr()) rows.push(row);
    return rows.map(([, value]) => value);
  } finally {
    job.dispose();
  }
}
const eight = (value: number): number[] => Array.from({ length: 8 }, () => value);

describe('threads', () => {
  test('run a module as it is, and what it imports', async () => {
    const crew = kept(threads({ cpu: 2 }));
    const helper = fresh('export const rate = 2;');
    const text = `import { rate } from ${JSON.stringify(helper.url)}; export default ([, value]) => value * rate;`;
    const module = fresh(text);
    expect(await rates(crew, module.url)).toEqual(eight(2));
    helper.write('export const rate = 3;');
    module.write(`${text}\n`);
    expect(await rates(crew, module.url)).toEqual(eight(3));
    // As it was before is another one again.
    helper.write('export const rate = 2;');
    module.write(text);
    expect(await rates(crew, module.url)).toEqual(eight(2));
  });

  test('run a module as it is that another one had imported', async () => {
    const crew = kept(threads({ cpu: 1 }));
    const helper = fresh(times(2));
    const module = fresh(`export { default } from ${JSON.stringify(helper.url)};`);
    expect(await rates(crew, module.url)).toEqual(eight(2));
    helper.write(times(3));
    expect(await rates(crew, helper.url)).toEqual(eight(3));
  });

  test('run a module that is mended after it could not be imported', async () => {
    const crew = kept(threads({ cpu: 1 }));
    const module = fresh('export default (;');
    await expect(rates(crew, module.url)).rejects.toMatchObject({ code: 'job.operator' });
    module.write("throw new Error('not yet');");
    await expect(rates(crew, module.url)).rejects.toThrow(/not yet/);
    module.write(times(5));
    expect(await rates(crew, module.url)).toEqual(eight(5));
  });

  test('go on with what a job began with, and do not mix it with anything else', async () => {
    const module = fresh(times(2));
    const first = kept(threads({ cpu: 1 }));
    const second = kept(threads({ cpu: 1, store: first.store }));
    /** Edits the module once the first part is done; what comes after is done by `rest`. */
    const editing = (rest: Crew, rate: number): Crew => {
      let before: Promise<unknown> = Promise.resolve();
      let done = 0;
      return {
        store: first.store,
        workers: first.workers,
        run: (task, hearing) => {
          const result = before.then(async () => {
            const result = await (done === 0 ? first : rest).run(task, hearing);
            if (done++ === 0) module.write(times(rate));
            return result;
          });
          before = result.catch(() => {});
          return result;
        },
        close: async () => {},
      };
    };
    expect(await rates(editing(first, 3), module.url)).toEqual(eight(2));
    expect(await rates(first, module.url)).toEqual(eight(3));
    const mixed = rates(editing(second, 4), module.url);
    await expect(mixed).rejects.toMatchObject({
      code: 'job.refused',
      details: { module: module.url, found: sha256(times(4)), expected: sha256(times(3)) },
    });
    await expect(mixed).rejects.toThrow(/edited since.*run the job again/);
    expect(await rates(first, module.url)).toEqual(eight(4));
  });
});

describe('this thread', () => {
  test('refuses a module that was edited after it was imported, and says what to do', async () => {
    const crew = kept(inline());
    const [module, other] = [fresh(times(2)), fresh(times(7))];
    expect(await rates(crew, module.url)).toEqual(eight(2));
    module.write(times(3));
    const refused = rates(crew, module.url);
    await expect(refused).rejects.toMatchObject({ name: 'JobError', code: 'job.refused' });
    await expect(refused).rejects.toThrow(/was edited after .* start this process anew; .*threads\(\)/);
    // Others are no worse for that, nor is it once it is what it was.
    expect(await rates(crew, other.url)).toEqual(eight(7));
    module.write(times(2));
    expect(await rates(crew, module.url)).toEqual(eight(2));
  });

  test('the same of Partitioners', async () => {
    const module = fresh('export default (key) => key % 2;');
    const rounds = [VectorMap(fromModule(fresh(times(1)).url))];
    const load = () => {
      const partitioner = fromModule(module.url);
      return loadJob(
        { inputs: { rows: SparseValueVector({ parts: 2, partitioner }) }, rounds },
        { crew: kept(inline()) },
      );
    };
    (await load()).dispose();
    module.write('export default (key) => (key + 1) % 2;');
    await expect(load()).rejects.toMatchObject({ code: 'job.refused' });
  });

  test('knows a file by each of its addresses', async () => {
    const module = fresh(times(2));
    const link = join(directory, 'link.mjs');
    symlinkSync(module.path, link);
    const addresses = [module.url, pathToFileURL(link).href, module.url.replace('/module', '/./module')];
    for (const address of addresses) await importModule(address, sha256(times(2)));
    module.write(times(3));
    for (const address of addresses) {
      // As it was, since it has it so.
      await importModule(address, sha256(times(2)));
      await expect(importModule(address)).rejects.toBeInstanceOf(StaleModule);
      await expect(importModule(address, sha256(times(3)))).rejects.toBeInstanceOf(StaleModule);
    }
    // By an address that it has not seen.
    const hidden = pathToFileURL(join(directory, 'hidden.mjs')).href;
    symlinkSync(module.path, new URL(hidden));
    await expect(importModule(hidden)).rejects.toBeInstanceOf(StaleModule);
    // A link that leads to another file is another module.
    const other = fresh(times(4));
    rmSync(link);
    symlinkSync(other.path, link);
    await expect(importModule(pathToFileURL(link).href)).rejects.toBeInstanceOf(StaleModule);
  });

  test('does not run what was written while it was imported', async () => {
    const text = `import { writeFileSync } from 'node:fs';
      writeFileSync(new URL(import.meta.url), 'export default 1;');
      export default 2;`;
    const module = fresh(text);
    await expect(importModule(module.url, sha256(text))).rejects.toBeInstanceOf(StaleModule);
    await expect(importModule(module.url)).rejects.toBeInstanceOf(StaleModule);
  });

  test('hashes what it can read, and imports nothing under a hash that it cannot look at', async () => {
    expect(await hashOfModule(fresh('1;').url)).toBe(sha256('1;'));
    expect(await hashOfModule('data:text/javascript,1%3B')).toBe(sha256('1;'));
    for (const module of ['node:fs', 'https://example.org/x.mjs', 'fs', 'file:///nowhere.mjs']) {
      await expect(hashOfModule(module)).rejects.toThrow();
      await expect(importModule(module, sha256(''))).rejects.toThrow();
    }
    expect(await importModule('node:fs')).toHaveProperty('existsSync');
    const data = 'data:text/javascript,export default 1';
    await expect(importModule(data, sha256(''))).rejects.toMatchObject({ code: 'job.refused' });
    expect(await importModule(data)).toHaveProperty('default', 1);
  });
});
