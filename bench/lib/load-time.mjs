// Prints { milliseconds } from import to the first usable engine. Usage: load-time.mjs ours THREADS | inline | peer
const [side, threads] = process.argv.slice(2);
const start = performance.now();
if (side === 'ours') {
  const { load } = await import('cipherloom');
  await load({ threads: Number(threads) });
} else if (side === 'inline') {
  const { load } = await import('cipherloom');
  await load({ workers: false });
} else {
  const { default: open } = await import('node-seal');
  await open();
}
console.log(JSON.stringify({ milliseconds: performance.now() - start }));
process.exit();
