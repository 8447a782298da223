import { createRequire } from 'node:module';

/** Whether SQLite is installed, and works here: it is an optional peer. */
export function hasSqlite(): boolean {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => {
      close(): void;
    };
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}
