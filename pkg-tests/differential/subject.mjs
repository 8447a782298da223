/** Programs through the package, with encryption and without: what it gives, or where and how it refuses. */

/** A call that was refused, and at which step of a program. */
class Refused extends Error {
  constructor(step, error) {
    super(`${step}: ${error.message}`, { cause: error });
    this.step = step;
  }
}

/** Without encryption: `{ refusal }` or `{ outputs }`. */
export function runPlain({ createTask, plainStatistics }, program) {
  return settled(() => {
    const task = createTask();
    build(task, program, createTask);
    // What it says of values is what `encrypt` says of them; a task without outputs is none to it, either.
    const step = program.outputs.length === 0 ? 'compile' : program.lacking === undefined ? 'encrypt' : 'run';
    return { outputs: at(step, () => plainStatistics(task, columnsOf(program))) };
  });
}

/**
 * Several programs as one task: `{ refusal }` or `{ outputs, info, promised, decrypted }`. The names of the k-th of
 * several begin with k and a space.
 */
export async function runEncrypted({ createTask }, loom, programs, journey) {
  const made = [];
  const keep = (thing) => (made.push(thing), thing);
  const run = async () => {
    const task = loom.task();
    const joined = join(programs);
    build(task, joined, createTask);
    const program = keep(await later('compile', () => task.compile(journey.compile)));
    const opened = journey.reopened ? keep(await later('reopen', () => loom.program(program.toBytes()))) : program;
    const client = keep(await later('client', () => opened.client()));
    const restored = keep(await later('restore', () => restore(program, client, journey)));
    const encrypting = journey.restored === 'same keys' ? restored : client;
    const once = async (columns) => {
      const inputs = await later('encrypt', () => encrypt(encrypting, columns, journey));
      const keys = journey.restored === 'new keys' ? restored.evaluationKeys : client.evaluationKeys;
      const results = await later('run', () => program.run(inputs, keys));
      return later('decrypt', () => decrypted(restored, results));
    };
    const { info } = opened;
    const first = await once(columnsOf(joined));
    const again = journey.again ? await once(columnsOf(backwards(joined))) : undefined;
    return { info, ...first, again };
  };
  const result = await settled(run);
  for (const thing of made) thing.dispose();
  return result;
}

/** The same program over the rows in reverse order. */
export function backwards(program) {
  return {
    ...program,
    inputs: program.inputs.map((input) => ({ ...input, values: Array.from(input.values).reverse() })),
  };
}

/** What the k-th of several programs calls its input or output. */
export function nameIn(programs, k, name) {
  return programs.length === 1 ? name : `${k} ${name}`;
}

/** Several programs as one. */
function join(programs) {
  if (programs.length === 1) return programs[0];
  const inputs = programs.flatMap(({ inputs }, k) =>
    inputs.map((input) => ({ ...input, name: nameIn(programs, k, input.name) })),
  );
  const joined = { inputs, nodes: [], outputs: [] };
  let before = 0;
  for (const [k, { inputs: own, nodes, outputs }] of programs.entries()) {
    const [inputsBefore, nodesBefore] = [before, inputs.length + joined.nodes.length];
    const moved = (operand) => (operand < own.length ? inputsBefore + operand : nodesBefore + operand - own.length);
    const argument = (arg) => ('operand' in arg ? { operand: moved(arg.operand) } : arg);
    joined.nodes.push(...nodes.map(({ on, method, args }) => ({ on: moved(on), method, args: args.map(argument) })));
    joined.outputs.push(
      ...outputs.map(({ name, operand }) => ({ name: nameIn(programs, k, name), operand: moved(operand) })),
    );
    before += own.length;
  }
  return joined;
}

/** Says a program to a task. */
function build(task, { inputs, nodes, outputs }, createTask) {
  const operands = [];
  for (const [index, { name, options }] of inputs.entries()) {
    operands.push(at(`input ${index}`, () => task.encrypted(name, options)));
  }
  const foreign = (on) => {
    const { rows, layout, rings } = operands[on];
    return createTask().encrypted('foreign', { rows, min: 0, max: 1, layout, ...(layout === 'slots' && { rings }) });
  };
  for (const [index, { on, method, args }] of nodes.entries()) {
    const given = args.map((arg) => (arg.foreign ? foreign(on) : 'operand' in arg ? operands[arg.operand] : arg.value));
    operands.push(at(`node ${index}`, () => operands[on][method](...given)));
  }
  for (const [index, { name, operand }] of outputs.entries()) {
    at(`output ${index}`, () => task.output(name, operands[operand]));
  }
}

function columnsOf({ inputs, lacking, surplus }) {
  const columns = Object.fromEntries(inputs.map(({ name, values }) => [name, values]));
  if (lacking !== undefined) delete columns[inputs[lacking].name];
  return surplus === undefined ? columns : { ...columns, [surplus]: [1] };
}

async function restore(program, client, { restored }) {
  if (restored === 'no') return client;
  const evaluationKeys = { 'same keys': client.evaluationKeys, 'new keys': undefined, 'to decrypt': [] }[restored];
  return program.restoreClient(await client.save(), { evaluationKeys });
}

/** All at once, or each for itself. */
async function encrypt(client, columns, { apart }) {
  if (!apart) return client.encrypt(columns);
  const inputs = {};
  for (const [name, values] of Object.entries(columns)) Object.assign(inputs, await client.encrypt({ [name]: values }));
  return inputs;
}

/** By both ways: the short one throws where an output has no value. */
async function decrypted(client, results) {
  const outputs = await client.decryptDetails(results);
  const short = await client.decrypt(results).catch((problem) => ({ problem }));
  return { outputs, short };
}

async function later(step, call) {
  try {
    return await call();
  } catch (error) {
    throw new Refused(step, error);
  }
}

function at(step, call) {
  try {
    return call();
  } catch (error) {
    throw new Refused(step, error);
  }
}

/** What a call gives, or `{ refusal: { step, error } }`; a promise of it, if the call gives one. */
function settled(call) {
  const refusal = (error) => {
    if (!(error instanceof Refused)) throw error;
    return { refusal: { step: error.step, error: error.cause } };
  };
  try {
    const result = call();
    return result instanceof Promise ? result.catch(refusal) : result;
  } catch (error) {
    return refusal(error);
  }
}
