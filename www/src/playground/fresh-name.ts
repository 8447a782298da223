/** A name that a text does not use. */
export function freshName(wanted: string, text: string): string {
  let name = wanted;
  for (let at = 1; new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(text); at++) name = `${wanted}${at}`;
  return name;
}
