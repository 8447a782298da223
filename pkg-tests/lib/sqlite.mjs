// Whether SQLite works here: it is optional.
import { createRequire } from 'node:module';

/** Why tests with SQLite are left out where it does not. */
export const NO_SQLITE = 'better-sqlite3 is not installed here: it is optional, and needs a compiler or a download';

/** Whether what is asked for in a file (a path or an address) gets a database that opens. */
export function hasSqlite(file) {
  try {
    const require = createRequire(file);
    return Boolean(new (require('better-sqlite3'))(':memory:').close());
  } catch {
    return false;
  }
}
