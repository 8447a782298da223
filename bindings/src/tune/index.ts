/**
 * The best implementation of every operator: records, measuring, a client, explorers. `cipherloom/tune`.
 *
 * @module cipherloom/tune
 */
export { operatorKey, keyText, readKey } from './key.js';
export type { OperatorKey, OperatorKeyParts } from './key.js';
export { bestOfEach, checkRecord, fastest, KINDS, signedText } from './record.js';
export type { Best, Explorer, Implementation, Kind, TuneRecord, UnsignedRecord, Verify } from './record.js';
export { canonicalJson } from './canonical.js';
export type { Json } from './canonical.js';
export { beats, measure, summary, winner } from './measure.js';
export type { Candidate, Measured, MeasureOptions } from './measure.js';
export { deviceClass } from './device-class.js';
export type { DeviceTraits } from './device-class.js';
export { checkSigned, newExplorerKeys, openExplorerKeys, saveExplorerKeys, signRecord } from './sign.js';
export type { ExplorerKeys } from './sign.js';
export { consented, hashOf } from './consent.js';
export type { Choice, Consent, Runnable } from './consent.js';
export { tuneClient } from './client.js';
export type { Hit, TuneClient, TuneClientCounts, TuneClientOptions } from './client.js';
export { memoryCache } from './caches/memory.js';
export { sqliteCache } from './caches/sqlite.js';
export { indexedDbCache } from './caches/indexed-db.js';
export type { TuneCache } from './caches/types.js';
export { coOccurrence } from './predict/co-occurrence.js';
export type { CoOccurrenceOptions } from './predict/co-occurrence.js';
export { skipGram } from './predict/skip-gram.js';
export type { SkipGramOptions } from './predict/skip-gram.js';
export type { Predictor, PredictorState } from './predict/types.js';
export { runExplorer } from './explore.js';
export type { ExplorerEvent, ExplorerOptions } from './explore.js';
