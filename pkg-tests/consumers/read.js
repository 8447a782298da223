/** One of the files that every consumer runs. */
export async function read(name) {
  const response = await fetch(`./given/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
