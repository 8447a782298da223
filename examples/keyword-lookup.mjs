// The price of a medicine out of a list of 10,000, without telling who has the list which one: a look-up by an encrypted name, that says as well
// whether the name is in the list. Run it after `npm run build`:
//   node examples/keyword-lookup.mjs
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { load } from 'cipherloom';

const ENTRIES = 10_000;
/** Of a code, of 16 values each: more digits of fewer values make a larger query, fewer of more values a slower comparison. */
const DIGITS = 8;
const SYLLABLES = 'ba ce di fo gu ka le mi no pu ra se ti vo xu za bri cla dro fle gri pra'.split(' ');
const names = Array.from({ length: ENTRIES }, (_, i) =>
  [i % 22, Math.trunc(i / 22) % 22, Math.trunc(i / 484)].map((at) => SYLLABLES[at]).join(''),
);
const prices = names.map((_, i) => (((i * 7919) % 9900) + 100) / 100);

// Names of any length become codes of one length. The seed is public, and such that no two names of the list have one code; a name that is not in it
// has one of theirs once in 430,000 times.
let seed = 0;
while (new Set(names.map((name) => code(name).join())).size < ENTRIES) seed++;

const loom = await load();
const task = loom.task();
const digits = { kind: 'category', categories: 16 };
const asked = task.encrypted('asked', { ...digits, shape: [DIGITS] });
const codes = task.plain('codes', { ...digits, shape: [ENTRIES, DIGITS] });
const list = task.plain('prices', { shape: [ENTRIES], min: 0, max: 100, decimals: 2 });
// The entry of which all digits are as asked; there is one, or none.
const same = codes.equals(asked).sum(1).equals(DIGITS);
task.output('found', same.sum());
task.output('price', same.multiply(list).sum());

const program = await task.compile(); // scheme, parameters and keys are chosen here
const client = await program.client(); // holds the secret key
const plain = { codes: names.map(code), prices };
for (const [name, found, price] of [
  [names[4321], 1, prices[4321]],
  ['aspirin', 0, 0],
]) {
  const encrypted = await client.encrypt({ asked: code(name) });
  const results = await program.run(encrypted, client.evaluationKeys, { plain });
  assert.deepEqual(await client.decrypt(results), { found, price });
}
loom.dispose();

const { scheme, n } = program.info;
console.log(
  `Of ${ENTRIES} medicines ${names[4321]} is ${prices[4321]}, aspirin is none; ${scheme} at n = ${n}.`,
);

/** The first digits of a hash of a name. */
function code(name) {
  const hash = createHash('sha256').update(`${seed} ${name}`).digest('hex');
  return Array.from(hash.slice(0, DIGITS), (digit) => parseInt(digit, 16));
}
