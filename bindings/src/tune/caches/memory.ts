import type { TuneRecord } from '../record.js';
import type { TuneCache } from './types.js';

/** A cache that ends with its owner. Several clients may share one, one after the other or at once. */
export function memoryCache(): TuneCache {
  const kept = new Map<string, TuneRecord>();
  return {
    load: async (device, most) => [...kept].filter(([, { key }]) => key.device === device).slice(-most),
    put: async (records, most) => {
      for (const [text, record] of records) {
        kept.delete(text);
        kept.set(text, record);
      }
      for (const device of new Set([...records.values()].map(({ key }) => key.device))) {
        const own = [...kept].filter(([, { key }]) => key.device === device);
        for (const [text] of own.slice(0, Math.max(0, own.length - most))) kept.delete(text);
      }
    },
    remove: async (keys) => {
      for (const text of keys) kept.delete(text);
    },
    close: async () => {},
  };
}
