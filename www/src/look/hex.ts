/** Bytes as people look at them. */
const ACROSS = 8;

/** Lines of eight bytes: their place, in hexadecimal digits, and as letters. */
export function hexLines(bytes: Uint8Array, from: number, count: number): string[] {
  const end = Math.min(bytes.length, from + count);
  const lines: string[] = [];
  for (let at = Math.max(0, from); at < end; at += ACROSS) {
    const row = [...bytes.subarray(at, Math.min(at + ACROSS, end))];
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = row
      .map((byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'))
      .join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(ACROSS * 3 - 1)}  ${letters}`);
  }
  return lines;
}
