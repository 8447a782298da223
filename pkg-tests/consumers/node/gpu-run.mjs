// The suite of shaders on the GPU of this machine, if it has one: what came of it, as JSON.
import { load } from 'cipherloom';

const loom = await load({ threads: 1 });
try {
  const { passed, cases, platforms } = await loom.conformance({ platforms: ['gpu'] });
  const [{ device, operators, failed }] = platforms;
  console.log(JSON.stringify({ passed, cases, device, failed, operators: operators.map(({ name }) => name) }));
} catch ({ name, code, message }) {
  console.log(JSON.stringify({ name, code, message }));
}
loom.dispose();
