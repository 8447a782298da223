// A NATS server of a test's own: on free ports, in a temporary folder, ended with the tests of the file that started it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { createNatsStream, natsPermissions } from 'cipherloom/parties';
import { find } from '../../scripts/lib/run.mjs';
import { endWithThis, selfSigned, temporaryFolder } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';

const SERVER = find('nats-server');
/** Why tests with NATS are left out, or undefined. */
export const skip =
  SERVER === null &&
  'nats-server is not installed: node scripts/setup.mjs --tests installs it on Debian; elsewhere put it on PATH';

/**
 * Starts one with a user for each party, who may what `natsPermissions` says, and one who makes the stream. Gives, for each party, what `overNats` is told:
 * `of(party)`, and `of(party, { socket: true })` by WebSocket. `bare`: anybody may everything, and there is no stream.
 */
export async function startNats(parties, { tls = false, limits, bare = false } = {}) {
  const folder = temporaryFolder();
  const [port, socket] = [await freePort(), await freePort()];
  const certificate = tls ? selfSigned(folder) : undefined;
  const password = () => randomBytes(12).toString('hex');
  const passwords = Object.fromEntries(['operator', ...parties].map((name) => [name, password()]));
  const users = parties.map((party) => ({
    user: party,
    password: passwords[party],
    permissions: natsPermissions(party),
  }));
  const configuration = {
    listen: `127.0.0.1:${port}`,
    jetstream: { store_dir: join(folder, 'store') },
    ...(!bare && { authorization: { users: [{ user: 'operator', password: passwords.operator }, ...users] } }),
    websocket: { listen: `127.0.0.1:${socket}`, ...(tls ? { tls: filesOf(certificate) } : { no_tls: true }) },
    ...(tls && { tls: filesOf(certificate) }),
  };
  const path = join(folder, 'nats.conf');
  writeFileSync(path, JSON.stringify(configuration, null, 2));
  const of = (party, { socket: bySocket = false } = {}) => ({
    servers: bySocket ? `${tls ? 'wss' : 'ws'}://127.0.0.1:${socket}` : `localhost:${port}`,
    user: party,
    pass: passwords[party],
    tls: tls && !bySocket ? { ca: readFileSync(certificate.cert, 'utf8') } : false,
  });
  let child;
  let output = '';
  const start = async () => {
    output = '';
    child = spawn(SERVER, ['-c', path], { stdio: ['ignore', 'ignore', 'pipe'] });
    endWithThis(child);
    await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}\n${output}`)));
      child.stderr.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (output.includes('Server is ready')) resolve();
      });
    });
  };
  const stop = async (signal = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await start();
  if (!bare) await createNatsStream({ ...of('operator'), limits });
  return { of, start, stop, port, log: () => output };
}

/** Everything that goes through a server, as its operator hears it. */
export async function overhear(server) {
  const { servers, user, pass } = server.of('operator');
  const connection = await connect({ servers, user, pass });
  const messages = [];
  const subscription = connection.subscribe('>', {
    callback: (_, { subject, data }) => messages.push({ subject, data: data.slice() }),
  });
  // The server has heard of it.
  await connection.flush();
  const close = async () => {
    subscription.unsubscribe();
    await connection.close();
  };
  return { messages, close };
}

function filesOf({ cert, key }) {
  return { cert_file: cert, key_file: key };
}
