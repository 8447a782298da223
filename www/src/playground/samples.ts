/** Tables to try a program on. */
import { fetchSample } from '../data/sample.js';

interface Sample {
  readonly title: string;
  readonly file: string;
  /** CSV. Errors: whatever the network says. */
  readonly bytes: () => Promise<ArrayBuffer>;
}

/** Made-up people, always the same ones. */
function staff(): string {
  const people = Array.from({ length: 48 }, (_, i) => {
    const [department, years] = [(i * 5 + (i >> 2)) % 4, (i * i * 7 + 3 * i) % 31];
    const [hours, distance] = [20 + ((i * 13) % 21), ((i * i * 11 + i) % 59) / 2];
    return [department, years, hours, distance].join(',');
  });
  return ['department,years,hours,distance', ...people].join('\n');
}

export const SAMPLES = {
  masses: {
    title: 'Breast masses: 569 rows of measurements',
    file: 'breast-cancer-wisconsin.csv',
    bytes: fetchSample,
  },
  staff: {
    title: 'Staff: 48 made-up rows',
    file: 'staff.csv',
    bytes: async () => new TextEncoder().encode(staff()).buffer,
  },
} as const satisfies Readonly<Record<string, Sample>>;
export type SampleName = keyof typeof SAMPLES;
