/** Programs through the package: what it gives, or where and how it refuses. */
import { build, cellsIn, exchanged, packageHost, pairOf, Refused, at } from './recipe.mjs';
import { flattened, nested } from './shapes.mjs';

/**
 * `{ refusal }` or `{ info, details, short, ... }`, with `trace`: all values by where they were made. `looms`: one of one thread, and one of two where there is one.
 */
export async function run({ createTask }, looms, program, journey) {
  const made = [];
  const keep = (thing) => (made.push(thing), thing);
  const trace = new Map();
  try {
    return { trace, ...(await perform(createTask, looms, program, journey, keep, trace)) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refusal: { step: error.step, error: error.cause }, trace };
  } finally {
    for (const thing of made.toReversed()) thing.dispose();
  }
}

async function perform(createTask, [loom, second], program, journey, keep, trace) {
  const task = loom.task();
  build(packageHost(task, createTask), program, (label, value) => trace.set(label, value));
  const options = { ...journey.compile, ...(journey.owned && { publicKey: true }) };
  const compiled = keep(await later('compile', () => task.compile(options)));
  const { allowInsecure } = options;
  const open = (loom) => loom.program(compiled.toBytes(), { allowInsecure });
  const opened = journey.reopened ? keep(await later('reopen', () => open(loom))) : compiled;
  const client = keep(await later('client', () => opened.client()));
  const restored = keep(await later('restore', () => restore(compiled, client, journey)));
  const owners = [];
  for (let count = journey.owned ? 2 : 0; count > 0; count--)
    owners.push(keep(await later('owner', async () => opened.owner(await client.publicKey()))));
  const keys = journey.restored === 'new keys' ? restored.evaluationKeys : client.evaluationKeys;
  const once = async (given) => {
    const inputs = await later('encrypt', () => encrypt(client, owners, encryptedOf(given), journey));
    const results = await later('run', () => runOnce(compiled, inputs, keys, given, journey));
    const options = { public: cellsIn(given, 'public'), ...(journey.bound && { inputs }) };
    const details = await later('decrypt', () => restored.decryptDetails(results, options));
    const short = await restored.decrypt(results, options).catch((problem) => ({ problem }));
    return { inputs, results, details, short };
  };
  const first = await once(program);
  const found = { info: opened.info, ...first };
  if (journey.threads && second) found.threads = await onTwo(() => open(second), first, keys, program);
  if (journey.plain) found.plain = await plain(client, program);
  if (journey.shared)
    found.shared = await later('shared', () => ask(loom, createTask, program, journey, compiled, client, first, keep));
  if (journey.exchanged && pairOf(program))
    found.exchanged = await later('exchanged', () => exchange(compiled, restored, keys, program, first.inputs));
  if (journey.passed && program.next)
    found.passed = await later('passed', () => pass(loom, createTask, program, options, keep));
  if (!journey.again) return found;
  found.again = await once(backwards(program));
  // The one run's results with the other's inputs.
  const stale = { public: cellsIn(program, 'public'), inputs: found.again.inputs };
  found.stale = await restored.decryptDetails(first.results, stale).catch((error) => error);
  return found;
}

/** The same program over the cells of each input in reverse order. */
export function backwards(program) {
  const reversed = ({ options: { shape = [] }, cells, ...rest }) => {
    const list = ArrayBuffer.isView(cells) ? Array.from(cells) : flattened(cells).cells;
    return { ...rest, options: { ...rest.options, shape }, cells: nested(shape, list.toReversed()) };
  };
  return { ...program, inputs: program.inputs.map((input) => ({ ...reversed(input), options: input.options })) };
}

function given(program, place) {
  const lacking = program.inputs.filter((input) => input.lacking).map(({ name }) => name);
  const all = Object.entries(cellsIn(program, place)).filter(([name]) => !lacking.includes(name));
  const { surplus } = program;
  return Object.fromEntries(surplus?.place === place ? [...all, [surplus.name, 1]] : all);
}

const encryptedOf = (program) => given(program, 'encrypted');
const clearOf = (program) => ({ plain: given(program, 'plain'), public: given(program, 'public') });

/** By the client and data owners in turns, if there are any; all at once, or each for itself. */
async function encrypt(client, owners, cells, { apart }) {
  const everybody = [client, ...owners];
  const all = Object.entries(cells).map((cell, number) => ({ cell, who: everybody[number % everybody.length] }));
  const parts = apart
    ? all.map((one) => [one]).reverse()
    : everybody.map((who) => all.filter((one) => one.who === who));
  const inputs = {};
  for (const part of parts.filter(({ length }) => length > 0))
    Object.assign(inputs, await part[0].who.encrypt(Object.fromEntries(part.map(({ cell }) => cell))));
  return inputs;
}

