/** Reads files, away from the page's thread. */
import { CipherloomError } from 'cipherloom';
import type { Reply, Request } from './messages.js';
import { readTable, UnreadableFile } from './read-table.js';

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  void answer(data).then((reply) => postMessage(reply));
});

async function answer({ id, file, options }: Request): Promise<Reply> {
  try {
    return { id, value: await readTable(new Uint8Array(file), options) };
  } catch (error) {
    const known = error instanceof CipherloomError || error instanceof UnreadableFile;
    const details = error instanceof CipherloomError ? error.details : {};
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: known ? error.code : undefined, message, details } };
  }
}
