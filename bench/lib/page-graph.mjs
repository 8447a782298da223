// Frames and tasks of the page while its largest graph is worked as a person does: moved, zoomed, opened, closed, searched.
const PATIENCE_MS = 120_000;
const PANEL = '#panel-graph';
const PANE = '#graph-diagram';
const FRAME = 16.7;

/** Records frames in the page from now on, until `recorded`. */
const START = `(() => {
  const record = { intervals: [], busy: [], tasks: [], isOn: true };
  window.pageGraphRecord = record;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) record.tasks.push(duration);
  });
  if (PerformanceObserver.supportedEntryTypes.includes('longtask')) observer.observe({ entryTypes: ['longtask'] });
  record.stop = () => {
    for (const { duration } of observer.takeRecords()) record.tasks.push(duration);
    observer.disconnect();
  };
  let last;
  const { port1, port2 } = new MessageChannel();
  let began;
  port1.onmessage = () => record.busy.push(performance.now() - began);
  const frame = (time) => {
    if (!record.isOn) return port1.close();
    if (last !== undefined) record.intervals.push(time - last);
    last = time;
    began = performance.now();
    port2.postMessage(0); // comes after this frame's styles, layout and painting
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;
const STOP = `(async () => {
  const record = window.pageGraphRecord;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  record.isOn = false;
  record.stop();
  return { intervals: record.intervals, busy: record.busy, tasks: record.tasks };
})()`;

/** Opens the gallery's graph \`id\` in the graph tab, and expands it so many steps. Gives the number of its operators. */
export async function openGraph(page, { id = 'blocks', steps = 3 } = {}) {
  const stage = `document.querySelector('${PANE}').dataset.stage`;
  await page.until(`document.querySelector('[data-testid="graph-editor"]')?.dataset.state === 'opened'`, PATIENCE_MS);
  await page.evaluate(`delete document.querySelector('[data-testid="graph-editor"]').dataset.state; delete ${stage}`);
  await page.click(`[data-testid="gallery-${id}"]`);
  await page.until(`document.querySelector('[data-testid="graph-editor"]').dataset.state === 'opened'`, PATIENCE_MS);
  await page.until(`${stage} !== undefined`, PATIENCE_MS);
  for (let step = 1; step <= steps; step++) {
    await page.until(`!document.querySelector('${PANEL} [data-testid="expand-step"]').disabled`, PATIENCE_MS);
    await page.evaluate(`delete ${stage}`);
    await page.click(`${PANEL} [data-testid="expand-step"]`);
    await page.until(`${stage} !== undefined`, PATIENCE_MS);
  }
  return Number(await page.evaluate(`document.querySelector('${PANEL} .explorer').dataset.operators`));
}

/**
 * Works the graph that is open. Yields, for each thing done, `{ name, frames, interval, busy, longest }`: number of frames, 95th percentile of
 * the times between them and of what the page's thread did in each (ms), the longest task (ms, 0 if none took 50); `traced` also `processor` and `lasted`, what the longest task
 * took of the processor and in all, as Chromium traces it (ms), and `over`, how many took more than 50 ms of the processor.
 */
export async function* work(page, { moves = 60, traced = false } = {}) {
  const pane = `document.querySelector('${PANE}')`;
  await page.evaluate(`${pane}.scrollIntoView({ block: 'center' })`);
  const [left, top, width, height] = await page.evaluate(
    `(({ left, top, width, height }) => [left, top, width, height])(${pane}.getBoundingClientRect())`,
  );
  const [x, y] = [left + width / 2, top + height / 2];
  const drawn = (testId) => page.until(`${pane}.getAttribute('aria-busy') !== 'true' && ${testId}`, PATIENCE_MS);
  const during = async (name, action) => {
    let record;
    const act = async () => {
      await page.evaluate(START);
      await action();
      record = await page.evaluate(STOP);
    };
    const events = traced ? await page.trace(act) : await act();
    return { name, ...figures(record), ...(events && tasks(events)) };
  };
  const pan = () =>
    page.drag(
      [x, y],
      ...Array.from({ length: moves }, (_, at) => [
        x + 140 * Math.sin((8 * at) / moves),
        y + 110 * Math.sin((11 * at) / moves),
      ]),
    );
  const zoom = async (delta, times) => {
    await page.move(x, y);
    for (let at = 0; at < times; at++) await page.zoom(delta);
  };
  const fit = () =>
    page.evaluate(
      `[...document.querySelectorAll('${PANEL} .diagram-tools button')].find((one) => one.textContent === 'Fit').click()`,
    );
  const steps = Math.ceil(moves / 4);

  const everywhere = async function* (title) {
    await fit();
    yield await during(`${title}: pan, whole`, pan);
    yield await during(`${title}: zoom in and out`, async () => {
      await zoom(-60, 2 * steps);
      await zoom(60, 2 * steps);
    });
    await fit();
    await zoom(-60, 2 * steps);
    yield await during(`${title}: pan, near`, pan);
    await fit();
  };

  yield* everywhere('opened by the stage');
  const first = `document.querySelector('${PANE} .operator[tabindex="0"]')`;
  const isOpen = `${first}.classList.contains('open')`;
  // A group that the stage left closed is opened, and closed again.
  const closed = await page.evaluate(`(() => {
    ${first}.focus();
    return !${isOpen};
  })()`);
  if (!closed) await page.press('-');
  await page.until(`!${isOpen}`, PATIENCE_MS);
  for (const [name, key, holds] of [
    ['open a group', '+', isOpen],
    ['close it', '-', `!${isOpen}`],
  ])
    yield await during(name, async () => {
      await page.press(key);
      await page.until(holds, PATIENCE_MS);
    });
  const boxes = `Number(${pane}.dataset.total)`;
  const before = await page.evaluate(boxes);
  yield await during('open all', async () => {
    await page.click(`${PANEL} [data-testid="expand-all"]`);
    await drawn(`${boxes} > ${before}`);
  });
  yield* everywhere('all open');
  const heading = `document.querySelector('${PANEL} .inspector h3').textContent`;
  for (const [name, query] of [
    ['search by part of a name', 'xor'],
    ['search by expression', '/^(u8|aes)/'],
    ['search by what is read', 'reads xor'],
  ])
    yield await during(name, async () => {
      const field = `document.querySelector('${PANEL} [data-testid="graph-search"]')`;
      await page.evaluate(`${field}.focus(), ${field}.select()`);
      await page.type(query);
      await page.press('Enter');
      await page.until(`${heading}.startsWith(${JSON.stringify(`${query}: `)})`, PATIENCE_MS);
    });
  yield await during('select what was found', async () => {
    await page.click(`${PANEL} .inspector .entries .link`);
    await page.until(`document.querySelector('${PANE} .operator.selected') !== null`, PATIENCE_MS);
  });
  yield await during('close all', async () => {
    await page.click(`${PANEL} [data-testid="collapse-all"]`);
    await drawn(`${boxes} <= ${before}`);
  });
  const pick = (testId, value) =>
    page.evaluate(`(() => {
      const list = document.querySelector('${PANEL} [data-testid="${testId}"]');
      list.value = ${value};
      list.dispatchEvent(new Event('change'));
    })()`);
  const beside = `document.querySelector('${PANEL} [data-testid="stage-beside"]')`;
  yield await during('the stage before beside', async () => {
    await pick('beside', 'list.options[list.options.length - 1].value');
    await page.until(`${beside}.dataset.stage !== undefined`, PATIENCE_MS);
  });
  const flat = `document.querySelector('${PANEL} [data-testid="flat-beside"]')`;
  await page.evaluate(`${flat}.focus()`);
  yield await during('select beside, by keyboard', async () => {
    // Where one begins, in the first row or the last, is what was selected before.
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowDown']) await page.press(key);
    await page.until(`${flat}.dataset.selected !== ''`, PATIENCE_MS);
  });
  const legend = `document.querySelector('#graph-legend').textContent`;
  for (const [name, id, said] of [
    ['colour by size', 'size', '1 B'],
    ['colour by platform', 'platform', 'not placed'],
  ])
    yield await during(name, async () => {
      await pick('overlay', JSON.stringify(id));
      await page.until(`${legend}.startsWith(${JSON.stringify(said)})`, PATIENCE_MS);
    });
}

function figures({ intervals, busy, tasks }) {
  return {
    frames: intervals.length,
    interval: percentile(intervals, 0.95),
    busy: percentile(busy, 0.95),
    longest: Math.max(0, ...tasks),
    within: intervals.filter((one) => one <= 1.2 * FRAME).length / Math.max(intervals.length, 1),
  };
}

/** Of the page's thread: another process's is not the page. */
function tasks(events) {
  const names = new Map(
    events.filter(({ name }) => name === 'thread_name').map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]),
  );
  const own = events.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && names.get(`${pid} ${tid}`) === 'CrRendererMain',
  );
  const milliseconds = own.map(({ tdur = 0 }) => tdur / 1000);
  return {
    processor: Math.max(0, ...milliseconds),
    lasted: Math.max(0, ...own.map(({ dur = 0 }) => dur / 1000)),
    over: milliseconds.filter((one) => one > 50).length,
  };
}

function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)] ?? 0;
}
