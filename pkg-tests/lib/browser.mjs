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
  const open = async (url) => {
    const page = await browser.newPage();
    const problems = watch(page);
    await page.goto(url);
    return {
      problems,
      evaluate: (code) => page.evaluate(code),
      until: (code, timeout) => page.waitForFunction(code, undefined, { timeout }),
      click: (selector) => page.click(selector),
      upload: (selector, file) => page.setInputFiles(selector, file),
      close: () => page.close(),
    };
  };
  return { open, close: () => browser.close() };
}

async function withPuppeteer(executablePath) {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  const open = async (url) => {
    const page = await browser.newPage();
    const problems = watch(page);
    await page.goto(url);
    return {
      problems,
      evaluate: (code) => page.evaluate(code),
      until: (code, timeout) => page.waitForFunction(code, { timeout }),
      click: (selector) => page.click(selector),
      upload: async (selector, file) => (await page.waitForSelector(selector)).uploadFile(file),
      close: () => page.close(),
    };
  };
  return { open, close: () => browser.close() };
}

/** What a page complains of: errors that nobody caught, and those on its console. */
function watch(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  return problems;
}
