/** Style sheets that could not be fetched: whoever loads parts of the page asks for each of them once, and goes without it from then on. */
const lost = new Set<HTMLLinkElement>();

addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') lost.add(target);
  },
  true,
);

/** Fetches them again. Errors: one of them is still not to be had. */
export async function fetchLostStyles(): Promise<void> {
  await Promise.all([...lost].map(fetchAgain));
}

function fetchAgain(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', () => resolve());
    again.addEventListener('error', () => reject(new Error(`Failed to fetch ${again.href}`)));
    lost.delete(link); // what is put in its place is told of anew
    link.replaceWith(again);
  });
}
