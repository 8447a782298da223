/** Constants of a computation, one packet for each core, loaded once before it runs [L6]. */
import { describe } from '../arguments.js';
import { checkObject, checkWhole, wrong } from './wrong.js';

/** A constant: the same bytes for every core, or a block for each. */
export interface Constant {
  readonly name: string;
  /** For all cores. */
  readonly whole?: Uint8Array | undefined;
  /** One for each core; undefined for a core that has none. */
  readonly blocks?: readonly (Uint8Array | undefined)[] | undefined;
}

/** What packets are made of. */
export interface PacketContents {
  /** Parameters and compiled instructions, in their order. */
  readonly constants: readonly Constant[];
  /** Of each core: where its inputs and outputs lie. 8 bytes each. */
  readonly addresses?: readonly (readonly NamedNumber[])[] | undefined;
  /** Bytes of hidden data, the same for every core. 8 bytes each. */
  readonly hidden?: readonly NamedNumber[] | undefined;
  /** Whether the constant mark tells the size of each constant beside the total. Default false. */
  readonly sizes?: boolean | undefined;
}

/** A number with a name: whole, from 0 to 2^53 - 1. */
export interface NamedNumber {
  readonly name: string;
  readonly value: number;
}

/** The segments of a packet, in their order. */
export const SEGMENTS = ['constants', 'addresses', 'hidden'] as const;
/** See {@link SEGMENTS}. */
export type Segment = (typeof SEGMENTS)[number];

/** Something in a segment. */
export interface PacketEntry {
  readonly name: string;
  readonly size: number;
  /** From the segment's begin. */
  readonly offset: number;
}

/** A core's packet, opened. */
export interface Packet {
  /** From 0. */
  readonly core: number;
  readonly bytes: Uint8Array;
  readonly entries: Readonly<Record<Segment, readonly PacketEntry[]>>;
  readonly marks: {
    /** Bytes of all constants. */
    readonly constants: number;
    /** Of each, where the mark tells them. */
    readonly sizes: readonly number[] | undefined;
    /** Bytes of all addresses. */
    readonly addresses: number;
    /** Sum of the sizes of hidden data. */
    readonly hidden: number;
  };
  /** The bytes of an entry. Errors: LayoutError `layout.packet`. */
  read(segment: Segment, name: string): Uint8Array;
}

const MAGIC = 0x6b_70_6c_63; // "clpk"
const VERSION = 1;
/** Bytes of an address and of a hidden size. */
const WORD = 8;
const WITH_SIZES = 1;
const MOST_ENTRIES = 65536;

/** A packet for each core: as many as there are addresses, or blocks. Errors: LayoutError `layout.packet`. */
export function packConstants(cores: number, contents: PacketContents): readonly Packet[] {
  checkWhole('layout.packet', 'packets, cores', cores, 1, 4096);
  checkObject('layout.packet', 'packets, contents', contents, ['constants', 'addresses', 'hidden', 'sizes']);
  const { constants, addresses = [], hidden = [], sizes = false } = contents;
  if (typeof sizes !== 'boolean')
    throw wrong('layout.packet', 'packets, sizes', describe(sizes), 'true or false');
  checkList('constants', constants, ['name', 'whole', 'blocks']);
  checkList('hidden', hidden, ['name', 'value']);
  if (!Array.isArray(addresses))
    throw wrong('layout.packet', 'packets, addresses', describe(addresses), 'an array');
  for (const own of addresses) checkList('addresses', own, ['name', 'value']);
  if (addresses.length !== 0 && addresses.length !== cores)
    throw wrong('layout.packet', 'packets, addresses', `those of ${addresses.length} cores`, `of ${cores}`);
  return Array.from({ length: cores }, (_, core) => {
    const blocks = constants.flatMap((constant): Named[] => {
      const bytes = blockOf(constant, core, cores);
      return bytes === undefined ? [] : [{ name: constant.name, bytes }];
    });
    const words = (numbers: readonly NamedNumber[]): Named[] =>
      numbers.map(({ name, value }) => ({ name, bytes: word(name, value) }));
    return openPacket(write(core, [blocks, words(addresses[core] ?? []), words(hidden)], sizes));
  });
}

