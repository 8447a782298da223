#!/usr/bin/env node
// Takes the picture that links to the page are shown with, public/card.png (1200 x 630), in Chromium.
// Usage: npm run card (CHROMIUM=path where it is not /usr/bin/chromium)
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';

const [WIDTH, HEIGHT] = [1200, 630];
const bytes = Array.from({ length: 14 }, (_, row) =>
  Array.from({ length: 8 }, (_, column) =>
    ((row * 197 + column * 89 + row * column * 31) % 256).toString(16).padStart(2, '0'),
  ).join(' '),
).join('\n');
const CARD = `<!doctype html><html lang="en"><style>
  body { margin: 0; width: ${WIDTH}px; height: ${HEIGHT}px; background: #101416; color: #e6eaeb; font: 30px/1.4 system-ui, sans-serif; position: relative; overflow: hidden }
  pre { position: absolute; right: 40px; top: 40px; margin: 0; font: 22px/1.75 monospace; color: #b5a4ff; opacity: .38 }
  div { position: absolute; left: 72px; top: 96px; width: 760px; padding-right: 40px; background: linear-gradient(90deg, #101416 85%, transparent) }
  b { display: block; font-size: 34px; color: #5cc9b8; margin-bottom: 36px }
  h1 { font-size: 78px; line-height: 1.06; letter-spacing: -2px; margin: 0 0 36px }
</style><pre>${bytes}</pre><div><b>cipherloom</b><h1>Compute on data without seeing it</h1>Type three numbers. See their ciphertext, what crosses, and the right result.</div></html>`;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: WIDTH, height: HEIGHT });
  await page.setContent(CARD);
  await page.screenshot({ path: fileURLToPath(new URL('../public/card.png', import.meta.url)) });
} finally {
  await browser.close();
}
