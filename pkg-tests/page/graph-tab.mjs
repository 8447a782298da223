// The graph tab, as its tests open graphs there.
import { PATIENCE_MS } from './demo.mjs';

/** An editor of the tab. */
export const EDITOR = (id) => `document.querySelector('[data-testid="${id}"]')`;
/** Its text. */
export const LINES = (id) =>
  `[...${EDITOR(id)}.shadowRoot.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')`;
const STATE = `${EDITOR('graph-editor')}?.dataset.state`;
const STAGE = `document.querySelector('#graph-diagram').dataset.stage`;

/** The text could be opened, and is drawn. */
export async function opened(page) {
  await page.until(`${STATE} === 'opened'`, PATIENCE_MS);
  await page.until(`${STAGE} !== undefined`, PATIENCE_MS);
}

/** Before what opens a graph: what is there does not count. */
export async function forget(page) {
  await page.evaluate(`delete ${EDITOR('graph-editor')}.dataset.state; delete ${STAGE}`);
}

/** Opens an entry of the gallery. */
export async function take(page, id) {
  await forget(page);
  await page.click(`[data-testid="gallery-${id}"]`);
  await opened(page);
}

/** Takes what is in an editor away, and pastes a text. */
export async function replaceText(page, content, id = 'graph-editor') {
  await page.evaluate(`${EDITOR(id)}.shadowRoot.querySelector('.cm-content').focus()`);
  await page.chord('a');
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData('text/plain', ${JSON.stringify(content)});
    const paste = new Event('paste', { bubbles: true, cancelable: true });
    Object.defineProperty(paste, 'clipboardData', { value: data }); // Firefox takes no data in a constructor
    ${EDITOR(id)}.shadowRoot.querySelector('.cm-content').dispatchEvent(paste);
  })()`);
}
