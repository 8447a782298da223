// Prints { milliseconds } from import to the first usable engine. Usage: load-time.mjs ours THREADS | peer
const [side, threads] = process.argv.slice(2);
const start = performance.now();
if (side === 'ours') {
  const { load } = await import('cipherloom');
  await load({ threads: Number(threads) });
} else {
  const { default: open } = await import('node-seal');
  await open();
}
console.log(JSON.stringify({ milliseconds: performance.now() - start }));
process.exit();
