// The order of functions in a module: those that have pieces in common near each other, since gzip looks back 32 kB for what it
// has seen before. Modules are a tenth smaller for it once packed.
import { readFileSync, writeFileSync } from 'node:fs';

/** Kinds of sections, the part of the section `name` that names functions, and kinds of what is imported. */
const [CUSTOM, IMPORTS, CODE] = [0, 2, 10];
const FUNCTIONS = 1;
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];
/** Bytes before the first section. */
const PREAMBLE = 8;

/** Bytes of a piece: what gzip names in less than it takes. */
const PIECE = 6;
/** What is in more functions than so many tells nothing of which are alike. */
const COMMON = 1000;
/** Bytes of functions that the next one is to be like: some less than gzip looks back, since those to come are in it, too. */
const WINDOW = 28_000;

/** Names the functions of a module by their place in that order, for wasm-opt to sort them by name; other names it loses. */
export function nameByLikeness(file) {
  const bytes = readFileSync(file);
  const sections = parts(bytes, PREAMBLE, bytes.length);
  const section = (kind) => sections.find(({ id }) => id === kind);
  const bodies = entries(bytes, section(CODE).start, (at) => {
    const { value, next } = number(bytes, at);
    return { value: bytes.subarray(next, next + value), next: next + value };
  });
  const imported = importedFunctions(bytes, section(IMPORTS));
  const places = order(bodies).map((index, place) => ({ index: imported + index, name: digits(place) }));
  const imports = Array.from({ length: imported }, (_, index) => ({ index, name: `imported ${index}` }));
  const names = [...imports, ...places.sort((a, b) => a.index - b.index)];
  const map = names.flatMap(({ index, name }) => [encoded(index), encodedText(name)]);
  const named = part(CUSTOM, encodedText('name'), part(FUNCTIONS, encoded(names.length), ...map));
  const others = sections.filter(({ id, start }) => id !== CUSTOM || text(bytes, start).value !== 'name');
  const kept = others.map(({ from, end }) => bytes.subarray(from, end));
  writeFileSync(file, Buffer.concat([bytes.subarray(0, PREAMBLE), ...kept, named]));
}

/**
 * The order: after each function the one that has the largest part in common with those of the window before it; where none has
 * anything, the next as they were given.
 */
function order(bodies) {
  const having = new Map();
  const all = bodies.map((body) => pieces(body));
  all.forEach((own, index) => {
    for (const piece of own) {
      if (having.has(piece)) having.get(piece).push(index);
      else having.set(piece, [index]);
    }
  });
  const telling = (piece) => having.get(piece).length > 1 && having.get(piece).length <= COMMON;
  const shared = all.map((own) => [...own].filter(telling));
  /** How many functions of the window have a piece; of each function how many of its pieces are there. */
  const there = new Map();
  const met = new Int32Array(bodies.length);
  const count = (index, change, edge) => {
    for (const piece of shared[index]) {
      const now = (there.get(piece) ?? 0) + change;
      there.set(piece, now);
      if (now === edge) for (const other of having.get(piece)) met[other] += change;
    }
  };
  const [open, placed] = [new Set(bodies.keys()), []];
  let [first, size] = [0, 0];
  while (open.size > 0) {
    let [best, most] = [open.values().next().value, 0];
    for (const index of open) {
      // What a function costs beside its pieces keeps the shortest from being everybody's next.
      const part = met[index] / (bodies[index].length + 20);
      if (part > most) [best, most] = [index, part];
    }
    open.delete(best);
    placed.push(best);
    count(best, 1, 1);
    size += bodies[best].length;
    for (; size > WINDOW && first < placed.length - 1; first += 1) {
      count(placed[first], -1, 0);
      size -= bodies[placed[first]].length;
    }
  }
  return placed;
}

/** What of a length is in a body, as hashes. */
function pieces(body) {
  const all = new Set();
  for (let at = 0; at + PIECE <= body.length; at += 1) {
    let hash = 0;
    for (let byte = at; byte < at + PIECE; byte += 1) hash = Math.imul(hash ^ body[byte], 0x01000193);
    all.add(hash >> 2);
  }
  return all;
}

function importedFunctions(bytes, { start }) {
  const limits = (at) => {
    const { next } = number(bytes, at + 1);
    return bytes[at] & 1 ? number(bytes, next).next : next;
  };
  const behind = {
    [FUNCTION]: (at) => number(bytes, at).next,
    [TABLE]: (at) => limits(at + 1),
    [MEMORY]: limits,
    [GLOBAL]: (at) => at + 2,
  };
  const kinds = entries(bytes, start, (at) => {
    const kind = text(bytes, text(bytes, at).next).next;
    return { value: bytes[kind], next: behind[bytes[kind]](kind + 1) };
  });
  return kinds.filter((kind) => kind === FUNCTION).length;
}

/** A number as a name that sorts as it does. */
function digits(number) {
  return String(number).padStart(8, '0');
}

/** Parts that begin with their kind and their size: where each begins, and where its content begins and ends. */
function parts(bytes, from, end) {
  const all = [];
  for (let at = from; at < end; at = all.at(-1).end) {
    const { value, next } = number(bytes, at + 1);
    all.push({ id: bytes[at], from: at, start: next, end: next + value });
  }
  return all;
}

/** A list that begins with its length. */
function entries(bytes, start, read) {
  let { value: left, next } = number(bytes, start);
  const all = [];
  for (; left > 0; left -= 1) {
    const entry = read(next);
    all.push(entry.value);
    next = entry.next;
  }
  return all;
}

/** A number in LEB128. */
function number(bytes, at) {
  let value = 0;
  for (let bits = 0; ; bits += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** bits;
    if (byte < 0x80) return { value, next: at };
  }
}

function text(bytes, at) {
  const { value, next } = number(bytes, at);
  return { value: bytes.toString('utf8', next, next + value), next: next + value };
}

function encoded(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.from([...bytes, value]);
}

function encodedText(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([encoded(bytes.length), bytes]);
}

function part(id, ...content) {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([id]), encoded(bytes.length), bytes]);
}
