// Chromium through Playwright and Firefox through Puppeteer, alike: Playwright drives only a Firefox of its own.
import { describe } from 'node:test';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { CHROMIUM_ARGS, CHROMIUM_GPU_ARGS, browsers } from '../../scripts/lib/browsers.mjs';

export const BROWSERS = ['Chromium', 'Firefox'];
/** Less than a file of tests has. What a page has for a step is what ends one that hangs. */
const LONGEST_MS = 1_500_000;
const told = [];

/**
 * As `describe`, for each of BROWSERS in their order: once the last one is told, all run at a time, since what their tests do most is to wait. Those of one browser come one after
 * another. They share nothing but files that are only read.
 */
export function describeBeside(name, options, tests) {
  told.push({ name, options, tests });
  if (told.length < BROWSERS.length) return;
  const all = told.splice(0);
  describe('in each browser', { concurrency: all.length, timeout: LONGEST_MS }, () => {
    for (const { name, options, tests } of all)
      describe(name, { timeout: LONGEST_MS, ...options, concurrency: 1 }, tests);
  });
}
/** Tasks of threads, and which thread is which. */
const TRACED = ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'];
const VIEWPORT = { width: 1280, height: 900 };

/** Starts a browser by its name in BROWSERS, Chromium with `gpu` if asked. Gives `{ open, close }`. */
export async function openBrowser(name, { gpu = false } = {}) {
  const { path, debianPackage } = browsers()[name.toLowerCase()];
  if (!path)
    throw new Error(`${name} (Debian: ${debianPackage}) is not installed. Run: node scripts/setup.mjs --tests`);
  return name === 'Chromium' ? withPlaywright(path, gpu ? CHROMIUM_GPU_ARGS : CHROMIUM_ARGS) : withPuppeteer(path);
}

async function withPlaywright(executablePath, args) {
  const browser = await chromium.launch({ executablePath, args });
  // One for all pages, so that they are tabs of one person's browser.
  const context = await browser.newContext({ viewport: VIEWPORT });
  const driver = {
    newPage: () => context.newPage(),
    newPerson: async () => (await browser.newContext({ viewport: VIEWPORT })).newPage(),
    upload: (page, selector, file) => page.setInputFiles(selector, file),
    wheel: (page, pixels) => page.mouse.wheel(0, pixels),
    resize: (page, size) => page.setViewportSize(size),
    trace: async (page, action) => {
      await browser.startTracing(page, { categories: TRACED });
      await action();
      return JSON.parse(await browser.stopTracing()).traceEvents;
    },
  };
  return opened(driver, browser);
}

async function withPuppeteer(executablePath) {
  // Two browsers begin at a time, beside other tests.
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, timeout: 180_000 });
  const driver = {
    newPage: () => sized(browser),
    newPerson: async () => sized(await browser.createBrowserContext()),
    upload: async (page, selector, file) => (await page.waitForSelector(selector)).uploadFile(file),
    wheel: (page, pixels) => page.mouse.wheel({ deltaY: pixels }),
    resize: (page, size) => page.setViewport(size),
  };
  return opened(driver, browser);
}

async function sized(browser) {
  const page = await browser.newPage();
  await page.setViewport(VIEWPORT);
  return page;
}

function opened(driver, browser) {
  return { open: (url, options) => open(driver, url, options), close: () => browser.close() };
}

/**
 * A new page at an address, `apart` as another person's, with whom no other page shares anything. `problems` are what it complains of: uncaught errors, and those on its console; `requests`
 * are the addresses that it asks for.
 */
async function open(driver, url, { apart = false } = {}) {
  const page = await (apart ? driver.newPerson() : driver.newPage());
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
    /** Has that one of several tabs looked at. */
    front: () => page.bringToFront(),
    /** Of several tabs, that one is looked at then: others draw no frames. */
    click: async (selector) => {
      await page.bringToFront();
      await click(page, selector);
    },
    upload: (selector, file) => driver.upload(page, selector, file),
    /** Presses and releases a key, by its name in DOM events. */
    press: (key) => page.keyboard.press(key),
    /** The same with Control. */
    chord: async (key) => {
      await page.keyboard.down('Control');
      await page.keyboard.press(key);
      await page.keyboard.up('Control');
    },
    type: (text) => page.keyboard.type(text),
    /** Moves the mouse to a point, and from there over others with its button pressed. */
    drag: async ([x, y], ...points) => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (const point of points) await page.mouse.move(...point);
      await page.mouse.up();
    },
    move: (x, y) => page.mouse.move(x, y),
    /** Turns the wheel, with Control pressed. */
    zoom: async (pixels) => {
      await page.keyboard.down('Control');
      await driver.wheel(page, pixels);
      await page.keyboard.up('Control');
    },
    /** Makes the window of another size. */
    resize: (width, height = VIEWPORT.height) => driver.resize(page, { width, height }),
    /** Chromium's trace events while something is done: tasks of threads, with the processor's time that each took. */
    trace: (action) => driver.trace(page, action),
    /** What is on the screen, as a PNG file. */
    screenshot: (path) => page.screenshot({ path }),
    reload: () => page.reload(),
    close: () => page.close(),
  };
}

async function until(holds, what, milliseconds) {
  const end = performance.now() + milliseconds;
  // Most of it comes soon; what takes longer is not to be held up by the looks.
  for (let pause = 4; !(await holds()); pause = Math.min(2 * pause, 50)) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Clicks what a selector finds once it is where it stays; found anew where the page has drawn it again in the meantime,
 * as a person would.
 */
async function click(page, selector, left = 20) {
  try {
    await (await page.waitForSelector(selector)).evaluate(standsStill);
    await page.click(selector);
  } catch (error) {
    if (left === 0 || !/Node is detached/.test(error.message)) throw error;
    await click(page, selector, left - 1);
  }
}

/** In the page: waits for an element to be in one place in three frames, one after another. */
async function standsStill(element) {
  let still = 0;
  for (let place = ''; still < 3;) {
    await new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('the browser has drawn no frame for 30 s')), 30_000);
      requestAnimationFrame(resolve);
    });
    const { x, y } = element.getBoundingClientRect();
    still = `${x} ${y}` === place ? still + 1 : 1;
    place = `${x} ${y}`;
  }
}
