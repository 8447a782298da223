/**
 * Instances of which several are in one realm, such as where there are no workers: each has JavaScript of its own. Only what is
 * asked for is loaded.
 */
import { type Open, openRaw, type RawConformances, type RawGraphs, type RawTasks } from './raw.js';

/** Of tasks. See {@link openRaw}. */
export const openTasksApart: Open<RawTasks> = async (options) => {
  const { instance } =
    options.variant === 'single'
      ? await import('../wasm/single/instance.js')
      : await import('../wasm/threads/instance.js');
  return openRaw(instance(), options);
};

/** Of graphs. See {@link openRaw}. */
export const openGraphsApart: Open<RawGraphs> = async (options) => {
  const { instance } =
    options.variant === 'single'
      ? await import('../wasm/graphs/single/instance.js')
      : await import('../wasm/graphs/threads/instance.js');
  return openRaw(instance(), options);
};

/** Of the conformance suite. See {@link openRaw}. */
export const openConformanceApart: Open<RawConformances> = async (options) => {
  const { instance } =
    options.variant === 'single'
      ? await import('../wasm/conformance/single/instance.js')
      : await import('../wasm/conformance/threads/instance.js');
  return openRaw(instance(), options);
};
