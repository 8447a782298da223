/** Bytes, up and down. */
import { ServiceError } from '../errors.mjs';
import { allow } from '../roles.mjs';
import * as schemas from '../schemas.mjs';

const BYTES = 'application/octet-stream';

export function closed(app, { storage }) {
  // The body stays a stream.
  app.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));
  takeBlobs(app, '/blobs', {
    permission: 'blobs.write',
    take: (request) => storage.bring(request.user, piecesOf(request), saidOf(request)),
  });
  app.get('/blobs/:sha', { schema: { params: schemas.bySha } }, async ({ user, params }, reply) => {
    return sendBlob(reply, await storage.read(user, params.sha));
  });
}

/** A route that takes bytes, none of which is read before `take` does. */
export function takeBlobs(app, path, { permission, schema = {}, take }) {
  const declared = async (request) => {
    allow(request.user, permission);
    if (request.headers['content-type'] !== BYTES)
      throw new ServiceError(415, 'upload.type', `Blobs are sent as ${BYTES}`, {
        found: request.headers['content-type'] ?? 'nothing',
        expected: BYTES,
      });
  };
  app.post(path, { preParsing: declared, schema }, async (request, reply) => {
    const blob = await take(request);
    reply.code(201);
    return blob;
  });
}

/** The pieces of a body that is a stream. */
export function piecesOf(request) {
  return request.body.iterator({ destroyOnReturn: false });
}

/** What a request says of its body: how many bytes it has, and which ones they are (RFC 9530). */
export function saidOf({ headers }) {
  const length = headers['content-length'];
  const [, digest] = /\bsha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers['content-digest'] ?? '') ?? [];
  return {
    ...(length !== undefined && { declared: Number(length) }),
    ...(digest !== undefined && { sha: Buffer.from(digest, 'base64').toString('hex') }),
  };
}

/** Sends bytes as they are read. What goes wrong on the way ends the connection, and is in the log. */
export function sendBlob(reply, { bytes, stream }) {
  stream.once('error', (error) =>
    reply.log.error({ code: error.code, err: error }, 'bytes could not be sent'),
  );
  return reply.type(BYTES).header('content-length', bytes).send(stream);
}
