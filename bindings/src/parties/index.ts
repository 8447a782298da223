/**
 * What parties of a shared graph need to meet: `cipherloom/parties`.
 *
 * @module cipherloom/parties
 */
export { inProcess } from './transports/process.js';
export type { Hub } from './transports/process.js';
export { overPorts } from './transports/port.js';
export type { PortLike } from './transports/port.js';
export { overBroadcast } from './transports/broadcast.js';
export { createNatsStream, natsPermissions, overNats } from './transports/nats.js';
export type { NatsOptions, NatsStreamLimits, NatsTransportOptions } from './transports/nats.js';
export type { NatsLibraries } from './transports/nats-libraries.js';
export { partyKeys, sealed } from './sealed.js';
export type { PartyKeys, SealedOptions } from './sealed.js';
export { introduce } from './introduce.js';
export type { IntroduceOptions, Introduction } from './introduce.js';
export { inIndexedDB } from './indexed-db.js';
export type { BrowserStore } from './indexed-db.js';
export { inFolder, inMemory } from './stores.js';
export { keptRandom } from './kept.js';
export { newRun } from './run.js';
export { freshSeeds, keptSeeds } from './seeds.js';
export { shares } from './shares/index.js';
export type * from './shares/types.js';
export type * from './types.js';
