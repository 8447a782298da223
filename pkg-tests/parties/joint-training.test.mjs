// Training under a key that three parties share, rows split and columns split, over a relay that reads everything: what crosses, what is decrypted, and by whom it is not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { approximation, createTask, load } from 'cipherloom';
import { inProcess, newRun, partyKeys, sealed } from 'cipherloom/parties';
import { parseTable } from 'cipherloom/table';

const HOSPITALS = ['north', 'south', 'west'];
const GROUP = { parties: HOSPITALS, threshold: 2 };
const [ROWS, WIDTH] = [569, 31];
const RATE = 1 / ROWS;
const [SCORE, WEIGHT] = [4 / RATE, 0.29 / RATE];
const GUESS = approximation((x) => 1 / (1 + Math.exp(-RATE * x)) - 0.5, {
  from: -SCORE,
  to: SCORE,
  degree: 3,
});

/** Two steps of gradient descent, on the sums of what all give. */
function training() {
  const task = createTask();
  const sum = (what, shape, bound) => {
    const options = { kind: 'real', shape, min: -bound, max: bound };
    const all = HOSPITALS.map((name) => task.encrypted(`${name}: ${what}`, options));
    return all.reduce((sum, one) => sum.add(one)).within(-bound, bound);
  };
  const records = sum('records', [ROWS, WIDTH], 1);
  const first = sum('labels', [ROWS], 0.5).matmul(records);
  const once = first.within(-WEIGHT, WEIGHT);
  const guesses = records.matmul(once).within(-SCORE, SCORE).approximate(GUESS);
  task.output('weights', once.add(first).sub(guesses.matmul(records)).within(-WEIGHT, WEIGHT));
  return task;
}

// ------------------------------------------------------------------------------- data, and the same in the clear

const file = readFileSync(new URL('../../data/breast-cancer-wisconsin.csv', import.meta.url), 'utf8');
const columns = parseTable(file).numeric.map(({ values }) => {
  const mean = values.reduce((sum, x) => sum + x, 0) / ROWS;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / ROWS);
  return Array.from(values, (x) => Math.max(-1, Math.min(1, (x - mean) / deviation / 2)));
});
const lines = file.trim().split('\n').slice(1);
const labels = lines.map((line) => (line.endsWith('malignant') ? 0.5 : -0.5));
const records = labels.map((_, row) => [...columns.map((column) => column[row]), 1]);

const dot = (x, y) => x.reduce((sum, cell, at) => sum + cell * y[at], 0);
const gradient = (errors) =>
  records[0].map((_, at) =>
    dot(
      errors,
      records.map((record) => record[at]),
    ),
  );
const once = gradient(labels);
const wanted = gradient(records.map((record, row) => 2 * labels[row] - GUESS.at(dot(record, once))));
/** As a user of the model counts. */
const right = (weights) => records.filter((record, row) => dot(record, weights) * labels[row] > 0).length;

/** What a hospital gives: its cells, and 0 elsewhere. */
const SPLITS = {
  rows: (at) => ({
    cell: (row) => Math.floor((3 * row) / ROWS) === at,
    label: (row) => Math.floor((3 * row) / ROWS) === at,
  }),
  columns: (at) => ({ cell: (_, column) => Math.floor((3 * column) / WIDTH) === at, label: () => at === 0 }),
};
function given(split, name) {
  const own = SPLITS[split](HOSPITALS.indexOf(name));
  return {
    [`${name}: records`]: records.map((record, row) => record.map((x, at) => (own.cell(row, at) ? x : 0))),
    [`${name}: labels`]: labels.map((label, row) => (own.label(row) ? label : 0)),
  };
}

// ---------------------------------------------------------------------------------------------- the wire

/** Looks for numbers of the table, and of the first step, in what crosses. */
class Wire {
  bytes = 0;
  found = [];
  #values;
  /** Whether one of them has these three first bytes, of the sign, the exponent, and the highest digits: few others are looked up. */
  #begins = new Uint8Array(2 ** 24);
  #texts;

  constructor(values) {
    this.#values = new Set(values.filter((x) => !isRound(x)));
    const view = new DataView(new ArrayBuffer(8));
    for (const x of this.#values) {
      view.setFloat64(0, x);
      this.#begins[view.getUint32(0) >>> 8] = 1;
    }
    this.#texts = [...this.#values].slice(0, 4).map((x) => Buffer.from(String(x).slice(0, 12)));
  }

