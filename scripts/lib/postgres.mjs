// Where PostgreSQL's own programs are: Debian has them outside of PATH. Tests of the clinic alone need them; they are skipped without.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { find } from './run.mjs';

const DEBIAN = '/usr/lib/postgresql';
export const POSTGRES_PACKAGE = 'postgresql';

/** The folder with `initdb` and `postgres`, the newest one; null where there is none. */
export function postgres() {
  const releases = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = find('initdb');
  const folders = [...releases.map((name) => join(DEBIAN, name, 'bin')), ...(onPath ? [dirname(onPath)] : [])];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}
