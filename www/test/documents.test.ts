// The documents as pages: whatever they lead to is there. (No part of tsconfig.json's program: it has the types of Node, where timers are no numbers.)
import { expect, test } from 'vitest';
import { DOCUMENTS, documentFiles } from '../vite/documents.js';

const files = documentFiles();
const text = (name: string): string => String(files.get(`guide/${name}`));
const ids = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));

test.each(DOCUMENTS.map(([, page]) => page))('%s', (page) => {
  const html = text(page);
  expect(html.match(/<h1 /g)?.length).toBe(1);
  expect(/<script|<[a-z][^<>]*\son\w+=|="javascript:/i.exec(html)?.[0]).toBeUndefined();
  // A heading's place is its own.
  expect(ids(html).size).toBe(html.match(/ id="/g)!.length);
  const addresses = [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, address]) => address as string);
  for (const address of addresses) {
    if (/^https?:/.test(address) || address.startsWith('../')) continue;
    const [name = '', anchor] = address.split('#');
    const target = name === '' ? page : name;
    expect(files.has(`guide/${target}`), address).toBe(true);
    if (anchor !== undefined) expect(ids(text(target)).has(anchor), address).toBe(true);
  }
});

test('figures are those that the package drew', () => {
  expect(text('concepts.html')).toContain('<img src="figures/bgv-8192.svg"');
  expect(files.get('guide/figures/bgv-8192.svg')!.length).toBeGreaterThan(1000);
});
