#!/usr/bin/env node
// A device that runs questions for a clinic's service: a trusted third party's, or one of several of one's own. It sees ciphertexts, evaluation keys and programs of the
// questions that name its user, and what these were given in the clear. Settings: CLINIC_URL, CLINIC_NAME, CLINIC_PASSWORD of a user with the role `worker`; CLINIC_THREADS.
import { setTimeout as pause } from 'node:timers/promises';
import { Evaluator } from './service/evaluator.mjs';
import { told } from './service/runner.mjs';
import { AwayError, ClinicClient, ClinicError } from './client.mjs';

const {
  CLINIC_URL: url,
  CLINIC_NAME: name,
  CLINIC_PASSWORD: password,
  CLINIC_THREADS: threads = '0',
} = process.env;
if (!url || !name || !password) {
  console.error('expected CLINIC_URL, CLINIC_NAME and CLINIC_PASSWORD in the environment');
  process.exit(2);
}
/** Between two looks for questions. */
const LOOK_MS = 250;

const client = new ClinicClient(url, undefined);
const evaluator = await Evaluator.start(Number(threads));
let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (stopping = true));

await client.login({ name, password });
console.log(`worker ${name} waits for questions`);
while (!stopping) {
  try {
    const job = await client.call('POST', '/work/claim');
    if (job) await run(job);
    else await pause(LOOK_MS);
  } catch (error) {
    if (error.status === 401) await client.login({ name, password }).catch(() => {});
    // A service that is away comes again; a question that this one had goes to who asks for it next.
    console.error(error.code ?? error.name);
    await pause(LOOK_MS);
  }
}
evaluator.stop();

async function run(job) {
  const { id, attempt, beatMs } = job;
  const ended = new AbortController();
  let progress = {};
  const beat = async () => {
    const answer = await client
      .call('POST', `/work/${id}/progress`, { attempt, ...progress })
      .catch(() => ({ go: true }));
    if (!answer.go) ended.abort();
  };
  const timer = setInterval(beat, beatMs);
  const read = (sha) => client.download(sha, `/work/${id}/${attempt}/blobs/${sha}`);
  try {
    const watch = { signal: ended.signal, onProgress: ({ done, total }) => (progress = { done, total }) };
    const results = await evaluator.run(job, read, watch);
    const outputs = {};
    for (const [name, bytes] of Object.entries(results)) outputs[name] = await client.upload(bytes);
    await client.call('POST', `/work/${id}/result`, { attempt, outputs });
    console.log(`ran ${id}`);
  } catch (error) {
    // Cancelled, or somebody else's by now; or the service is away, and somebody will run it again.
    if (ended.signal.aborted || error instanceof ClinicError || error instanceof AwayError)
      console.error(`left ${id}`);
    else await client.call('POST', `/work/${id}/failure`, { attempt, ...told(error) });
  } finally {
    clearInterval(timer);
  }
}
