/** Tables that come with the page. */
import address from '../../../data/breast-cancer-wisconsin.csv?url';
import heating from '../../../data/heating.csv?url';
import marks from '../../../data/marks.csv?url';
import wages from '../../../data/wages.csv?url';

export const SAMPLE_NAME = 'breast-cancer-wisconsin.csv';

/** Columns that are chosen first. */
export const SAMPLE_COLUMNS = ['mean radius', 'mean texture'] as const;

/** Gets the file. Errors: whatever the network says. */
export function fetchSample(): Promise<ArrayBuffer> {
  return bytesOf(address);
}

/** A table that a button takes. */
export interface Sample {
  /** Of the button. */
  readonly id: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly fetch: () => Promise<ArrayBuffer>;
}

export const SAMPLES: readonly Sample[] = [
  { id: 'sample', name: SAMPLE_NAME, columns: SAMPLE_COLUMNS, fetch: fetchSample },
  { id: 'sample-wages', name: 'wages.csv', columns: ['years', 'pay an hour'], fetch: () => bytesOf(wages) },
  { id: 'sample-heating', name: 'heating.csv', columns: [], fetch: () => bytesOf(heating) },
  { id: 'sample-marks', name: 'marks.csv', columns: [], fetch: () => bytesOf(marks) },
];

async function bytesOf(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The data set could not be loaded: ${response.status}`);
  return response.arrayBuffer();
}
