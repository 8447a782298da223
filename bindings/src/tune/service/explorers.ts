/** Who may explore. An explorer is its public key; it says of which class it is; settings or a maintainer say whether it is believed. */
import { wrong } from '../wrong.js';
import { Refusal } from './errors.js';
import { FREE } from './queue.js';
import type { Store } from './store.js';

interface Row {
  readonly key: string;
  readonly device: string;
  readonly room: number;
  readonly seen: number;
  readonly standing: 'pending' | 'allowed' | 'refused';
  readonly said: 'nobody' | 'settings' | 'maintainer';
}

/** Explorers that wait to be allowed, at most: whoever wants to can make keys. */
const MOST_PENDING = 1000;

export class Explorers {
  constructor(
    readonly store: Store,
    readonly listed: ReadonlySet<string>,
    readonly now: () => number,
  ) {}

  /** Whoever was allowed by settings that do not name it any more waits again. */
  async open(): Promise<void> {
    const before = (await this.store.db('explorers').where({ said: 'settings' })) as Row[];
    for (const { key } of before)
      if (!this.listed.has(key))
        await this.store.db('explorers').where({ key }).update({ standing: 'pending', said: 'nobody' });
  }

  /** An explorer says that it is there. Gives whether it is believed. Errors: TuneError `tune.device` of one that is allowed for another class. */
  async register(key: string, device: string, room: number): Promise<boolean> {
    return this.store.locked(async (trx) => {
      const row = (await trx('explorers').where({ key }).first()) as Row | undefined;
      const seen = this.now();
      const listed = this.listed.has(key) && row?.said !== 'maintainer';
      const said = listed ? { standing: 'allowed', said: 'settings' } : {};
      checkClass(row, device);
      if (row !== undefined)
        await trx('explorers')
          .where({ key })
          .update({ device, room, seen, ...said });
      else {
        const pending = trx('explorers').where({ standing: 'pending' });
        const { count } = (await pending.count({ count: '*' }).first()) as { count: number | string };
        if (!listed && Number(count) >= MOST_PENDING)
          throw new Refusal(429, 'explorers.many', 'Too many explorers wait to be allowed');
        await trx('explorers').insert({
          key,
          device,
          room,
          seen,
          standing: 'pending',
          said: 'nobody',
          ...said,
        });
      }
      return listed || row?.standing === 'allowed';
    });
  }

  /** Marks an explorer as there. Gives its class. Errors: TuneError `tune.signature` of one that is not believed; `tune.device` of another class. */
  async seen(key: string, heard?: { readonly device: string; readonly room: number }): Promise<string> {
    const row = (await this.store.db('explorers').where({ key }).first()) as Row | undefined;
    if (row?.standing !== 'allowed')
      throw wrong('tune.signature', 'explorer', key, 'one that the operator of the service has allowed');
    if (heard !== undefined) checkClass(row, heard.device);
    await this.store
      .db('explorers')
      .where({ key })
      .update({ ...heard, seen: this.now() });
    return heard?.device ?? row.device;
  }

  list(): Promise<Row[]> {
    return this.store.db('explorers').orderBy('key');
  }

  /** A maintainer's word; records of an explorer that is refused are forgotten, and explored again when they are missed. */
  async set(key: string, allowed: boolean): Promise<void> {
    await this.store.locked(async (trx) => {
      // One that is refused and allowed again may be of another class.
      const standing = allowed ? { standing: 'allowed' } : { standing: 'refused', device: '' };
      const row = (await trx('explorers').where({ key }).first()) as Row | undefined;
      if (row !== undefined)
        await trx('explorers')
          .where({ key })
          .update({ ...standing, said: 'maintainer' });
      else
        await trx('explorers').insert({ key, device: '', room: 0, seen: 0, ...standing, said: 'maintainer' });
      if (allowed) return;
      await trx('records').where({ explorer: key }).delete();
      await trx('codes').where({ explorer: key }).delete();
      await trx('queue').where({ explorer: key, state: 'leased' }).update(FREE);
    });
  }
}

/** An explorer was allowed for one class: a device of another one is another explorer. Errors: TuneError `tune.device`. */
function checkClass(row: Row | undefined, device: string): void {
  if (row?.standing === 'allowed' && row.device !== '' && row.device !== device)
    throw wrong('tune.device', 'explorer', `"${device}"`, `"${row.device}", or other keys for another class`);
}
