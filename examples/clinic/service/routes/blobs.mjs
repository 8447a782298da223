/** Bytes, up and down. */
import { checkDeclared } from '../blobs.mjs';
import { linger } from '../bodies.mjs';
import { ServiceError } from '../errors.mjs';
import { allow } from '../roles.mjs';
import * as schemas from '../schemas.mjs';

const BYTES = 'application/octet-stream';

export function closed(app, { storage }) {
  // What is too large by what it says of itself is refused before a byte of it is read.
  const declared = async (request) => {
    allow(request.user, 'blobs.write');
    try {
      if (request.headers['content-type'] !== BYTES)
        throw new ServiceError(415, 'upload.type', `Blobs are sent as ${BYTES}`, {
          found: request.headers['content-type'] ?? 'nothing',
          expected: BYTES,
        });
      checkDeclared(Number(request.headers['content-length'] ?? 0), await storage.limits(request.user));
    } catch (error) {
      linger(request.raw);
      throw error;
    }
  };
  // The body stays a stream.
  app.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));
  app.post('/blobs', { preParsing: declared }, async (request, reply) => {
    try {
      const blob = await storage.bring(request.user, request.body.iterator({ destroyOnReturn: false }));
      reply.code(201);
      return blob;
    } catch (error) {
      linger(request.raw);
      throw error;
    }
  });
  app.get('/blobs/:sha', { schema: { params: schemas.bySha } }, async ({ user, params }, reply) => {
    return sendBlob(reply, await storage.read(user, params.sha));
  });
}

/** Sends bytes as they are read. What goes wrong on the way ends the connection, and is in the log. */
export function sendBlob(reply, { bytes, stream }) {
  stream.once('error', (error) =>
    reply.log.error({ code: error.code, err: error }, 'bytes could not be sent'),
  );
  return reply.type(BYTES).header('content-length', bytes).send(stream);
}
