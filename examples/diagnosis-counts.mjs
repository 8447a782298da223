// How many patients of each region and age band have one diagnosis, of records that nobody but their owner sees. Run it after
// `npm run build`:
//   node examples/diagnosis-counts.mjs
import assert from 'node:assert/strict';
import { load } from 'cipherloom';

const REGIONS = ['north', 'east', 'south', 'west'];
const BANDS = [
  ['below 40', 0, 39],
  ['40 to 64', 40, 64],
  ['65 and above', 65, 110],
];
const DIAGNOSES = 6;
const ASKED = 4;
const patients = Array.from({ length: 2000 }, (_, i) => ({
  age: (i * i * 7 + 13 * i) % 111,
  region: REGIONS[(i * 5 + (i >> 3)) % REGIONS.length],
  diagnosis: (i * i + (i >> 2)) % DIAGNOSES,
}));

const loom = await load();
const task = loom.task();
const shape = [patients.length];
const age = task.encrypted('age', { shape, min: 0, max: 110 });
const region = task.encrypted('region', { kind: 'category', categories: REGIONS, shape });
const diagnosis = task.encrypted('diagnosis', { kind: 'category', categories: DIAGNOSES, shape });

const ill = diagnosis.equals(ASKED);
const regions = REGIONS.map((name) => region.equals(name).and(ill));
// A patient of a band is one who is not below it, and not above.
const below = BANDS.slice(1).map(([, from]) => age.lessThan(from));
const bands = [below[0], below[1].and(below[0].not()), below[1].not()];
for (const [at, name] of REGIONS.entries()) {
  for (const [band, [label]] of BANDS.entries())
    task.output(`${name}, ${label}`, regions[at].and(bands[band]).count());
}

const program = await task.compile(); // scheme, parameters and keys are chosen here
const client = await program.client(); // holds the secret key
const encrypted = await client.encrypt({
  age: patients.map(({ age }) => age),
  region: patients.map(({ region }) => region),
  diagnosis: patients.map(({ diagnosis }) => diagnosis),
});
const counts = await client.decrypt(await program.run(encrypted, client.evaluationKeys));
loom.dispose();

for (const name of REGIONS) {
  for (const [label, from, to] of BANDS) {
    const own = patients.filter((one) => one.region === name && one.diagnosis === ASKED);
    assert.equal(counts[`${name}, ${label}`], own.filter(({ age }) => age >= from && age <= to).length);
  }
  console.log(`${name}: ${BANDS.map(([label]) => `${counts[`${name}, ${label}`]} ${label}`).join(', ')}`);
}
console.log(`Counted under ${program.info.scheme} at n = ${program.info.n}.`);
