// Looking for secrets: what travels, what lies on the disk, and every way in which something may be written.
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** Passes bytes on, and keeps all of them. */
export async function recorder(url) {
  const { hostname, port } = new URL(url);
  const seen = [];
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on('data', (bytes) => seen.push(Buffer.from(bytes)));
      one.on('error', () => {});
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bytes: () => Buffer.concat(seen),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Every way in which bytes may be written. */
export function forms(bytes) {
  const buffer = Buffer.from(bytes);
  const reversed = Buffer.from(buffer).reverse();
  const texts = ['hex', 'base64', 'base64url'].map((encoding) => buffer.toString(encoding).replaceAll('=', ''));
  return [
    buffer,
    reversed,
    ...[...texts, buffer.toString('hex').toUpperCase(), [...buffer].join(), [...buffer].join(', ')].map((text) =>
      Buffer.from(text),
    ),
  ];
}

/** Every way in which a number may be written. */
export function numberForms(value) {
  const bytes = (write, length) => {
    const buffer = Buffer.alloc(length);
    write(buffer);
    return buffer;
  };
  return [
    Buffer.from(String(value)),
    bytes((buffer) => buffer.writeDoubleLE(value), 8),
    bytes((buffer) => buffer.writeDoubleBE(value), 8),
    bytes((buffer) => buffer.writeBigUInt64LE(BigInt(value)), 8),
    bytes((buffer) => buffer.writeBigUInt64BE(BigInt(value)), 8),
  ];
}

export function* filesIn(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield [path, readFileSync(path)];
  }
}

/** Names of the places that have any of the needles, once for each. */
export function find(needles, places) {
  return places.flatMap(([name, bytes]) => needles.filter((needle) => bytes.includes(needle)).map(() => name));
}
