/**
 * The audit log: every change, who made it, and the hash of the entry before. Whoever changes or drops an entry changes all hashes behind it; whoever
 * can write the whole table can make another chain, so keep its head (`head`) elsewhere, as backups do.
 */
import { createHash } from 'node:crypto';

const START = '0'.repeat(64);

/** The entry that follows on another one. */
export function entryAfter(last, { actor, action, subject, details }) {
  const entry = {
    seq: (last?.seq ?? 0) + 1,
    at: Date.now(),
    actor,
    action,
    subject,
    details: JSON.stringify(details),
    previous: last?.hash ?? START,
  };
  return { ...entry, hash: hashOf(entry) };
}

function hashOf({ seq, at, actor, action, subject, details, previous }) {
  const text = JSON.stringify([seq, at, actor, action, subject, details, previous]);
  return createHash('sha256').update(text).digest('hex');
}

/** Where a chain is broken first, or its head. Entries in order, from the first one on. */
export async function verifyChain(entries) {
  let previous = START;
  let seq = 0;
  for await (const entry of entries) {
    seq += 1;
    if (entry.seq !== seq || entry.previous !== previous || entry.hash !== hashOf(entry))
      return { intact: false, brokenAt: seq, head: previous };
    previous = entry.hash;
  }
  return { intact: true, entries: seq, head: previous };
}
