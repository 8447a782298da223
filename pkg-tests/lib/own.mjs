// What tests have for themselves, and what ends with them: processes, folders, certificates.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const running = new Set();
const endAll = () => running.forEach((child) => child.kill('SIGKILL'));
process.once('exit', endAll);
process.once('SIGTERM', () => process.exit(1));
// A test that fails half-way leaves what it started, which would keep its file from ending. (Elsewhere, `after` would make a report of a program's output.)
if (process.argv[1]?.endsWith('.test.mjs')) after(endAll);
/** Ends a child process with the tests of this file, at the latest. */
export function endWithThis(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

const folders = [];
process.once('exit', () =>
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })),
);
/** A folder that goes with this process. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cipherloom-test-'));
  folders.push(folder);
  return folder;
}

/** A certificate for localhost that its own key signed, by openssl; null where there is none. */
export function selfSigned(folder) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ]);
  return status === 0 ? { cert, key } : null;
}
