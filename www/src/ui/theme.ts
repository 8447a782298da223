/** Light, dark, or as the system says. */
import { byId } from './dom.js';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'cipherloom.theme';

/** Connects the theme button; `changed` is called when colors may be others. */
export function connectTheme(changed: () => void): void {
  const button = byId<HTMLButtonElement>('theme');
  let theme = stored();
  const apply = (): void => {
    if (theme === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    button.textContent = `Theme: ${theme}`;
    changed();
  };
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
    store(theme);
    apply();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  apply();
}

/** The color of a custom property as it is now, for canvases. */
export function colorOf(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  // Where the system has colors of its own, all of them would be that of text; canvases are left as they are drawn.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Storage may be forbidden; the theme then lasts as long as the page. */
function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // As above.
  }
}
