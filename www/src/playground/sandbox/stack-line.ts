/** The first place of a stack that lies in a script made of text: its line and column, for `lineOf` to know. Takes time in proportion to the stack, whoever wrote it. */
export function lineIn(
  stack: string,
  lineOf: (line: number, column: number) => number | undefined,
): number | undefined {
  for (const place of stack.split('\n')) {
    const at = place.lastIndexOf('blob:');
    const found = at < 0 ? null : /:(\d+):(\d+)\)?\s*$/.exec(place.slice(at));
    const own = found === null ? undefined : lineOf(Number(found[1]), Number(found[2]));
    if (own !== undefined) return own;
  }
  return undefined;
}
