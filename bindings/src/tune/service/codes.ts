/** Code that explorers bring with their records, by its hash. It is kept and handed out; nothing here runs it. */
import { createHash } from 'node:crypto';
import { wrong } from '../wrong.js';
import { Refusal } from './errors.js';
import type { Store } from './store.js';

export class Codes {
  constructor(
    readonly store: Store,
    readonly most: number,
  ) {}

  /** Errors: TuneError `tune.code` of bytes of another hash; 507 where there is no room. */
  async put(sha: string, bytes: Uint8Array, explorer: string): Promise<void> {
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha) throw wrong('tune.code', 'code', found, sha);
    await this.store.locked(async (trx) => {
      if ((await trx('codes').where({ sha }).first('sha')) !== undefined) return;
      const { sum } = (await trx('codes').sum({ sum: 'size' }).first()) as { sum: number | string | null };
      if (Number(sum ?? 0) + bytes.length > this.most)
        throw new Refusal(
          507,
          'storage.full',
          `There is room for ${this.most - Number(sum ?? 0)} bytes more`,
        );
      await trx('codes').insert({ sha, bytes: Buffer.from(bytes), size: bytes.length, explorer });
    });
  }

  /** Errors: 404. */
  async get(sha: string): Promise<Buffer> {
    const row = (await this.store.db('codes').where({ sha }).first('bytes')) as { bytes: Buffer } | undefined;
    if (row === undefined) throw new Refusal(404, 'not.found', 'There is no such code');
    return row.bytes;
  }
}
