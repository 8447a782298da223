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
    const job = await allowed(() => client.call('POST', '/work/claim'));
    if (job) await run(job);
    else await pause(LOOK_MS);
  } catch (error) {
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
  let beating = false;
  const beat = async () => {
    if (beating) return;
    beating = true;
    const sent = allowed(() => client.call('POST', `/work/${id}/progress`, { attempt, ...progress }));
    const answer = await sent.catch(() => ({ go: true }));
    beating = false;
    if (!answer.go) ended.abort();
  };
  const timer = setInterval(beat, beatMs);
  const blobs = `/work/${id}/${attempt}/blobs`;
  const read = (sha) => allowed(() => client.download(sha, `${blobs}/${sha}`));
  try {
    const watch = { signal: ended.signal, onProgress: ({ done, total }) => (progress = { done, total }) };
    const results = await evaluator.run(job, read, watch);
    const outputs = {};
    for (const [name, bytes] of Object.entries(results))
      outputs[name] = await allowed(() => client.upload(bytes, undefined, blobs));
    await allowed(() => client.call('POST', `/work/${id}/result`, { attempt, outputs }));
    console.log(`ran ${id}`);
  } catch (error) {
    // Cancelled, or somebody else's by now; or the service is away, and somebody will run it again.
    if (ended.signal.aborted || !isFinal(error)) console.error(`left ${id}`);
    else await failed(job, error);
  } finally {
    clearInterval(timer);
  }
}

/** Whether the next one to run it would come no further: what the service refuses, it refuses again, but for what was slow, or too much, or whose session has ended. */
function isFinal(error) {
  if (error instanceof AwayError || error.code === 'question.lost') return false;
  if (!(error instanceof ClinicError) || error.status === 507) return true;
  return error.status >= 400 && error.status < 500 && ![401, 408, 425, 429].includes(error.status);
}

async function failed({ id, attempt }, error) {
  const failure = { attempt, ...told(error) };
  await allowed(() => client.call('POST', `/work/${id}/failure`, failure));
  console.error(`failed ${id}: ${failure.code}`);
}

/** Does something as soon as it may: too many requests in a minute are no failure, nor is a session that has ended. */
async function allowed(work) {
  for (let signedOut = false; ;) {
    try {
      if (signedOut) await client.login({ name, password });
      signedOut = false;
      return await work();
    } catch (error) {
      if (error.status === 401 && error.code === 'token.invalid') signedOut = true;
      else if (error.status === 429) await pause(error.afterMs ?? LOOK_MS);
      else throw error;
    }
  }
}
