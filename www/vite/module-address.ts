/**
 * `import ADDRESS from './word-count.ts?address'`: a module as a file of its own, with its exports, and where it lies. For what
 * a worker imports by an address that it is told, as operators of jobs are: no bundler follows that.
 */
import type { Plugin } from 'vite';

const QUERY = /\?address$/;

export function moduleAddress(): Plugin {
  let isBuild = false;
  return {
    name: 'module-address',
    enforce: 'pre',
    configResolved: ({ command }) => void (isBuild = command === 'build'),
    async resolveId(id, importer) {
      if (!QUERY.test(id)) return undefined;
      const resolved = await this.resolve(id.replace(QUERY, ''), importer);
      return resolved && `\0address:${resolved.id}`;
    },
    load(id) {
      if (!id.startsWith('\0address:')) return undefined;
      const file = id.slice('\0address:'.length);
      if (!isBuild) return `export default new URL(${JSON.stringify(`/@fs${file}`)}, import.meta.url).href;`;
      // Exports are read by nobody whom the bundler sees: they have to stay.
      const reference = this.emitFile({ type: 'chunk', id: file, preserveSignature: 'strict' });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}
