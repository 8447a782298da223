/** Files that the visitor gave: where they come from, and which are tables. */

/** Something is wrong with a file. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly path: string;

  constructor(file: File, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.path = pathOf(file);
  }
}

/** Whether a file is a table by its name: what is no table is taken for a text. */
export function isTable({ name, type }: File): boolean {
  return /\.(csv|tsv)$/i.test(name) || type === 'text/csv';
}

/** Path of a file within what was given. */
export function pathOf(file: File): string {
  return file.webkitRelativePath || file.name;
}

/** Files by their paths, in order; of those with one path the last that came. */
export function mergeFiles(before: readonly File[], added: readonly File[]): File[] {
  const all = new Map([...before, ...added].map((file) => [pathOf(file), file] as const));
  return [...all.values()].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

/** Files of what was dropped, those of folders too, under their paths. Has to be called while the drop is being told of. */
export function droppedFiles(dropped: DataTransfer): Promise<File[]> {
  const entries = Array.from(dropped.items, (item) => item.webkitGetAsEntry());
  // A browser that knows no entries has files all the same.
  if (entries.every((entry) => entry === null)) return Promise.resolve([...dropped.files]);
  return filesOf(entries.filter((entry) => entry !== null));
}

async function filesOf(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory) return filesOf(await listed(entry as FileSystemDirectoryEntry));
      return [await opened(entry as FileSystemFileEntry)];
    }),
  );
  return files.flat();
}

async function opened(entry: FileSystemFileEntry): Promise<File> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  const path = entry.fullPath.replace(/^\//, '');
  // A file of a dropped folder does not know its path; named by it, it is the same bytes.
  return path === file.name
    ? file
    : new File([file], path, { type: file.type, lastModified: file.lastModified });
}

/** All entries of a folder: browsers give a hundred at a time. */
async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** A file's bytes as they are read; streams are no iterators in every browser. */
export async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