/** Errors: LayoutError `layout.packet` for what is no array of objects with these names. */
function checkList(what: string, list: unknown, names: readonly string[]): void {
  if (!Array.isArray(list)) throw wrong('layout.packet', `packets, ${what}`, describe(list), 'an array');
  for (const one of list) checkObject('layout.packet', `packets, ${what}`, one, names);
}

interface Named {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function blockOf(constant: Constant, core: number, cores: number): Uint8Array | undefined {
  const { name, whole, blocks } = constant;
  const where = `packets, constant ${describe(name)}`;
  if ((whole === undefined) === (blocks === undefined))
    throw wrong('layout.packet', where, 'both or none of whole, blocks', 'one of them');
  if (blocks !== undefined && (!Array.isArray(blocks) || blocks.length !== cores))
    throw wrong('layout.packet', where, `blocks: ${describe(blocks)}`, `one for each of ${cores} cores`);
  const bytes: unknown = whole ?? blocks?.[core];
  if (bytes !== undefined && !(bytes instanceof Uint8Array))
    throw wrong('layout.packet', where, describe(bytes), 'bytes (Uint8Array)');
  return bytes;
}

function word(name: string, value: number): Uint8Array {
  checkWhole('layout.packet', `packets, ${describe(name)}`, value, 0, Number.MAX_SAFE_INTEGER);
  const bytes = new Uint8Array(WORD);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

/** FORMAT.md says the bytes. */
function write(core: number, segments: readonly (readonly Named[])[], sizes: boolean): Uint8Array {
  const encoder = new TextEncoder();
  const out: number[] = [];
  const u32 = (value: number): void =>
    void out.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
  const u64 = (value: number): void => {
    u32(value % 2 ** 32);
    u32(Math.floor(value / 2 ** 32));
  };
  const total = (named: readonly Named[]): number => named.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const [constants = [], addresses = [], hidden = []] = segments;
  [MAGIC, VERSION, core, sizes ? WITH_SIZES : 0].forEach(u32);
  u64(total(constants));
  u64(total(addresses));
  u64(hidden.reduce((sum, { bytes }) => sum + readWord(bytes), 0));
  for (const segment of segments) {
    if (segment.length > MOST_ENTRIES)
      throw wrong('layout.packet', 'packets', `${segment.length} entries`, `at most ${MOST_ENTRIES}`);
    if (new Set(segment.map(({ name }) => name)).size !== segment.length)
      throw wrong('layout.packet', 'packets', 'a name twice in a segment', 'each once');
    u32(segment.length);
  }
  if (sizes) for (const { bytes } of constants) u64(bytes.length);
  for (const segment of segments) {
    let offset = 0;
    for (const { name, bytes } of segment) {
      const text = encoder.encode(typeof name === 'string' ? name : '');
      if (text.length === 0 || text.length > 256)
        throw wrong('layout.packet', 'packets, name', describe(name), '1 to 256 bytes');
      u32(text.length);
      out.push(...text);
      u64(offset);
      u64(bytes.length);
      offset += bytes.length;
    }
  }
  const all = segments.flat();
  const result = new Uint8Array(out.length + total(all));
  result.set(out);
  let at = out.length;
  for (const { bytes } of all) {
    result.set(bytes, at);
    at += bytes.length;
  }
  return result;
}

function readWord(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, WORD).getBigUint64(0, true));
}