async function runOnce(compiled, inputs, keys, program, { held }) {
  if (held.length === 0) return compiled.run(inputs, keys, clearOf(program));
  const names = held.map((index) => program.inputs[index]?.name);
  const parted = (all, stays) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name) === stays));
  const { plain, public: open } = clearOf(program);
  const options = (stays) => ({ plain: parted(plain, stays), public: parted(open, stays) });
  const stays = await compiled.hold(parted(inputs, true), keys, options(true));
  try {
    return await stays.run(parted(inputs, false), options(false));
  } finally {
    stays.dispose();
  }
}

async function restore(compiled, client, { restored }) {
  if (restored === 'no') return client;
  const evaluationKeys = restored === 'same keys' ? client.evaluationKeys : undefined;
  return compiled.restoreClient(await client.save(), { evaluationKeys });
}

/** Whether two threads give the same bytes. */
async function onTwo(open, { inputs, results }, keys, program) {
  const opened = await later('open on two threads', open);
  try {
    const again = await later('run on two threads', () => opened.run(inputs, keys, clearOf(program)));
    const names = Object.keys(results);
    const same = names.every((name) => Buffer.compare(results[name], again[name] ?? new Uint8Array()) === 0);
    return same && Object.keys(again).length === names.length;
  } finally {
    opened.dispose();
  }
}

/** Two inputs given for each other, which have each other's digits: results, or why there are none. */
async function exchange(compiled, client, keys, program, inputs) {
  const [a, b] = pairOf(program).map((number) => program.inputs[number].name);
  const given = { ...inputs, [a]: inputs[b], [b]: inputs[a] };
  const results = await compiled.run(given, keys, clearOf(program)).catch((refused) => ({ refused }));
  if (results.refused instanceof Error) return results;
  const options = { public: cellsIn(program, 'public'), inputs: given };
  return { details: await client.decryptDetails(results, options) };
}

/** A result on its way into another program, which has some of the inputs, too: those that were encrypted for it, and those for the first one. */
async function pass(loom, createTask, program, options, keep) {
  const tasks = [loom.task(), loom.task()];
  build(packageHost(tasks[0], createTask), program);
  build(packageHost(tasks[1], createTask, tasks[0]), program.next);
  const compiled = await loom.compileAll(tasks, options).catch((refused) => ({ refused }));
  if (compiled.refused) return compiled;
  const [first, second] = compiled.map(keep);
  const client = keep(await second.client());
  const holder = keep(await first.restoreClient(await client.save()));
  const inputs = await holder.encrypt(encryptedOf(program));
  const results = await first.run(inputs, holder.evaluationKeys, clearOf(program));
  const [taken, ...shared] = program.next.inputs;
  const once = async (rest) => {
    const given = { [taken.name]: results[taken.options.output], ...rest };
    return client.decryptDetails(await second.run(given, client.evaluationKeys));
  };
  const infos = [first.info, second.info];
  const details = await once(await client.encrypt(encryptedOf(program.next)));
  if (shared.length === 0) return { infos, details };
  const theirs = Object.fromEntries(shared.map(({ name }) => [name, inputs[name]]));
  return { infos, details, again: await once(theirs).catch((refused) => ({ refused })) };
}

/** Without encryption: outputs, or the error. */
function plain(client, program) {
  return client.plain(cellsIn(program, 'encrypted'), clearOf(program)).catch((problem) => ({ problem }));
}

/** One of the outputs alone, as another program under the parameters of the first, of the same ciphertexts; or why there is none. */
async function ask(loom, createTask, program, { compile }, compiled, client, { inputs }, keep) {
  const task = loom.task();
  const outputs = program.outputs.slice(-1);
  build(packageHost(task, createTask), { ...program, outputs });
  const other = await task.compile({ ...compile, parameters: compiled.info }).catch((error) => error);
  if (other instanceof Error) return { refused: other };
  keep(other);
  const holder = keep(await other.restoreClient(await client.save()));
  const results = await other.run(inputs, holder.evaluationKeys, clearOf(program));
  return { info: other.info, details: await holder.decryptDetails(results, { public: cellsIn(program, 'public') }) };
}

async function later(step, call) {
  try {
    return await call();
  } catch (error) {
    at(step, () => {
      throw error;
    });
  }
}
