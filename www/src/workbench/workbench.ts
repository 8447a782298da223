/** The graph tab. */
import type { App } from '../app.js';

export class Workbench {
  constructor(host: HTMLElement, app: App) {
    host.replaceChildren();
    void app;
  }

  repaint(): void {}
}
