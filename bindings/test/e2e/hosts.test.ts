// What hosts do to us: refuse memory or workers, start processes with options of their own, hold on to what was disposed.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { load, type Loom } from 'cipherloom';
import { afterEach, describe, expect, it } from 'vitest';
import { errorOf } from './error-of.js';

const threads = process.getBuiltinModule('node:worker_threads');
const PACKAGE = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href);
const WASM = fileURLToPath(new URL('../../wasm/', import.meta.url));

let loom: Loom | undefined;
afterEach(() => {
  loom?.dispose();
  loom = undefined;
});

/** Runs a module in a Node of its own; what it prints. */
async function inNode(script: string, ...args: string[]): Promise<string> {
  const all = [...args, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, all, { timeout: 60_000 });
  return stdout.trim();
}

describe('a host', () => {
  it('that was started with options of its own does not hand them to the workers, and ends by itself', async () => {
    for (const mode of ['single', 'threads']) {
      const script = `
        const { load } = await import(${PACKAGE});
        console.log((await load({ mode: '${mode}' })).mode.variant);`;
      expect(await inNode(script)).toBe(mode);
    }
  });

  it('without workers is told so', async () => {
    const { getBuiltinModule } = process;
    process.getBuiltinModule = ((name: string) =>
      name === 'node:worker_threads' ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule;
    try {
      expect(await errorOf(load({ mode: 'single' }))).toMatchObject({
        name: 'WorkerError',
        code: 'worker.failed',
        message: expect.stringContaining('load({ workers: false })') as string,
      });
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  });

  it('that bundled the package for a server is told to keep it out', async () => {
    const { startScript } = await import('../../dist/worker/start.js');
    const start = async () =>
      startScript('client', undefined, 'client-worker.js', () => expect.fail('no browser'));
    expect(await errorOf(start())).toMatchObject({
      name: 'WorkerError',
      code: 'worker.failed',
      message: expect.stringContaining('serverExternalPackages') as string,
    });
  });

  it.runIf(process.platform === 'linux')('that has no more addresses is told so', async () => {
    const script = `
      const { load } = await import(${PACKAGE});
      try {
        for (;;) await load({ mode: 'single' });
      } catch ({ name, code }) {
        console.log(name, code);
        process.exit();
      }`;
    const args = ['-c', 'ulimit -v 60000000; exec "$0" "$@"', process.execPath];
    const { stdout } = await promisify(execFile)('sh', [...args, '--input-type=module', '--eval', script]);
    expect(stdout.trim()).toBe('MemoryError memory.refused');
  });
});

describe('option worker', () => {
  it('that makes no Worker has what it made ended', async () => {
    const script = new URL('../../dist/worker/client-worker.js', import.meta.url);
    const made: Promise<unknown>[] = [];
    const start = () => {
      const worker = new threads.Worker(script);
      made.push(once(worker, 'exit'));
      return worker;
    };
    // Node's own, which is no Worker of the web, and a Promise of one.
    for (const worker of [start, async () => start()] as never[]) {
      expect(await errorOf(load({ mode: 'single', worker }))).toMatchObject({ code: 'input.type' });
    }
    expect(made.length).toBeGreaterThanOrEqual(2);
    await Promise.all(made);
  });

  it('is asked for the threads, too', async () => {
    const roles: string[] = [];
    const { startWorker } = await import('../../dist/worker/start.js');
    loom = await load({
      mode: 'threads',
      threads: 3,
      worker: (role) => (roles.push(role), startWorker(role)),
    });
    expect(roles.sort()).toEqual(['client', 'evaluator', ...Array(4).fill('pool')]);
  });
});

describe('the wasm', () => {
  it('is asked for once, also where the threads do not start', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url as string);
      void readFile(`${WASM}threads/cipherloom_bg.wasm`).then((bytes) => {
        response.writeHead(200, { 'Content-Type': 'application/wasm' }).end(bytes);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relaxed = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/relaxed.wasm`);
    const { validate, Module, Instance } = WebAssembly;
    const { Worker } = threads;
    // Every engine has relaxed SIMD here, which rounds once, and the file has no need of it.
    WebAssembly.validate = () => true;
    WebAssembly.Module = class {} as unknown as typeof Module;
    WebAssembly.Instance = class {
      readonly exports = { f: () => 2 ** -60 };
    } as unknown as typeof Instance;
    threads.Worker = class extends Worker {
      constructor(address: string, options: object) {
        super(address.includes('pool-worker') ? new URL('file:///none.js') : address, options);
      }
    } as typeof Worker;
    try {
      loom = await load({ threads: 2, wasm: { relaxed } });
      expect(loom.mode).toMatchObject({ variant: 'relaxed', threads: 1 });
      expect(requests).toEqual(['/relaxed.wasm']);
    } finally {
      Object.assign(WebAssembly, { validate, Module, Instance });
      threads.Worker = Worker;
      server.close();
    }
  });
});

describe('a disposed loom that is still referred to', () => {
  it('holds no memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { Memory } = WebAssembly;
    const made: WeakRef<WebAssembly.Memory>[] = [];
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        super(descriptor);
        made.push(new WeakRef(this));
      }
    };
    const disposed = await load({ mode: 'threads', threads: 2 });
    WebAssembly.Memory = Memory;
    disposed.dispose();
    expect(made.length).toBe(2);
    const alive = () => made.filter((one) => one.deref() !== undefined).length;
    for (let time = 0; alive() > 0 && time < 600; time++) {
      await setTimeout(100);
      collect();
    }
    expect(alive()).toBe(0);
    expect(disposed.mode.variant).toBe('threads');
  });
});
