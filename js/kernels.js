// Puts kernels that were made at run time into the function table of an instance: README.md.

/**
 * A kernel's two functions, in an instance of its own over the engine's memory, lie at the end of the table: in every instance over one memory that is given
 * the same kernels in the same order, in the same places.
 *
 * @param {WebAssembly.Table} table of the instance: `functionTable`
 * @param {WebAssembly.Memory} memory its memory
 * @param {readonly WebAssembly.Module[]} kernels each exports `closed` and `open`
 * @returns {number[][]} the two places of each
 */
export function installKernels(table, memory, kernels) {
  return kernels.map((module) => {
    const { closed, open } = new WebAssembly.Instance(module, { env: { memory } }).exports;
    const place = table.grow(2);
    table.set(place, closed);
    table.set(place + 1, open);
    return [place, place + 1];
  });
}
