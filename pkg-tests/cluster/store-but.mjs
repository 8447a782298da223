/** A store as another one, but for some of its methods. */
export const storeBut = (store, methods) => ({
  identity: () => store.identity(),
  put: (bytes) => store.put(bytes),
  get: (ref) => store.get(ref),
  has: (refs) => store.has(refs),
  drop: (refs) => store.drop(refs),
  close: () => store.close(),
  ...methods,
});
