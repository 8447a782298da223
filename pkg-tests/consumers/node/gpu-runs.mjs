// Runs on the GPU of this machine, which may have a fault, and on its processors, of graphs or of programs: what came of each, as JSON.
import * as cipherloom from 'cipherloom';
import { withFault } from './gpu/faults.mjs';
import { onGpu, programsOnGpu } from './gpu/work.mjs';

const { programs = false, fault, ...options } = JSON.parse(process.argv[2]);
const work = programs ? programsOnGpu : onGpu;
console.log(
  JSON.stringify(await (fault === undefined ? work(cipherloom, options) : withFault(cipherloom, fault, options))),
);
