/** The device at hand, as a machine. */
import { checkOptions } from '../arguments.js';
import { DEVICE_OPTIONS } from './kinds.js';
import { type Machine, machine, MOST_CORES } from './machine.js';

/** What is known of the device at hand. */
export interface Device {
  /** As labels see it: cores of one bus-type cluster over one memory, `float32`, tile 1. */
  readonly machine: Machine;
  /** Bytes of its memory: in Node all of it, in a page as much as the browser tells (at most 8 GiB, rounded); undefined where nobody tells. */
  readonly memory: number | undefined;
}

interface Os {
  availableParallelism(): number;
  totalmem(): number;
}

/**
 * The device at hand: as many cores as it offers threads, or as `threads` says (`loom.mode.threads`). What sort of caches and memories lie behind them no platform tells, so
 * that one cluster and one memory is all that it claims. Errors: LayoutError `layout.machine`; InputError for options that there are not.
 */
export function deviceMachine(options: { readonly threads?: number | undefined } = {}): Device {
  checkOptions('deviceMachine', options, DEVICE_OPTIONS);
  const os = globalThis.process?.getBuiltinModule?.('node:os') as Os | undefined;
  const { hardwareConcurrency, deviceMemory } = (globalThis.navigator ?? {}) as {
    hardwareConcurrency?: number;
    deviceMemory?: number;
  };
  const cores =
    options.threads ?? Math.min(os?.availableParallelism() ?? hardwareConcurrency ?? 1, MOST_CORES);
  return Object.freeze({
    machine: machine({ name: 'this device', architecture: 'smp', clusters: [{ cores }], memories: 1 }),
    memory: os?.totalmem() ?? (deviceMemory === undefined ? undefined : deviceMemory * 2 ** 30),
  });
}
