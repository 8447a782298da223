/** Bodies of requests: JSON, of a size, in time and not too deep; and what still comes of one that was refused. */
import { ServiceError } from './errors.mjs';

/** Lists and objects in one another. Nothing that is asked here has nearly as many, and what walks through them has to return. */
const MOST_DEEP = 100;
/** How long a client may go on to send what was refused, so that it hears why. */
const LINGER_MS = 5000;
const [QUOTE, BACKSLASH] = Array.from('"\\', (character) => character.charCodeAt(0));
const [OPEN, CLOSE] = ['[{', ']}'].map((both) => Array.from(both, (character) => character.charCodeAt(0)));

/**
 * The text of a body that is JSON.
 * @param {import('fastify').FastifyRequest} request
 * @param {import('node:stream').Readable} payload
 * @param {number} ms for all of it to come
 * Errors: 408 `request.slow`; 413 and 400 `request.invalid`.
 */
export async function textOf({ headers, routeOptions }, payload, ms) {
  const most = routeOptions.bodyLimit;
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge(most);
  const text = String(await whole(payload, most, ms));
  if (isDeep(text))
    throw new ServiceError(400, 'request.invalid', `JSON is nested ${MOST_DEEP} deep at most`, {
      expected: MOST_DEEP,
    });
  return text;
}

/** The stream stays open when it is refused: it is the connection, by which the answer goes. */
function whole(payload, most, ms) {
  return new Promise((resolve, reject) => {
    const pieces = [];
    let bytes = 0;
    const end = (settle, value) => {
      clearTimeout(timer);
      payload.off('data', take).off('end', all).off('error', fail);
      settle(value);
    };
    const fail = (error) => end(reject, error);
    const all = () => end(resolve, Buffer.concat(pieces));
    const take = (piece) => {
      bytes += piece.length;
      if (bytes <= most) pieces.push(piece);
      else fail(tooLarge(most));
    };
    const timer = setTimeout(
      () => fail(new ServiceError(408, 'request.slow', 'The request did not come in time', { expected: ms })),
      ms,
    );
    payload.on('data', take).on('end', all).on('error', fail);
  });
}

function tooLarge(most) {
  return new ServiceError(413, 'request.invalid', `JSON has at most ${most} bytes`, { expected: most });
}

/** Told by the text alone: also what reads JSON or checks it might not return from such. */
function isDeep(text) {
  let deep = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) at += Number(code === BACKSLASH);
    else if (OPEN.includes(code) && ++deep > MOST_DEEP) return true;
    else if (CLOSE.includes(code)) deep--;
  }
  return false;
}

/** What still comes is thrown away, but not for ever. Were the connection closed at once, the answer could be lost with it. */
export function linger(request) {
  // All of it has come: the connection is for the next request.
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  const done = () => clearTimeout(timer);
  request.once('end', done).once('close', done).resume();
}
