/**
 * A program and its settings in an address, behind `#`, which no server is told. Never data, never keys: what is written is what
 * stands in `Shared`, and nothing else is read.
 *
 * The form: `#playground?p=`, base64url of raw DEFLATE (RFC 1951) of JSON.
 */
import { type Choice, choiceOf } from './settings.js';

export interface Shared {
  readonly text: string;
  readonly choice: Choice;
}

/** A link that cannot be read. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

const PREFIX = '#playground?p=';
/** Letters of a program, and of an address: a short link must not unpack to more than a person would read. */
export const LONGEST = { text: 200_000, hash: 300_000 } as const;

/** Errors: LinkError for a program that is too long, or a link. */
export async function hashOf({ text, choice }: Shared): Promise<string> {
  if (text.length > LONGEST.text)
    throw new LinkError(`The program has ${text.length} letters: a link takes ${LONGEST.text}`);
  const bytes = new TextEncoder().encode(JSON.stringify({ text, choice }));
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const hash = PREFIX + base64url(new Uint8Array(await new Response(packed).arrayBuffer()));
  if (hash.length > LONGEST.hash)
    throw new LinkError(`The link would have ${hash.length} letters: expected ${LONGEST.hash} at most`);
  return hash;
}

/** Undefined for an address without a program. Errors: LinkError for one that cannot be read. */
export async function sharedOf(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(PREFIX)) return undefined;
  if (hash.length > LONGEST.hash)
    throw new LinkError(`The link has ${hash.length} letters: expected ${LONGEST.hash} at most`);
  let said: unknown;
  try {
    said = JSON.parse(await unpacked(fromBase64url(hash.slice(PREFIX.length))));
  } catch (cause) {
    if (cause instanceof LinkError) throw cause;
    throw new LinkError('The link cannot be read: was all of it copied?', { cause });
  }
  const text = typeof said === 'object' && said !== null && 'text' in said ? said.text : undefined;
  if (typeof text !== 'string') throw new LinkError('The link has no program');
  return { text, choice: choiceOf((said as { choice?: unknown }).choice) };
}

/** Text of bytes that were packed; it is not unpacked further than may be. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    // JSON writes a letter as six at most.
    if (text.length > 6 * LONGEST.text + 1000) {
      await reader.cancel();
      throw new LinkError(`The link unpacks to more than ${LONGEST.text} letters`);
    }
  }
}

function base64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
