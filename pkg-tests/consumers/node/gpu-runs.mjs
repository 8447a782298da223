// Runs of graphs on the GPU of this machine, which may have a fault, and on its processors: what came of each, as JSON.
import * as cipherloom from 'cipherloom';
import { withFault } from './gpu/faults.mjs';
import { onGpu } from './gpu/work.mjs';

const { fault, ...options } = JSON.parse(process.argv[2]);
const found = fault === undefined ? onGpu(cipherloom, options) : withFault(cipherloom, fault, options);
console.log(JSON.stringify(await found));
