// Which of a server's places are nearest to where somebody is, without telling the server where that is: squared distances to all of
// them, from one encrypted point. Run it after `npm run build`:
//   node examples/nearest.mjs
import assert from 'node:assert/strict';
import { load } from 'cipherloom';

const places = Array.from({ length: 500 }, (_, i) => [(i * 7919) % 10_000, (i * 104_729) % 10_000]);
const here = [4321, 8765];

const loom = await load();
const task = loom.task();
const point = task.encrypted('here', { shape: [2], min: 0, max: 10_000 });
const all = task.plain('places', { shape: [places.length, 2], min: 0, max: 10_000 });
// The point is repeated for each place, as shapes ask for.
task.output('distances', all.sub(point).square().sum(1));

const program = await task.compile();
const client = await program.client();
const encrypted = await client.encrypt({ here });
const results = await program.run(encrypted, client.evaluationKeys, { plain: { places } });
const { distances } = await client.decrypt(results);
loom.dispose();

const expected = places.map(([x, y]) => (x - here[0]) ** 2 + (y - here[1]) ** 2);
assert.deepEqual(distances, expected);
const order = distances.map((_, place) => place).sort((a, b) => distances[a] - distances[b]);
const nearest = order.slice(0, 3).map((place) => `${place} (${Math.sqrt(distances[place]).toFixed(1)} away)`);
console.log(`The nearest of ${places.length} places: ${nearest.join(', ')}.`);
