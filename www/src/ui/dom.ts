/** A few helpers over the DOM. */

type Child = Node | string;
type Properties = Readonly<Record<string, string | number | boolean | ((event: never) => void) | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/** A new element: properties that are functions listen ("click"), `true` sets an empty attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** An element that the page has. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element #${id}`);
  return element as T;
}

/** An element that the page has, by its test id. */
export function byTestId(id: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (element === null) throw new Error(`The page has no element [data-testid="${id}"]`);
  return element;
}

/** A button that does something. */
export function button(text: string, onClick: () => void, properties: Properties = {}): HTMLButtonElement {
  return h('button', { type: 'button', click: onClick, ...properties }, text);
}

function fill<T extends Element>(element: T, properties: Properties, children: readonly Child[]): T {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}
