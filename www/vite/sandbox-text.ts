/**
 * `import TEXT from './harness.ts?sandbox'`: a module and all that it imports as the text of one classic script, for a worker
 * that may load nothing.
 */
import { build, type Plugin } from 'vite';

const QUERY = /\?sandbox$/;

export function sandboxText(): Plugin {
  return {
    name: 'sandbox-text',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!QUERY.test(id)) return undefined;
      const resolved = await this.resolve(id.replace(QUERY, ''), importer);
      return resolved && `\0sandbox:${resolved.id}`;
    },
    async load(id) {
      if (!id.startsWith('\0sandbox:')) return undefined;
      const entry = id.slice('\0sandbox:'.length);
      this.addWatchFile(entry);
      const built = await build({
        configFile: false,
        logLevel: 'error',
        build: {
          write: false,
          target: 'es2022',
          lib: { entry, formats: ['iife'], name: 'cipherloomSandbox' },
        },
      });
      const [output] = Array.isArray(built) ? built : [built];
      if (output === undefined || !('output' in output) || output.output.length !== 1)
        throw new Error(`${entry}: expected one script`);
      return `export default ${JSON.stringify(output.output[0].code)};`;
    },
  };
}
