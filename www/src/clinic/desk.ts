/** What the parts of the clinic's tab share: the client, who is signed in, what is known of the service, and one place for failures. */
import type { Loom, Program } from 'cipherloom';
import type { ServiceClient } from './service.js';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** As the service's README has them. */
export interface StoredRecord {
  readonly id: string;
  readonly program: string;
  readonly key: string;
  readonly label: string;
  readonly created: number;
  readonly owner: string;
  /** Of those that others grant. */
  readonly use?: 'ask' | 'read';
  readonly allowed?: string;
}

export interface Question {
  readonly id: string;
  readonly asker: string;
  readonly holder: string;
  readonly program: string;
  readonly records: readonly string[];
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly attempt: number;
  readonly done: number;
  readonly total: number;
  readonly created: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly outputs?: Readonly<Record<string, string>>;
}

export interface KeySet {
  readonly id: string;
  readonly holder: string;
  readonly program: string;
  readonly publicKey?: string;
  readonly state: string;
}

export interface KeyRequest {
  readonly id: string;
  readonly requester: string;
  readonly holder: string;
  readonly program: string;
  readonly state: 'open' | 'answered' | 'declined';
  readonly key?: string;
}

export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly action: string;
  readonly subject: string;
  readonly details: string;
}

/** What the service said last. */
export interface Known {
  readonly users: readonly User[];
  readonly programs: ReadonlyMap<string, { readonly id: string; readonly name: string }>;
  readonly records: readonly StoredRecord[];
  readonly questions: readonly Question[];
  readonly keys: readonly KeySet[];
  readonly requests: readonly KeyRequest[];
  readonly entries: readonly Entry[];
}

export const NOTHING: Known = {
  ...{ users: [], programs: new Map(), records: [], questions: [], keys: [], requests: [], entries: [] },
};

export interface Desk {
  readonly client: ServiceClient;
  readonly loom: Loom;
  readonly user: User | undefined;
  readonly known: Known;
  /** Does something, and tells in words what went wrong; undefined then. */
  attempt<T>(during: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Asks the service anew. */
  refresh(): Promise<void>;
  /** Draws the lists anew. */
  redraw(): void;
}

/**
 * Puts children into a place. What had the focus (`data-focus`) keeps it; where it is gone, such as a button that has nothing left to cancel, the next one of its item (`data-item`) has it,
 * or else the place.
 */
export function put(place: HTMLElement, ...children: readonly (Node | string)[]): void {
  const { activeElement } = document;
  const focused =
    activeElement instanceof HTMLElement && place.contains(activeElement) ? activeElement : undefined;
  const name = focused?.dataset['focus'];
  const item = focused?.closest<HTMLElement>('[data-item]')?.dataset['item'];
  place.replaceChildren(...children);
  if (focused === undefined) return;
  const find = (selector: string): HTMLElement | null => place.querySelector<HTMLElement>(selector);
  const same = name === undefined ? null : find(`[data-focus="${CSS.escape(name)}"]`);
  const next = item === undefined ? null : find(`[data-item="${CSS.escape(item)}"] :is(button, input)`);
  place.tabIndex = -1;
  (same ?? next ?? place).focus();
}

export function nameOf(known: Known, id: string): string {
  return known.users.find((user) => user.id === id)?.name ?? 'somebody who left';
}

/** What a program computes, as people read it. */
export function outputsOf(program: Program): string {
  return program.info.outputs.map(({ name }) => name).join(', ');
}

/** The first digits of a SHA-256, in groups, for comparing by telephone. */
export function spoken(sha: string): string {
  return sha.slice(0, 24).match(/.{4}/g)!.join(' ');
}
