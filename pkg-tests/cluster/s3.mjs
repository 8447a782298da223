// A server of S3's protocol of a test's own (moto, of PyPI), ended with the tests of the file that started it.
import { spawn } from 'node:child_process';
import { moto } from '../../scripts/lib/python.mjs';
import { endWithThis } from '../lib/own.mjs';
import { freePort } from '../lib/server.mjs';

const { python, reason } = moto();
/** Why tests with buckets are left out, or undefined. */
export const skip = python === null && reason;

/** Starts one, with buckets. Gives its address, and the environment in which AWS' clients find it. */
export async function startS3(...buckets) {
  const port = await freePort();
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithThis(child);
  let output = '';
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`moto ended with ${code}\n${output}`)));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('Running on')) resolve();
    });
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (const bucket of buckets) {
    const made = await fetch(`${endpoint}/${bucket}`, { method: 'PUT' });
    if (!made.ok) throw new Error(`bucket ${bucket}: ${made.status} ${await made.text()}`);
  }
  return {
    endpoint,
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'of-a-test',
      AWS_SECRET_ACCESS_KEY: 'of-a-test',
    },
  };
}
