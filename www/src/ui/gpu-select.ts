/** The choice of processors, which stands in more than one place and is one for the page; and whether there is a GPU at all, once somebody wants one. */
import { GPU_USES, type GpuSetting, type GpuUse, settingOf } from '../run/gpu-choice.js';
import { h } from './dom.js';

/** Where the choice is kept. */
export interface GpuWish {
  readonly gpu: GpuUse;
  changeGpu(setting: GpuSetting): void;
  onGpuChanged(listener: () => void): void;
}

/** Fills a choice; `said` tells which GPU there is. */
export function connectGpu(select: HTMLSelectElement, said: HTMLElement, wish: GpuWish): void {
  select.append(...Object.entries(GPU_USES).map(([value, text]) => h('option', { value }, text)));
  const show = (): void => {
    const { gpu } = wish;
    select.value = settingOf(gpu);
    if (gpu === false) return void (said.textContent = '');
    const found = import('../run/found-gpu.js').then(({ foundGpu }) => foundGpu());
    // What keeps it from being told keeps nobody from computing.
    found.then(
      (words) => wish.gpu === gpu && (said.textContent = words),
      () => {},
    );
  };
  select.addEventListener('change', () => wish.changeGpu(select.value as GpuSetting));
  wish.onGpuChanged(show);
  show();
}
