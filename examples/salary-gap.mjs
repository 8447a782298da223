// The mean salary of women and men in each department, of salaries and sexes that nobody but their owner sees. Run it after
// `npm run build`:
//   node examples/salary-gap.mjs
import assert from 'node:assert/strict';
import { load } from 'cipherloom';

const DEPARTMENTS = ['research', 'sales', 'support'];
const people = Array.from({ length: 240 }, (_, i) => {
  const woman = (i * i + i) % 7 < 3;
  const salary = 3000 + ((i * i * 31 + i * 17) % 1500) + (woman ? 0 : 250) + 0.25 * (i % 4);
  return { department: DEPARTMENTS[i % 3], woman, salary };
});

const loom = await load();
const task = loom.task();
const salary = task.encrypted('salary', { shape: [people.length], min: 0, max: 20_000, decimals: 2 });
const woman = task.encrypted('woman', { kind: 'boolean', shape: [people.length] });
// Who works where is no secret: a row of booleans for each department, which the server has.
const works = task.plain('works', { kind: 'boolean', shape: [DEPARTMENTS.length, people.length] });

const groups = { women: woman, men: woman.not() };
for (const [at, name] of DEPARTMENTS.entries()) {
  for (const [group, belongs] of Object.entries(groups)) {
    const counted = works.at(at).and(belongs);
    // Sums are computed on ciphertexts; the division of two sums is the client's.
    task.output(`${name}, ${group}`, salary.multiply(counted).sum().divide(counted.sum()));
  }
}

const program = await task.compile(); // scheme, parameters and keys are chosen here
const client = await program.client(); // holds the secret key
const encrypted = await client.encrypt({
  salary: people.map(({ salary }) => salary),
  woman: people.map(({ woman }) => woman),
});
const plain = { works: DEPARTMENTS.map((name) => people.map(({ department }) => department === name)) };
const means = await client.decrypt(await program.run(encrypted, client.evaluationKeys, { plain }));
loom.dispose();

for (const name of DEPARTMENTS) {
  for (const group of Object.keys(groups)) {
    const own = people.filter((one) => one.department === name && one.woman === (group === 'women'));
    const cents = own.reduce((sum, { salary }) => sum + Math.round(100 * salary), 0);
    // Sums are exact, and the mean is rounded once.
    assert.equal(means[`${name}, ${group}`], cents / (100 * own.length));
  }
  const gap = means[`${name}, men`] - means[`${name}, women`];
  console.log(
    `${name}: men earn ${gap.toFixed(2)} more, by means of ${program.info.scheme} at n = ${program.info.n}`,
  );
}
