/** Colours of pictures on canvases, as they are now. */
import { colorOf } from '../ui/theme.js';

export interface Ink {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly card: string;
  readonly sunken: string;
  readonly client: string;
  readonly evaluator: string;
  readonly kin: string;
  readonly mono: string;
}

export function readInk(): Ink {
  return {
    text: colorOf('--ink'),
    soft: colorOf('--ink-soft'),
    line: colorOf('--line-strong'),
    card: colorOf('--card'),
    sunken: colorOf('--sunken'),
    client: colorOf('--client'),
    evaluator: colorOf('--evaluator'),
    kin: colorOf('--kin'),
    mono: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
  };
}

/** A colour of styles, as canvases read it. */
export function resolved(color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
