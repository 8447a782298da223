/**
 * The smallest failing case found within a time. `smaller(case)` yields smaller ones, largest cuts first; `size` measures
 * one, so that this comes to an end; `fails` tells whether one is still wrong. Each step starts again with what fails.
 */
export async function smallestFailing(start, { smaller, size, fails, milliseconds }) {
  const end = Date.now() + milliseconds;
  const next = async (failing) => {
    for (const candidate of smaller(failing)) {
      if (Date.now() > end) return null;
      if (size(candidate) < size(failing) && (await fails(candidate))) return candidate;
    }
    return null;
  };
  for (let smallest = start; ;) {
    const found = await next(smallest);
    if (!found) return smallest;
    smallest = found;
  }
}

/** Halves of a list, then the list without each of its members. */
export function* cuts(list) {
  const middle = list.length >> 1;
  yield list.slice(0, middle);
  yield list.slice(middle);
  if (list.length > 2) for (const index of list.keys()) yield list.toSpliced(index, 1);
}