  /** Doubles with both orders of bytes, at any place, and decimal digits. */
  look(where, bytes) {
    this.bytes += bytes.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at++) {
      // The first byte of all numbers between 2^-15 and 2, with either sign.
      const exponent = bytes[at] & 0x7f;
      if (exponent !== 0x3f && exponent !== 0x40) continue;
      const is = (first, second, third) => this.#begins[(first << 16) | (second << 8) | third] === 1;
      if (at >= 7 && is(bytes[at], bytes[at - 1], bytes[at - 2]) && this.#values.has(view.getFloat64(at - 7, true)))
        this.found.push(`${where}, ${at - 7}`);
      if (
        at + 8 <= bytes.length &&
        is(bytes[at], bytes[at + 1], bytes[at + 2]) &&
        this.#values.has(view.getFloat64(at))
      )
        this.found.push(`${where}, ${at}`);
    }
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const one of this.#texts) if (text.includes(one)) this.found.push(`${where}, text`);
  }
}

/** Whether half of a number's bytes are 0, as in what says how long something is: found somewhere, it is no sign of anything. */
function isRound(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getUint32(4) === 0;
}

/** How much smaller bytes become: two thirds of what a hospital gives are 0, and ciphertexts show nothing of it. */
const shrinks = (bytes) => 1 - deflateRawSync(bytes, { level: 1 }).length / bytes.length;

// ------------------------------------------------------------------------------------------------- tests

let loom;
let program;
let keys;
let wire;
const all = new Map();
/** All that anybody was asked to let out: who, to whom, what. */
const asked = [];
let made;
/** Of the rows split. */
let rows;

/** A protocol by these, over a relay that sees what is sealed and what is in it: what comes of it for each, an error too. */
async function meeting(names, work, { within = 300_000, who = all } = {}) {
  const [hub, run] = [inProcess(), newRun()];
  const ends = await Promise.all(
    names.map(async (name) => {
      const own = hub.join(name);
      const seen = {
        listen: own.listen,
        close: own.close,
        send: (to, bytes) => {
          wire.look(`${name} to ${to}, sealed`, bytes);
          return own.send(to, bytes);
        },
      };
      const others = Object.fromEntries(
        Object.entries(keys)
          .filter(([other]) => other !== name)
          .map(([other, { publicKey }]) => [other, publicKey]),
      );
      return sealed(seen, { party: name, run, keys: keys[name], others });
    }),
  );
  try {
    return await Promise.allSettled(
      names.map((name, at) => {
        const end = ends[at];
        const transport = {
          listen: (hear) => end.listen(hear),
          close: () => end.close(),
          send: (to, bytes) => {
            wire.look(`${name} to ${to}`, bytes);
            return end.send(to, bytes);
          },
        };
        const approve = (leaves) => {
          for (const { to, producer, of } of leaves) asked.push({ name, to, producer, of });
          return true;
        };
        return work(who.get(name), { transport, run, approve, timeout: within }, name);
      }),
    );
  } finally {
    ends.forEach((end) => end.close());
  }
}

const valuesOf = (settled) =>
  settled.map(({ status, value, reason }) => {
    if (status === 'rejected') throw reason;
    return value;
  });
const codesOf = (settled) => settled.map(({ reason }) => reason?.code);

before(async () => {
  loom = await load({ threads: 2 });
  wire = new Wire([...records.flat(), ...once]);
  const names = [...HOSPITALS, 'cloud'];
  keys = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await partyKeys()])));
  const options = { parties: 3, releases: { count: 8, statisticalBits: 20 }, precision: 8 };
  program = await loom.compile(training(), options);
  for (const name of names) all.set(name, await program.party(name, GROUP));
});
after(() => {
  for (const party of all.values()) party.dispose();
  loom?.dispose();
});

test('the wire finds numbers where they are', () => {
  const own = new Wire([...records.flat(), ...once]);
  own.look('doubles', new Uint8Array(Float64Array.from([1, records[7][3]]).buffer));
  own.look('a step', new Uint8Array(Float64Array.from(once).buffer));
  own.look('text', Buffer.from(JSON.stringify(records[0])));
  assert.ok(['doubles', 'a step', 'text'].every((what) => own.found.some((one) => one.startsWith(what))));
});

