/** The document of meetings by a relay: the tab “Together” alone, under a policy of its own. */
import { load, type Loom } from 'cipherloom';
import { DataClient } from './data/data-client.js';
import { failureOf } from './failure.js';
import { settingsOf } from './settings.js';
import { titleOf, type MeetingState } from './together/title.js';
import { type Host, Together } from './together/together.js';
import { byId } from './ui/dom.js';
import { keepPageFromDrops } from './ui/drop-zone.js';
import { connectTheme } from './ui/theme.js';

class Page implements Host {
  readonly data = new DataClient();
  readonly #settings = settingsOf(location.search).load;
  readonly #replaced: (() => void)[] = [];
  #loom: Promise<Loom> = load(this.#settings);

  loom(): Promise<Loom> {
    return this.#loom;
  }

  onReplaced(listener: () => void): void {
    this.#replaced.push(listener);
  }

  renew(): void {
    const before = this.#loom;
    this.#loom = before
      .then(
        (loom) => loom.dispose(),
        () => undefined,
      )
      .then(() => load(this.#settings));
    for (const listener of this.#replaced) listener();
  }

  stands(state: MeetingState): void {
    document.title = titleOf(state);
  }
}

connectTheme(() => {});
keepPageFromDrops();
try {
  new Together(byId('panel-together'), new Page());
} catch (error) {
  const { sentence, code } = failureOf(error, 'opening the page');
  byId('together-status').textContent = `The page could not be opened: ${sentence} (${code})`;
}
