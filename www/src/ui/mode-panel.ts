/** Which build runs, with how many threads, and why not more. */
import type { Loom, Variant } from 'cipherloom';
import * as format from '../format.js';
import { byId, h } from './dom.js';
import { connectGpu, type GpuWish } from './gpu-select.js';

const BUILDS: Readonly<Record<Variant, string>> = {
  native: 'native: compiled for this processor',
  relaxed: 'relaxed: fused vector arithmetic',
  threads: 'threads: plain vector arithmetic',
  single: 'single: runs everywhere',
};

/** Shows what `load` chose; undefined while it is starting. */
export function showMode(loom: Loom | undefined): void {
  const panel = byId('mode');
  const summary = byId('mode-summary');
  const isolated = globalThis.crossOriginIsolated;
  panel.dataset['isolated'] = String(isolated);
  panel.dataset['state'] = loom === undefined ? 'starting' : 'ready';
  if (loom === undefined) {
    summary.textContent = 'Starting…';
    return;
  }
  const { variant, threads, memoryBytes, reasons } = loom.mode;
  panel.dataset['variant'] = variant;
  panel.dataset['threads'] = String(threads);
  summary.textContent = threads > 1 ? format.plural(threads, 'thread') : 'One thread';
  facts(byId('mode-facts'), [
    ['Build', BUILDS[variant]],
    ['Threads per worker', String(threads)],
    ['Cross-origin isolated', isolated ? 'yes' : 'no'],
    ['Memory, at most', `${format.bytes(memoryBytes)} per worker`],
    ['Core version', loom.version],
  ]);
  byId('mode-reasons').replaceChildren(...reasons.map((reason) => h('li', {}, reason)));
}

/** Shows that nothing runs. */
export function showModeFailure(): void {
  byId('mode').dataset['state'] = 'failed';
  byId('mode-summary').textContent = 'Not running';
  byId('mode-facts').replaceChildren();
  byId('mode-reasons').replaceChildren();
}

/** Fills the choice of threads. */
export function connectThreads(current: number | undefined, changed: (threads: string) => void): void {
  const select = byId<HTMLSelectElement>('threads');
  const processors = navigator.hardwareConcurrency;
  const counts = [1, 2, 4, 8, 16].filter((threads) => threads <= Math.max(processors, 2));
  if (Number.isInteger(current) && !counts.includes(current!)) counts.push(current!);
  select.append(
    h('option', { value: '' }, 'automatic'),
    ...counts.map((threads) => h('option', { value: threads }, String(threads))),
  );
  select.value = Number.isInteger(current) ? String(current) : '';
  select.addEventListener('change', () => changed(select.value));
}

/** Fills the choice of processors, which the closed panel tells, too. */
export function connectProcessors(wish: GpuWish): void {
  connectGpu(byId<HTMLSelectElement>('gpu'), byId('gpu-found'), wish);
  const show = (): void => void (byId('mode-gpu').textContent = wish.gpu === false ? '' : ' + GPU');
  wish.onGpuChanged(show);
  show();
}

/** A panel that hangs over the page closes like a menu. */
export function connectModePanel(): void {
  const panel = byId<HTMLDetailsElement>('mode');
  addEventListener('pointerdown', ({ target }) => {
    if (!panel.contains(target as Node)) panel.open = false;
  });
  panel.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    panel.open = false;
    panel.querySelector('summary')!.focus();
  });
}

function facts(list: HTMLElement, rows: readonly (readonly [string, string])[]): void {
  list.replaceChildren(...rows.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]));
}
