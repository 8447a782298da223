/** Serves what was built by brotli to whoever takes it, as a host should: Vite's preview has gzip alone, and sends WebAssembly as it is. */
import { readFile, stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

/** What gets smaller by it. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
};
/** As quick as gzip, and smaller. */
const QUALITY = 5;
const compress = promisify(brotliCompress);

export function compressed(): Plugin {
  return {
    name: 'compressed',
    configurePreviewServer: ({ config, middlewares }) => {
      const folder = resolve(config.root, config.environments['client']!.build.outDir);
      /** By path; done once, and again for a file that was built anew. */
      const kept = new Map<string, { readonly tag: string; readonly bytes: Promise<Buffer> }>();
      middlewares.use((request, response, next) => {
        const takes = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
        const isAsked = request.method === 'GET' && request.headers.range === undefined;
        const path = pathOf(request.url ?? '/', folder);
        const type = path === undefined ? undefined : TYPES[extname(path)];
        if (!takes || !isAsked || path === undefined || type === undefined) return next();
        const send = async (): Promise<void> => {
          const about = await stat(path).catch(() => undefined);
          if (about?.isFile() !== true) return next();
          const tag = `W/"${about.size}-${about.mtimeMs}-br"`;
          const headers = { ...config.preview.headers, 'Cache-Control': 'no-cache', ETag: tag };
          for (const [name, value] of Object.entries(headers))
            if (value !== undefined) response.setHeader(name, value);
          response.setHeader('Vary', 'Accept-Encoding');
          if (request.headers['if-none-match'] === tag) {
            response.statusCode = 304;
            response.end();
            return;
          }
          let found = kept.get(path);
          if (found?.tag !== tag) {
            found = { tag, bytes: readFile(path).then((bytes) => brotli(bytes)) };
            kept.set(path, found);
          }
          const bytes = await found.bytes;
          response.setHeader('Content-Type', type);
          response.setHeader('Content-Encoding', 'br');
          response.setHeader('Content-Length', bytes.length);
          response.end(bytes);
        };
        send().catch((error: unknown) => {
          kept.delete(path); // the next one tries anew
          next(error);
        });
      });
    },
  };
}

/** The file of an address; undefined for none below the folder. */
function pathOf(url: string, folder: string): string | undefined {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const path = join(
      folder,
      decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname),
    );
    return path.startsWith(folder + sep) && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

function brotli(bytes: Buffer): Promise<Buffer> {
  return compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
