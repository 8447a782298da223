/** Whether a schedule of a GPU is one of the GPU that is here: by its class, and by what it has for a workgroup. */
import { beyond } from '../../gpu/needs.js';
import type { GpuTraits } from '../../worker/protocol.js';
import { gpuClass, isOfGpu } from '../device-class.js';
import { wrong } from '../wrong.js';
import { makeShader } from './gpu-transform.js';
import { isShader, type Schedule, scheduleName } from './schedule.js';

/** Errors: TuneError `tune.record` for a workgroup that the device has not. */
export function checkFits(schedule: Schedule, { limits }: Pick<GpuTraits, 'limits'>): void {
  if (!isShader(schedule)) return;
  const found = beyond(makeShader(schedule).needs, limits);
  if (found !== undefined)
    throw wrong('tune.record', `schedule ${scheduleName(schedule)}`, found.found, found.expected);
}

/** Errors: TuneError `tune.device` for a class of device that does not name this GPU. */
export function checkGpuClass(device: string, gpu: GpuTraits): void {
  if (!isOfGpu(device, gpu))
    throw wrong(
      'tune.device',
      'key of an operator on a GPU',
      `"${device}"`,
      `a class with "${gpuClass(gpu)}"`,
    );
}
