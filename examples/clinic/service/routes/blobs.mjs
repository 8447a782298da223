/** Bytes, up and down. */
import { checkDeclared } from '../blobs.mjs';
import { ServiceError } from '../errors.mjs';
import { allow } from '../roles.mjs';
import * as schemas from '../schemas.mjs';

const BYTES = 'application/octet-stream';

export function closed(app, { storage }) {
  // What is too large by what it says of itself is refused before a byte of it is read.
  const declared = async (request, reply) => {
    allow(request.user, 'blobs.write');
    if (request.headers['content-type'] !== BYTES)
      throw new ServiceError(415, 'upload.type', `Blobs are sent as ${BYTES}`, {
        found: request.headers['content-type'] ?? 'nothing',
        expected: BYTES,
      });
    reply.header('connection', 'close');
    checkDeclared(Number(request.headers['content-length'] ?? 0), await storage.limits(request.user));
    reply.removeHeader('connection');
  };
  // The body stays a stream.
  app.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));
  app.post('/blobs', { preParsing: declared }, async (request, reply) => {
    try {
      const blob = await storage.bring(request.user, request.body.iterator({ destroyOnReturn: false }));
      reply.code(201);
      return blob;
    } catch (error) {
      // Whatever else comes is not read.
      reply.header('connection', 'close');
      throw error;
    }
  });
  app.get('/blobs/:sha', { schema: { params: schemas.bySha } }, async ({ user, params }, reply) => {
    const bytes = await storage.read(user, params.sha);
    return reply.type(BYTES).send(bytes);
  });
}
