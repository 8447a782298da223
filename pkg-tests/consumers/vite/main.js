import * as cipherloom from 'cipherloom';
import { activation } from './operators/activation.mjs';
import { bitonicSort } from './operators/bitonic-sort.mjs';
import { own } from './own.mjs';
import { work } from './work.mjs';

async function read(name) {
  const response = await fetch(`./given/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

window.work = (options) => work(cipherloom, read, options);
const operators = { activation, bitonicSort, reverse: new URL('./reverse.mjs', import.meta.url) };
window.own = (options) => own(cipherloom, operators, options);
