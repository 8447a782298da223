// What every consumer does, in Node and in pages.

const AGES = [34, 71, 28, 45, 62, 19, 53, 40];

/**
 * Starts the package with `options`, computes a mean and a product of its own from keys to decryption, a product in a graph of its own,
 * and runs the given program on the given ciphertexts, which `read(name)` fetches. Gives the mode, the mean, the products, and the
 * results' digests; or the code of the error where `load` refuses.
 */
export async function work({ load, f64 }, read, options) {
  let loom;
  try {
    loom = await load(options);
  } catch (error) {
    return { error: error.code };
  }
  try {
    return {
      mode: loom.mode,
      ...(await meanAndSquares(loom)),
      product: await product(loom, f64),
      outputs: await givenOutputs(loom, read),
    };
  } finally {
    loom.dispose();
  }
}

/** The mean that `work` must find. */
export const MEAN = AGES.reduce((sum, age) => sum + age, 0) / AGES.length;

/** The products that `work` must find, of what is encrypted and in a graph: AGES times AGES. */
export const PRODUCT = AGES.reduce((sum, age) => sum + age * age, 0);

async function meanAndSquares(loom) {
  const task = loom.task();
  const ages = task.encrypted('ages', { shape: [AGES.length], min: 0, max: 120 });
  task.output('mean', ages.mean());
  task.output('squares', ages.dot(ages));
  const program = await task.compile();
  const client = await program.client();
  const results = await program.run(await client.encrypt({ ages: AGES }), client.evaluationKeys);
  return client.decrypt(results);
}

async function product(loom, f64) {
  const graph = loom.graph();
  const row = graph.input('row', f64(1, AGES.length));
  const column = graph.view(row, f64(AGES.length, 1));
  graph.output('product', graph.op('f64.matmul', [row, column]));
  return (await graph.run({ row: Float64Array.from(AGES) })).product[0];
}

async function givenOutputs(loom, read) {
  const list = JSON.parse(new TextDecoder().decode(await read('list.json')));
  const program = await loom.program(await read('program'));
  const keys = await Promise.all(Array.from({ length: list.keys }, (_, index) => read(`key-${index}`)));
  const inputs = {};
  for (const name of list.inputs) inputs[name] = await read(`input-${name}`);
  const digests = {};
  for (const [name, bytes] of Object.entries(await program.run(inputs, keys))) digests[name] = await digest(bytes);
  return digests;
}

/** SHA-256 in hexadecimal. */
export async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
