/** The data set that comes with the page. */
import address from '../../../data/breast-cancer-wisconsin.csv?url';

export const SAMPLE_NAME = 'breast-cancer-wisconsin.csv';

/** Columns that are chosen first. */
export const SAMPLE_COLUMNS = ['mean radius', 'mean texture'] as const;

/** Gets the file. Errors: whatever the network says. */
export async function fetchSample(): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The data set could not be loaded: ${response.status}`);
  return response.arrayBuffer();
}
