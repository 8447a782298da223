/** Tries a regular expression on texts. Some take longer than anybody waits, and a worker can be ended. */

/** What is tried. */
export interface Trial {
  readonly source: string;
  readonly texts: readonly string[];
}

addEventListener('message', ({ data: { source, texts } }: MessageEvent<Trial>) => {
  const expression = new RegExp(source, 'i');
  postMessage(Uint8Array.from(texts, (text) => Number(expression.test(text))));
});
