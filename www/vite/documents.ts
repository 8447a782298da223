/** The guide, and what else is written down in the repository, as pages beside the page, at `guide/`: Markdown, rendered as the page is built. No script runs there. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import type { Plugin } from 'vite';
import { hasReference } from './reference.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REPOSITORY = 'https://github.com/cipherloom/cipherloom/blob/main/';
const FOLDER = 'guide/';

/** File in the repository, name of its page, title in the list. */
export const DOCUMENTS = [
  ['docs/guide/README.md', 'index.html', 'The guide'],
  ['docs/guide/start.md', 'start.html', 'Start in five minutes'],
  ['docs/guide/how-to.md', 'how-to.html', 'Ten things to do'],
  ['docs/guide/concepts.md', 'concepts.html', 'Concepts'],
  ['docs/guide/coming-from.md', 'coming-from.html', 'Coming from elsewhere'],
  ['bindings/README.md', 'package.html', 'The package'],
  ['SECURITY.md', 'security.html', 'Security'],
  ['docs/noise.md', 'noise.html', 'Noise'],
  ['FORMAT.md', 'format.html', 'Formats'],
  ['BENCHMARKS.md', 'benchmarks.html', 'Benchmarks'],
  ['ARCHITECTURE.md', 'architecture.html', 'Architecture'],
  ['CONTRIBUTING.md', 'contributing.html', 'Contributing'],
  ['CHANGELOG.md', 'changelog.html', 'Changelog'],
] as const;

const PAGES: ReadonlyMap<string, string> = new Map(DOCUMENTS.map(([file, page]) => [file, page]));
const FIGURES = new Set(['.svg', '.png']);
/** Letters of a description. */
const MOST_DESCRIBED = 160;
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** All files by their names below the page. Errors: Error for a link to nothing, with the document that has it. */
export function documentFiles(): ReadonlyMap<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  const style = (name: string): string => readFileSync(join(ROOT, 'www/src/styles', `${name}.css`), 'utf8');
  files.set(`${FOLDER}documents.css`, ['tokens', 'base', 'documents'].map(style).join('\n'));
  for (const [file, page, title] of DOCUMENTS) {
    const figure = (path: string): void =>
      void files.set(`${FOLDER}figures/${basename(path)}`, readFileSync(join(ROOT, path)));
    files.set(FOLDER + page, pageOf(title, page, bodyOf(file, figure)));
  }
  return files;
}

function bodyOf(file: string, figure: (path: string) => void): string {
  const slugs = new Map<string, number>();
  const addressOf = (href: string): string => {
    const local = href.startsWith(REPOSITORY) ? `/${href.slice(REPOSITORY.length)}` : href;
    if (local.startsWith('#') || /^[a-z]+:/i.test(local)) return local;
    const [path = '', anchor] = local.split('#');
    const target = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(file), path);
    if (!existsSync(join(ROOT, target)))
      throw new Error(`${file}: found a link to ${target}, expected a file`);
    if (FIGURES.has(extname(target))) {
      figure(target);
      return `figures/${basename(target)}`;
    }
    const end = anchor === undefined ? '' : `#${anchor}`;
    return (PAGES.get(target) ?? REPOSITORY + target.replace(/\/$/, '')) + end;
  };
  const marked = new Marked({
    renderer: {
      heading: (text, level, raw) => {
        const slug = slugOf(raw);
        const before = slugs.get(slug) ?? 0;
        slugs.set(slug, before + 1);
        return `<h${level} id="${slug}${before === 0 ? '' : `-${before}`}">${text}</h${level}>\n`;
      },
      link: (href, _, text) => `<a href="${escaped(addressOf(href))}">${text}</a>`,
      image: (href, _, text) =>
        `<img src="${escaped(addressOf(href))}" alt="${escaped(text)}" loading="lazy" />`,
      table: (header, body) =>
        `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead>${header}</thead><tbody>${body}</tbody></table></div>\n`,
      code: (code) => `<pre class="scroll" tabindex="0"><code>${escaped(code)}</code></pre>\n`,
    },
  });
  return marked.parse(readFileSync(join(ROOT, file), 'utf8'), { async: false }) as string;
}

function pageOf(title: string, page: string, body: string): string {
  const items = DOCUMENTS.map(
    ([, name, text]) =>
      `<li><a href="${name}"${name === page ? ' aria-current="page"' : ''}>${escaped(text)}</a></li>`,
  );
  if (hasReference()) items.push('<li><a href="../reference/index.html">Reference</a></li>');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${descriptionOf(body)}" />
    <title>${escaped(title)} – cipherloom</title>
    <link rel="icon" href="../favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="documents.css" />
  </head>
  <body>
    <a class="skip" href="#main">Skip to the text</a>
    <header><a href="../index.html">cipherloom: the page</a></header>
    <div class="documents">
      <nav aria-label="Documents"><ul>${items.join('')}</ul></nav>
      <main id="main">
${body}
      </main>
    </div>
  </body>
</html>
`;
}

/** What search engines show of a page: the beginning of its first paragraph. */
function descriptionOf(body: string): string {
  const words = (/<p>(.*?)<\/p>/s.exec(body)?.[1] ?? '').replaceAll(/<[^>]*>/g, '').split(/\s+/);
  let text = '';
  for (const word of words) {
    if (text.length + word.length >= MOST_DESCRIBED) return escaped(`${text.trim()}…`);
    text += ` ${word}`;
  }
  return escaped(text.trim());
}

/** As GitHub makes anchors of headings. */
function slugOf(raw: string): string {
  return raw
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replaceAll(/&(?!\w+;)|[<>"]/g, (letter) => `&${names[letter]};`);
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export function documents(): Plugin {
  return {
    name: 'documents',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        if (!pathname.startsWith(`/${FOLDER}`)) return next();
        const name = pathname.slice(1).replace(/\/$/, '/index.html');
        const found = documentFiles().get(name);
        if (found === undefined) return next();
        response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream');
        response.end(found);
      });
    },
    generateBundle() {
      for (const [fileName, source] of documentFiles()) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}
