import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../common/errors/api-errors';
import type { KeyPlace } from '../common/http/client-key';
import { type ContentCoding, contentCoding } from '../common/http/content-coding';
import { answerPreflight, CLIENT_HEADERS } from '../common/http/cors';
import { addRoute, type RawHandler } from '../common/http/raw-routes';
import type { RecentMessages } from '../events/recent/recent-messages';
import { pageHost } from '../events/recent/sending';
import { writtenPayload } from './published';
import { requestedPayload } from './payload-query';
import type { PreviewScripts } from './preview-scripts';
import type { Encoded, Published } from './published';
import type { PublishedProjects } from './published-projects';
import type { PayloadStreams } from './streams/payload-streams';

const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/**
 * A paused experiment can remain visible for two minutes, because browsers can use a cached script while they
 * revalidate it.
 */
const CURRENT = 'public, max-age=60, stale-while-revalidate=60, stale-if-error=86400';
const FOR_EVER = 'public, max-age=31536000, immutable';
const PREVIEW_TOKEN = /^([\w.-]{1,100})\.js$/;
const REVISION = /^([1-9]\d{0,9})\.js$/;
const SNIPPET = /^(\w{1,100})\.js$/;

/** Is notified of each delivered snippet. */
export type SnippetListener = Pick<RecentMessages, 'noteSnippet'>;

/** Adds the routes that serve scripts and payloads to browsers and SDKs. */
export function addArtifactRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  previews: Pick<PreviewScripts, 'find'>,
  { isEnabled: hasStreams }: Pick<PayloadStreams, 'isEnabled'>,
  onSnippet: SnippetListener | null,
): void {
  addArtifact<'file'>(server, '/s/:file', 'file', (request, reply) =>
    withCurrent(projects, part(SNIPPET, request.params.file), ({ projectId, snippet, revision }) => {
      onSnippet?.noteSnippet(projectId, pageHost(request));
      sendEncoded(request, reply, snippet, { type: SCRIPT, control: CURRENT, revision });
    }),
  );
  addArtifact<'clientKey' | 'file'>(server, '/s/:clientKey/:file', 'path', async (request, reply) => {
    const { clientKey, file } = request.params;
    const revision = Number(part(REVISION, file));
    const { snippet } = found(await projects.findRevision(clientKey, revision));
    const published = projects.findKnown(clientKey);
    if (published) {
      onSnippet?.noteSnippet(published.projectId, pageHost(request));
    }
    sendEncoded(request, reply, snippet, { type: SCRIPT, control: FOR_EVER, revision });
  });
  addArtifact<'clientKey' | 'file'>(server, '/s/:clientKey/preview/:file', 'path', async (request, reply) => {
    const { clientKey, file } = request.params;
    const script = found(await previews.find(clientKey, part(PREVIEW_TOKEN, file)));
    return reply.headers({ 'content-type': SCRIPT, 'cache-control': 'no-store' }).send(script);
  });
  addArtifact<'clientKey'>(server, '/api/features/:clientKey', 'path', (request, reply) =>
    withCurrent(projects, request.params.clientKey, (published) => {
      const payload = found(requestedPayload(request.query, published));
      const { revision } = published;
      if (hasStreams) {
        reply.header('x-sse-support', 'enabled');
      }
      sendEncoded(request, reply, writtenPayload(payload), { type: JSON_TYPE, control: CURRENT, revision });
    }),
  );
}

/** Adds a GET route and its preflight response. */
function addArtifact<Name extends string>(
  server: FastifyInstance,
  path: string,
  keyIn: KeyPlace,
  handler: RawHandler<{ Params: Record<Name, string> }>,
): void {
  answerPreflight(server, path, { methods: 'GET', headers: CLIENT_HEADERS, keyIn });
  addRoute<{ Params: Record<Name, string> }>(server, {
    method: 'GET',
    path,
    access: 'client-key',
    keyIn,
    handler,
  });
}

/**
 * Calls `answer` with the live content for a client key. The call is synchronous if the content is cached, which is by
 * far the most common case.
 * @throws NotFoundError if the key is unknown
 */
function withCurrent(
  projects: PublishedProjects,
  clientKey: string,
  answer: (published: Published) => void,
): void | Promise<void> {
  const known = projects.findKnown(clientKey);
  if (known === undefined) {
    return projects.find(clientKey).then((published) => answer(found(published)));
  }
  answer(known);
  return undefined;
}

const part = (pattern: RegExp, file: string): string => found(pattern.exec(file))[1];

const BODIES: Readonly<Record<ContentCoding, (encoded: Encoded) => Buffer>> = {
  br: ({ brotli }) => brotli,
  gzip: ({ gzip }) => gzip,
  identity: ({ plain }) => plain,
};

interface Caching {
  type: string;
  control: string;
  revision: number;
}

/** Sends the content in the preferred encoding. Each encoding has its own ETag, because its bytes differ. */
function sendEncoded(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  encoded: Encoded,
  { type, control, revision }: Caching,
): void {
  const coding = contentCoding(headers['accept-encoding']);
  const isPlain = coding === 'identity';
  reply.headers({
    'content-type': type,
    'cache-control': control,
    etag: `"${encoded.sha256.slice(0, 32)}${isPlain ? '' : `-${coding}`}"`,
    vary: 'Accept-Encoding',
    'x-snippet-revision': revision,
    ...(isPlain ? {} : { 'content-encoding': coding }),
  });
  void reply.send(BODIES[coding](encoded));
}
