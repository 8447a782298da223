/** Gives the visitor a file. */
import { h } from './dom.js';

/** Milliseconds after which a file's address is given up: some browsers start to read it late. */
const KEPT = 60_000;

/** What a name of a file had better not have becomes a dash. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h('a', { href: address, download: name.replace(/[^\w.-]+/g, '-') }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}
