#!/usr/bin/env node
// Takes the pictures in screenshots/ of the built page, after a run on the example data; and of its other tabs.
// Usage: npm run build && npm run screenshots [-- '?mode=threads'] (settings as in the page's address;
// CHROMIUM=path where it is not /usr/bin/chromium)
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { preview } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PICTURES = [
  { name: 'light-1440', width: 1440, height: 1280, theme: 'light' },
  { name: 'dark-1440', width: 1440, height: 1000, theme: 'dark', at: '#explorer' },
  { name: 'light-390', width: 390, height: 844, theme: 'light', at: '#results' },
  { name: 'dark-390', width: 390, height: 844, theme: 'dark' },
  { name: 'timeline-1440', width: 1440, height: 1100, theme: 'light', at: '#timeline' },
  { name: 'timeline-390', width: 390, height: 1000, theme: 'dark', at: '#timeline' },
  { name: 'graph-1440', width: 1440, height: 2250, theme: 'light', at: '#graph' },
  { name: 'applications-1440', width: 1440, height: 2880, theme: 'light', at: '#applications' },
  { name: 'vectors-1440', width: 1440, height: 2480, theme: 'light', at: '#vectors' },
  { name: 'layout-1440', width: 1440, height: 3400, theme: 'light', at: '#layout' },
  { name: 'vectors-390', width: 390, height: 2900, theme: 'dark', at: '#vectors' },
];

const server = await preview({ root: ROOT, preview: { port: 0 } });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await mkdir(`${ROOT}/screenshots`, { recursive: true });
  for (const picture of PICTURES) await take(picture);
} finally {
  await browser.close();
  await server.close();
}

async function take({ name, width, height, theme, at }) {
  const page = await browser.newPage();
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.setViewport({ width, height });
  const address = `${server.resolvedUrls.local[0]}${process.argv[2] ?? ''}`;
  const show = {
    '#graph': showGraph,
    '#applications': showApplication,
    '#vectors': showVectors,
    '#layout': showLayout,
  }[at];
  if (show !== undefined) {
    await page.goto(`${address}${at}`);
    await show(page);
    await page.screenshot({ path: `${ROOT}/screenshots/${name}.png` });
    await page.close();
    return;
  }
  await page.goto(address);
  await page.click('[data-testid=dataset]');
  await page.waitForSelector('[data-testid=planned-time]');
  await page.click('[data-testid=run]');
  await page.waitForSelector('[data-testid=result]');
  if (at === '#explorer') await selectOperator(page);
  await page.mouse.move(0, 0);
  await page.evaluate((selector) => {
    if (selector === undefined) scrollTo(0, 0);
    else document.querySelector(selector).scrollIntoView();
  }, at);
  await page.screenshot({ path: `${ROOT}/screenshots/${name}.png` });
  await page.close();
}

/** Takes the AES round, expands it once, runs it and points at an operator. */
async function showGraph(page) {
  await page.waitForSelector('[data-testid=graph-editor][data-state=opened]');
  await page.click('[data-testid=gallery-aes]');
  await page.waitForSelector('#panel-graph .operator[data-type="aes.round"]');
  await page.click('[data-testid=expand-step]');
  const selector = '#panel-graph .operator[data-type="aes.mix_columns"]';
  await page.waitForSelector(selector);
  await page.click('[data-testid=graph-run]');
  await page.waitForSelector('#panel-graph [data-testid=value]');
  await page.click(selector);
  await page.waitForSelector('#panel-graph .operands.producer .link');
  await page.evaluate(() => scrollTo(0, 0));
}

/** Reads a digit, and selects the first layer of the network. */
async function showApplication(page) {
  await page.waitForSelector('[data-testid=application-run]:not(:disabled)');
  await page.click('[data-testid=application-run]');
  await page.waitForSelector('[data-testid=value-diagram][data-values]');
  await page.click('[data-testid=value-diagram] .operator[data-node="5"]');
  await page.evaluate(() => scrollTo(0, 0));
}

/** The first example, at its second step. */
async function showLayout(page) {
  await page.waitForSelector('[data-testid=layout-machine-picture]');
  for (let step = 0; step < 2; step++) await page.click('[data-testid=layout-next]');
  await page.evaluate(() => scrollTo(0, 0));
}

/** Counts the words of the examples. */
async function showVectors(page) {
  await page.waitForSelector('[data-testid=vectors-examples]');
  await page.click('[data-testid=vectors-examples]');
  await page.click('[data-testid=vectors-run]');
  await page.waitForSelector('[data-testid=vectors-row]');
  // Tiles are on their way for a moment.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await page.evaluate(() => scrollTo(0, 0));
}

/** Finds the first inner product, so that the picture shows an operator with what it reads and who reads it. */
async function selectOperator(page) {
  await page.click('[data-testid=stage-base]');
  await page.waitForSelector('[data-testid=explorer][data-stage=base] .operator');
  await page.type('[data-testid=graph-search]', 'limb.dot');
  await page.keyboard.press('Enter');
  const link = await page.waitForSelector('.inspector .entries .link');
  await link.click();
  await page.waitForSelector('.operator.selected');
}
