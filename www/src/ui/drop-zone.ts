/** A box into which a file can be dropped. */

/** `take` is handed the file's name, and what reads it; what is no single file is refused by that. */
export function connectDrop(
  box: HTMLElement,
  take: (name: string, bytes: () => Promise<ArrayBuffer>) => void,
): void {
  box.addEventListener('dragenter', () => box.classList.add('over'));
  box.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget as Node | null)) box.classList.remove('over');
  });
  box.addEventListener('drop', ({ dataTransfer }) => {
    box.classList.remove('over');
    const [file, ...others] = dataTransfer?.files ?? [];
    if (file === undefined) return;
    if (others.length === 0) return take(file.name, () => file.arrayBuffer());
    const refusal = new Error('One table is taken at a time: drop one file');
    take(`${others.length + 1} files`, () => Promise.reject(refusal));
  });
}

/** A file that is dropped beside such a box must not replace the page. */
export function keepPageFromDrops(): void {
  for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());
}
