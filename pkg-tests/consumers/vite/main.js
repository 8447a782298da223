import * as cipherloom from 'cipherloom';
import { work } from './work.mjs';

async function read(name) {
  const response = await fetch(`./given/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

window.work = (options) => work(cipherloom, read, options);
