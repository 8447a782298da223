import * as cipherloom from 'cipherloom';
import { activation } from './operators/activation.mjs';
import { bitonicSort } from './operators/bitonic-sort.mjs';
import { own } from './own.mjs';

const operators = { activation, bitonicSort, reverse: new URL('./reverse.mjs', import.meta.url) };
console.log(JSON.stringify(await own(cipherloom, operators)));
