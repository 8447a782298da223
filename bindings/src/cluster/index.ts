/**
 * `cipherloom/cluster`: jobs over vectors on many machines. Node only.
 *
 * @module cipherloom/cluster
 */
export { cluster } from './crew.js';
export type { ClusterCrew, ClusterState } from './crew.js';
export type { ClusterOptions } from './options.js';
export { clusterWorker } from './worker.js';
export type { ClusterWorker, ClusterWorkerOptions } from './worker.js';
export { folderStore } from './folder-store.js';
export type { FolderStoreOptions } from './folder-store.js';
export { redisStore } from './redis-store.js';
export type { RedisStoreOptions } from './redis-store.js';
export { s3Store } from './s3-store.js';
export type { S3StoreOptions } from './s3-store.js';
export type { SharedStore } from './shared-store.js';
export { readAllowed } from './allow.js';
export type { RedisOptions } from './redis.js';
export type { Speculation } from './speculation.js';
export type { WorkerInfo } from './messages.js';
export type { Crew, Hearing, Task, TaskResult } from '../job/work.js';
export type { Ref, Store } from '../job/store.js';
