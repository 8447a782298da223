/** What can be done with files on this tab, an operator by some maps: a job's definition, its data, and how its rows are shown. */
import type { Loom } from 'cipherloom';
import type { Job, JobDefinition, Round, Row } from 'cipherloom/job';
import type { DataClient } from '../data/data-client.js';

export type MapName = Round['map'];

/** What a work may use. */
export interface Around {
  readonly data: DataClient;
  loom(): Promise<Loom>;
}

/** What it tells while it gets ready. */
export interface Hearing {
  readonly signal: AbortSignal;
  say(text: string): void;
}

/** How it is to be done. */
export interface Way {
  readonly map: MapName;
  /** Workers of kind `cpu`. */
  readonly workers: number;
  /** `TaskMap`: of each worker. */
  readonly threads: number;
}

/** A job that is ready to be loaded. */
export interface Prepared {
  readonly definition: JobDefinition;
  /** Tasks that are known of beforehand, if they are. */
  readonly expected?: number;
  /** Workers of kind `gpu`. */
  readonly gpu?: number;
  /** Something to know about it, in a sentence. */
  readonly note?: string;
  /** Brings the data in. */
  feed?(job: Job, hearing: Hearing): Promise<void>;
  /** What the visitor gets of what the job gave: decrypted, or as a picture. */
  finish?(rows: AsyncIterable<Row>, hearing: Hearing): Promise<readonly Row[]>;
  /** Which rows are shown first; without it, the first ones. */
  readonly before?: (a: Row, b: Row) => number;
  /** In words, for the order of rows. */
  readonly order?: string;
  readonly columns: readonly string[];
  /** A row as people read it: as many texts as there are columns. */
  cells(row: Row): readonly string[];
  /** What is shown beside the rows. */
  picture?(rows: readonly Row[]): HTMLElement;
  close?(): void;
}

export interface Work {
  /** Also what tests find it by. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** The maps that it goes by, each with what that means for it. */
  readonly ways: Readonly<Partial<Record<MapName, string>>>;
  /** Which files it is for. */
  takes(file: File, map: MapName): boolean;
  /** Why it cannot be done with these; undefined where it can. */
  problem(files: readonly File[], map: MapName): string | undefined;
  /** What there is to be said beside: fields, if there are any. */
  fields?(files: readonly File[], map: MapName): Promise<readonly HTMLElement[]>;
  /** Errors: what has to do with the files, in words. */
  prepare(files: readonly File[], hearing: Hearing, way: Way): Promise<Prepared>;
  /** Shows at its place what a run failed of, where it is known. */
  blame?(sentence: string | undefined): void;
}