test('keys are made by two of three', { timeout: 600_000 }, async () => {
  valuesOf(await meeting(HOSPITALS, (party, meet) => party.deal(meet)));
  const active = ['north', 'south'];
  const found = await meeting([...active, 'cloud'], (party, meet) => party.makeKeys({ ...meet, active, hub: 'cloud' }));
  made = valuesOf(found)[2];
  assert.ok(asked.every(({ of }) => /^(key_share|polys?)\[/.test(of)));
});

/** Results for either split, and the weights by these. */
async function trained(split, active) {
  const uploads = {};
  for (const name of HOSPITALS) {
    // Holds the public key alone.
    const owner = await program.owner(made.publicKey);
    Object.assign(uploads, await owner.encrypt(given(split, name)));
    owner.dispose();
  }
  for (const [name, bytes] of Object.entries(uploads)) {
    wire.look(`upload of ${name}`, bytes);
    assert.ok(shrinks(bytes) < 0.03, `${name} shrinks by ${shrinks(bytes)}`);
  }
  const sizes = (what) => HOSPITALS.map((name) => uploads[`${name}: ${what}`].length - name.length);
  for (const what of ['records', 'labels']) assert.equal(new Set(sizes(what)).size, 1, 'sizes tell nothing');
  const results = await program.run(uploads, made.evaluationKeys);
  assert.deepEqual(Object.keys(results), ['weights']);
  wire.look('result', results.weights);

  asked.length = 0;
  const settled = await meeting(active, (party, meet) =>
    party.decrypt(results, { ...meet, publicKey: made.publicKey, active }),
  );
  const outputs = valuesOf(settled);
  // One share each, to each other one, of one result.
  assert.equal(asked.length, active.length * (active.length - 1));
  assert.ok(asked.every(({ producer, of }) => producer === 'joint.decryption_share' && /^poly\[/.test(of)));
  for (const output of outputs) assert.deepEqual(Object.keys(output), ['weights']);
  return { uploads, results, outputs };
}

for (const [split, active] of [
  ['rows', HOSPITALS],
  ['columns', ['south', 'west']],
]) {
  test(`${split} split: the model of training in the clear, and nothing else`, { timeout: 600_000 }, async () => {
    const before = await Promise.all(HOSPITALS.map((name) => all.get(name).released()));
    const run = await trained(split, active);
    if (split === 'rows') rows = run;
    const { outputs } = run;
    const [{ weights }, ...others] = outputs;
    for (const other of others) assert.deepEqual(other.weights, weights);
    const error = Math.max(...weights.map((weight, at) => Math.abs(weight - wanted[at])));
    assert.ok(error <= 2 ** program.info.ciphertexts[0].errorBits, `off by ${error}`);
    assert.ok(Math.abs(right(weights) - right(wanted)) <= 2 && right(weights) > 0.93 * ROWS);
    const counted = await Promise.all(HOSPITALS.map((name) => all.get(name).released()));
    const expected = HOSPITALS.map((name, at) => before[at] + (active.includes(name) ? 1 : 0));
    assert.deepEqual(counted, expected);
    assert.deepEqual(wire.found, []);
  });
}

test(
  'nothing is decrypted but results, and by those alone who are enough and agree',
  { timeout: 600_000 },
  async () => {
    const { publicKey } = made;
    const { uploads, results } = rows;
    const decrypt = (active, of = results, more = {}) =>
      meeting(active, (party, meet) => party.decrypt(of, { ...meet, publicKey, active }), more);

    // Bytes say what they are: what was encrypted is no result, whatever it is called.
    const input = { weights: uploads['north: records'] };
    for (const code of codesOf(await decrypt(['south', 'west'], input))) assert.equal(code, 'input.unknown');
    assert.deepEqual(codesOf(await decrypt(['south'])), ['party.shared']);

    // One who does not want to: nothing of it leaves, and the other one hears of nothing.
    const active = ['south', 'west'];
    const counted = await all.get('west').released();
    const refused = await meeting(
      active,
      (party, meet, name) => {
        const approve = name === 'west' ? () => false : meet.approve;
        return party.decrypt(results, { ...meet, approve, publicKey, active });
      },
      { within: 3_000 },
    );
    assert.deepEqual(codesOf(refused), ['party.timeout', 'party.refused']);
    assert.equal(refused[0].reason.details.party, 'west');
    assert.equal(await all.get('west').released(), counted);

    // Those who do not agree on who takes part.
    const apart = await meeting(active, (party, meet, name) =>
      party.decrypt(results, { ...meet, publicKey, active: name === 'south' ? active : HOSPITALS }),
    );
    assert.deepEqual(codesOf(apart), ['party.graph', 'party.graph']);

    // Shares of another key, made by people of the same names.
    const strangers = new Map();
    try {
      for (const name of HOSPITALS) strangers.set(name, await program.party(name, GROUP));
      valuesOf(await meeting(HOSPITALS, (party, meet) => party.deal(meet), { who: strangers }));
      const mixed = new Map([...all, ['west', strangers.get('west')]]);
      for (const { status, value } of await decrypt(active, results, { who: mixed })) {
        if (status === 'rejected') continue;
        const near = value.weights.filter((weight, at) => Math.abs(weight - wanted[at]) < WEIGHT);
        assert.ok(near.length <= 1, `${near.length} weights by a share of another key`);
      }
    } finally {
      for (const party of strangers.values()) party.dispose();
    }
    assert.deepEqual(wire.found, []);
    assert.ok(wire.bytes > 1e9);
  },
);
