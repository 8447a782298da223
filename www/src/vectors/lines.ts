/** Texts as rows: lines of all of them, or each as a whole. */
import { linesOf, type Row } from 'cipherloom/job';
import { FileError, pathOf, piecesOf } from './files.js';
import { isUtf8Text } from './operators/texts.js';

/** Lines of texts, by "path, line 7", each with its path. Errors: FileError. */
export async function* linesIn(files: readonly File[]): AsyncGenerator<Row> {
  for (const file of files) {
    const path = pathOf(file);
    let number = 0;
    try {
      for await (const line of linesOf(piecesOf(file))) {
        number += 1;
        if (!isUtf8Text(line)) throw new Error(`line ${number} has bytes that are no text (UTF-8)`);
        yield [`${path}, line ${number}`, [path, line]];
      }
    } catch (error) {
      throw new FileError(file, error);
    }
  }
}

/** Errors: FileError. */
export async function textOf(file: File): Promise<string> {
  const text = await file.text().catch((error: unknown) => {
    throw new FileError(file, error);
  });
  if (!isUtf8Text(text)) throw new FileError(file, new Error('it has bytes that are no text (UTF-8)'));
  return text;
}
