/** A transport whose messages can be looked at: what went over the wire, as it went. */
import type { Crossing, Transport } from 'cipherloom/parties';

export interface Message {
  readonly from: string;
  readonly to: string;
  readonly bytes: Uint8Array;
  /** The value that it carries, and where in it. */
  readonly value: { readonly crossing: Crossing; readonly at: number } | undefined;
}

/** Most bytes of a message that are kept. */
const MOST = 4096;

/** Who listens to a transport. */
export interface Listener {
  readonly party: string;
  readonly crossings: readonly Crossing[];
  heard(message: Message): void;
  /** Whether nothing is to be sent any more. */
  isMute(): boolean;
}

/** A transport that hands everything on, and tells its listener of it. */
export function overheard(transport: Transport, { party, crossings, heard, isMute }: Listener): Transport {
  const channels = crossings.map((crossing) => ({ crossing, id: bytesOf(crossing.channel) }));
  const tell = (from: string, to: string, bytes: Uint8Array): void => {
    const found = channels.find(
      ({ crossing, id }) =>
        crossing.from === from && crossing.to === to && bytes.length > crossing.bytes && has(bytes, id),
    )?.crossing;
    const value = found && { crossing: found, at: bytes.length - found.bytes };
    heard({ from, to, bytes: bytes.slice(0, MOST), value });
  };
  return {
    send: (to, bytes) => {
      if (isMute()) return Promise.resolve();
      tell(party, to, bytes);
      return transport.send(to, bytes);
    },
    listen: (hear, lost) =>
      transport.listen((from, bytes) => {
        tell(from, party, bytes);
        hear(from, bytes);
      }, lost),
    close: () => transport.close(),
  };
}

function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../g)!, (byte) => parseInt(byte, 16));
}

function has(bytes: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= bytes.length; at++)
    if (part.every((byte, index) => bytes[at + index] === byte)) return true;
  return false;
}
