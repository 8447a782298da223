/** Files that come with the page. */

/** Gets a file of JSON by its address. Errors: whatever the network says. */
export async function fetchJson<T>(address: string): Promise<T> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`A file of this page could not be loaded: ${response.status}`);
  return (await response.json()) as T;
}
