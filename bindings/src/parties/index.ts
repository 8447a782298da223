/** What parties of a shared graph need to meet: `cipherloom/parties`. */
export { inProcess } from './transports/process.js';
export type { Hub } from './transports/process.js';
export { overPorts } from './transports/port.js';
export type { PortLike } from './transports/port.js';
export { overBroadcast } from './transports/broadcast.js';
export { newRun } from './run.js';
export type * from './types.js';