/** Opens a packet, with every offset, size and mark looked at. Errors: LayoutError `layout.packet`. */
export function openPacket(bytes: Uint8Array): Packet {
  if (!(bytes instanceof Uint8Array))
    throw wrong('layout.packet', 'packet', describe(bytes), 'bytes (Uint8Array)');
  const own = bytes.slice();
  const view = new DataView(own.buffer);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  const take = (length: number): number => {
    if (length > own.length - at)
      throw wrong('layout.packet', `packet, byte ${at}`, 'its end', `${length} more bytes`);
    at += length;
    return at - length;
  };
  const u32 = (): number => view.getUint32(take(4), true);
  const u64 = (): number => {
    const value = Number(view.getBigUint64(take(8), true));
    return checkWhole('layout.packet', `packet, byte ${at - 8}`, value, 0, Number.MAX_SAFE_INTEGER);
  };
  const [magic, version, core, flags] = [u32(), u32(), u32(), u32()];
  if (magic !== MAGIC || version !== VERSION || flags > WITH_SIZES)
    throw wrong(
      'layout.packet',
      'packet, header',
      `magic ${magic.toString(16)}, version ${version}, flags ${flags}`,
      'those of a packet of version 1',
    );
  const marks = [u64(), u64(), u64()] as const;
  const counts = SEGMENTS.map(() => checkWhole('layout.packet', 'packet, entries', u32(), 0, MOST_ENTRIES));
  const sizes = flags === WITH_SIZES ? Array.from({ length: counts[0] ?? 0 }, u64) : undefined;
  const entries = SEGMENTS.map((segment, index) => {
    let offset = 0;
    return Array.from({ length: counts[index] ?? 0 }, (): PacketEntry => {
      const length = checkWhole('layout.packet', 'packet, name', u32(), 1, 256);
      const from = take(length);
      const name = ((): string => {
        try {
          return decoder.decode(own.subarray(from, from + length));
        } catch {
          throw wrong('layout.packet', `packet, byte ${from}`, 'a name that is no UTF-8', 'text');
        }
      })();
      const [begin, size] = [u64(), u64()];
      if (begin !== offset)
        throw wrong(
          'layout.packet',
          `packet, ${segment}, offset of ${describe(name)}`,
          `${begin}`,
          `${offset}`,
        );
      if (segment !== 'constants' && size !== WORD)
        throw wrong('layout.packet', `packet, ${segment}, size of ${describe(name)}`, `${size}`, `${WORD}`);
      offset += size;
      return Object.freeze({ name, size, offset: begin });
    });
  });
  const starts = entries.map((segment) => take(segment.reduce((sum, { size }) => sum + size, 0)));
  if (at !== own.length)
    throw wrong('layout.packet', `packet, byte ${at}`, `${own.length - at} bytes more`, 'its end');
  const find = (segment: Segment, name: string): Uint8Array => {
    const index = SEGMENTS.indexOf(segment);
    const entry = entries[index]?.find((one) => one.name === name);
    if (entry === undefined)
      throw wrong(
        'layout.packet',
        `packet, ${describe(segment)}`,
        `no ${describe(name)}`,
        'an entry of that name',
      );
    const from = (starts[index] ?? 0) + entry.offset;
    return own.subarray(from, from + entry.size);
  };
  const sum = (index: number): number => (entries[index] ?? []).reduce((all, { size }) => all + size, 0);
  const hidden = (entries[2] ?? []).reduce((all, { name }) => all + readWord(find('hidden', name)), 0);
  const found = [sum(0), sum(1), hidden];
  if (found.some((value, index) => value !== marks[index]))
    throw wrong('layout.packet', 'packet, marks', marks.join(', '), found.join(', '));
  if (sizes?.some((size, index) => size !== entries[0]?.[index]?.size) === true)
    throw wrong('layout.packet', 'packet, mark of sizes', sizes.join(', '), 'the sizes of its constants');
  return Object.freeze({
    core,
    bytes: own,
    entries: { constants: entries[0] ?? [], addresses: entries[1] ?? [], hidden: entries[2] ?? [] },
    marks: Object.freeze({ constants: marks[0], sizes, addresses: marks[1], hidden: marks[2] }),
    read: (segment: Segment, name: string) => find(segment, name).slice(),
  });
}
