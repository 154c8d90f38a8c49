import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { dump } from 'js-yaml';

interface Format {
  type: string;
  textOf(document: OpenAPIObject): string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  'openapi.json': { type: 'application/json; charset=utf-8', textOf: (document) => JSON.stringify(document) },
  'openapi.yaml': {
    type: 'text/yaml; charset=utf-8',
    textOf: (document) => dump(document, { skipInvalid: true, noRefs: true }),
  },
};

/**
 * Serves the OpenAPI document from memory, with an ETag. The library would serialize it for each request, which takes
 * long for YAML and needs no token. Must be called before the library adds its routes.
 * @param path the path of the folder that contains the documents
 */
export function serveDocuments(
  server: FastifyInstance,
  path: string,
  getDocument: () => OpenAPIObject,
): void {
  const formats = new Map(Object.entries(FORMATS).map(([name, format]) => [`${path}/${name}`, format]));
  const bodies = new Map<Format, TaggedBody>();
  server.addHook('onRoute', (route) => {
    const format = formats.get(route.url);
    if (format === undefined) {
      return;
    }
    // The routes for GET and HEAD are added separately.
    route.handler = (_request, reply) => {
      const kept = bodies.get(format) ?? taggedBody(format.textOf(getDocument()));
      bodies.set(format, kept);
      void reply.type(format.type).header('etag', kept.etag).send(kept.body);
    };
  });
}

interface TaggedBody {
  body: Buffer;
  etag: string;
}

function taggedBody(text: string): TaggedBody {
  const body = Buffer.from(text);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
