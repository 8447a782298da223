// Operators of the tests of clusters.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Takes a while, so that workers die in the middle of it. */
export async function slowly([key, value], { emit, log }) {
  await sleep(20);
  if (key % 50 === 0) log(`row ${key}`);
  emit(key % 7, value * value);
}
/** The same at once. */
export function quickly([key, value], { emit }) {
  emit(key % 7, value * value);
}
export const square = ([, value]) => value * value;
export const add = (_, a, b) => a + b;

/** Of a worker that was told to, much slower than others. */
export async function slowHere([, value]) {
  await sleep(process.env.CLUSTER_TEST_SLOW ? 600_000 : 30);
  return value + 1;
}
export async function soon([, value]) {
  await sleep(20);
  return value;
}
export async function long([, value]) {
  await sleep(200);
  return value;
}
export function forEver() {
  for (;;);
}
export const fails = ([key, value]) => {
  if (key === 5) throw new Error('five is not to my taste');
  return value;
};
/** Ends the whole process that its thread belongs to: once, or each time. */
export function killsOnce([key, value]) {
  const mark = process.env.CLUSTER_TEST_MARK;
  if (key === 3 && !existsSync(mark)) {
    writeFileSync(mark, '');
    process.kill(process.pid, 'SIGKILL');
  }
  return value;
}
export function kills([key, value]) {
  if (key === 3) process.kill(process.pid, 'SIGKILL');
  return value;
}
/** Writes down who was called when. While a file beside that says how many may be, the last of these and all after it go on no further. */
export async function told([key, value]) {
  const mark = process.env.CLUSTER_TEST_MARK;
  appendFileSync(mark, `${value}\n`);
  await sleep(30);
  const isHeld = () => {
    const most = contentOf(`${mark}.most`);
    return most !== '' && contentOf(mark).split('\n').length > Number(most);
  };
  while (isHeld()) await sleep(10);
  return key;
}
function contentOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
/** Of `DirMap`. */
export const size = ([, file]) => file.size;
/** Computes for a few microseconds. */
export function work([, value]) {
  let sum = 0;
  for (let i = 1; i < 500; i++) sum += Math.sqrt(value + i) / i;
  return sum;
}
export async function slowSize([, file]) {
  await sleep(1500);
  return file.size;
}
