/** Takes a report out of the page: to the clipboard, or as a file. */
import { button, h } from '../ui/dom.js';
import { saveFile } from '../ui/save-file.js';

export interface Report {
  /** Of the files, without what follows the dot. */
  readonly name: string;
  text(): string;
  data(): unknown;
}

export function reportTools(report: Report): HTMLElement {
  const copy = button('Copy the report', () => void copied(copy, report.text()), {
    class: 'small',
    'data-testid': 'report-copy',
    // Where the page came over plain http, there is no clipboard.
    hidden: globalThis.navigator.clipboard === undefined,
  });
  return h(
    'div',
    { class: 'row' },
    copy,
    button('Save as text', () => saveFile(`${report.name}.txt`, report.text(), 'text/plain'), {
      class: 'small',
      'data-testid': 'report-text',
    }),
    button('Save as JSON', () => saveFile(`${report.name}.json`, jsonOf(report), 'application/json'), {
      class: 'small',
      'data-testid': 'report-json',
    }),
  );
}

/** What JSON lacks becomes text. */
export function jsonOf({ data }: Pick<Report, 'data'>): string {
  return JSON.stringify(
    data(),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
}

async function copied(copy: HTMLButtonElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    copy.textContent = 'Copied';
  } catch {
    copy.textContent = 'The browser refused: save it instead';
  }
}
