// Chromium through Playwright and Firefox through Puppeteer, alike: Playwright drives only a Firefox of its own.
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { CHROMIUM_ARGS, browsers } from '../../scripts/lib/browsers.mjs';

export const BROWSERS = ['Chromium', 'Firefox'];

/** Starts a browser by its name in BROWSERS. Gives `{ open, close }`. */
export async function openBrowser(name) {
  const { path, debianPackage } = browsers()[name.toLowerCase()];
  if (!path) throw new Error(`${name} (Debian: ${debianPackage}) is not installed. Run: node scripts/setup.mjs --browsers`);
  return name === 'Chromium' ? withPlaywright(path) : withPuppeteer(path);
}

async function withPlaywright(executablePath) {
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  const upload = (page) => (selector, file) => page.setInputFiles(selector, file);
  return { open: (url) => open(browser, url, upload), close: () => browser.close() };
}

async function withPuppeteer(executablePath) {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  const upload = (page) => async (selector, file) => (await page.waitForSelector(selector)).uploadFile(file);
  return { open: (url) => open(browser, url, upload), close: () => browser.close() };
}

/**
 * A new page at an address. `problems` are what it complains of: uncaught errors, and those on its console; `requests`
 * are the addresses that it asks for.
 */
async function open(browser, url, upload) {
  const page = await browser.newPage();
  const problems = [];
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(url);
  return {
    problems,
    requests,
    /** The value of an expression in the page. */
    evaluate: (code) => page.evaluate(code),
    /** Waits for an expression to hold. From here, since a page's policy may forbid what the drivers do for that. */
    until: (code, milliseconds) => until(() => page.evaluate(`Boolean(${code})`), code, milliseconds),
    click: (selector) => page.click(selector),
    upload: upload(page),
    close: () => page.close(),
  };
}

async function until(holds, what, milliseconds) {
  const end = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
