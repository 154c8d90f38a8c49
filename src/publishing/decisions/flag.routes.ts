import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, ValidationError } from '../../common/errors/api-errors';
import { matchesTag, parseTags } from '../../common/http/etag';
import { answerPreflight, CLIENT_HEADERS } from '../../common/http/cors';
import { bodyOf } from '../../common/http/delivery-body';
import { querySwitch } from '../../common/http/query-switch';
import { addRoute } from '../../common/http/raw-routes';
import { sendingOf } from '../../events/recent/sending';
import { environmentOf } from '../payload-query';
import type { Published } from '../published';
import type { PublishedProjects } from '../published-projects';
import { projectOf } from './caller';
import type { FlagOptions, FlagsService } from './flags.service';
import { ofrepError, readSubject } from './ofrep';

const FLAGS = '/ofrep/v1/evaluate/flags';
const FLAG = `${FLAGS}/:key`;
const FLAG_URL = new RegExp(`^${FLAGS}/([^/?]+)/?(?:\\?|$)`);
const KEY = { keyIn: 'headers' } as const;
const POST = { methods: 'POST', headers: `${CLIENT_HEADERS}, if-none-match`, ...KEY };
const JSON_TYPE = 'application/json; charset=utf-8';

/** Adds the routes for the OpenFeature Remote Evaluation Protocol (OFREP). */
export function addFlagRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  flags: FlagsService,
): void {
  answerPreflight(server, FLAG, POST);
  addRoute<{ Params: { key: string } }>(server, {
    method: 'POST',
    path: FLAG,
    access: 'client-key',
    ...KEY,
    waits: true,
    handler: async (request) => {
      const { key } = request.params;
      const published = await projectOf(request, projects);
      const { record, ...options } = optionsOf(request, published, key);
      const subject = readSubject(bodyOf(request).value, key);
      const evaluation = flags.evaluate(published, options, key, subject);
      if (evaluation === null) {
        throw flagNotFound(key);
      }
      if (!record) {
        return evaluation;
      }
      const { keyedProject } = request;
      return flags.record(published, subject, evaluation, { keyedProject, sending: sendingOf(request) });
    },
  });
  answerPreflight(server, FLAGS, POST);
  addRoute(server, {
    method: 'POST',
    path: FLAGS,
    access: 'client-key',
    ...KEY,
    waits: true,
    handler: async (request, reply) => {
      const published = await projectOf(request, projects);
      const { record, ...options } = optionsOf(request, published, null);
      if (record) {
        throw ofrepError('GENERAL', RECORD_ALL, null);
      }
      const subject = readSubject(bodyOf(request).value, null);
      const evaluations = await flags.evaluateAll(published, options, subject);
      const { revision } = published;
      return sendTagged(request, reply, JSON.stringify({ flags: evaluations, metadata: { revision } }));
    },
  });
}

const flagNotFound = (key: string): ApiError =>
  ofrepError('FLAG_NOT_FOUND', `Flag '${key}' was not found.`, key);

/**
 * The error for a single-flag URL whose key cannot be decoded or is too long. The error contains the key as it was
 * sent. Null for all other URLs.
 */
export function unreadableFlag(url: string): ApiError | null {
  const [, key] = FLAG_URL.exec(url) ?? [];
  return key === undefined ? null : flagNotFound(key);
}

/** The error message for `record` in a request for all flags. Providers evaluate all flags before any flag is shown. */
const RECORD_ALL =
  'The record parameter requires a single flag: with all flags at once, the visitor would count in every experiment.';

interface RequestOptions extends FlagOptions {
  record: boolean;
}

/** Reads the options. OFREP has no status 422. @throws ApiError (400) in the OFREP format if a parameter is invalid */
function optionsOf({ query }: FastifyRequest, published: Published, key: string | null): RequestOptions {
  try {
    return {
      environment: environmentOf(query, published),
      hasValueAlways: hasValueAlways(query),
      record: querySwitch(query, 'record'),
    };
  } catch (error) {
    throw error instanceof ValidationError ? ofrepError('GENERAL', error.message, key) : error;
  }
}

/** Whether `?values=always` is set. @throws ValidationError if the parameter has a different value */
function hasValueAlways(query: unknown): boolean {
  const { values } = query as Record<string, unknown>;
  if (values !== undefined && values !== 'always') {
    throw new ValidationError([{ path: 'values', message: 'The values parameter must be "always".' }]);
  }
  return values === 'always';
}

/** Responds with the text, or with 304 if `If-None-Match` has its ETag. OFREP requires the 304 for POST as well. */
function sendTagged({ headers }: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
  const known = headers['if-none-match'];
  reply.header('etag', etag);
  return known !== undefined && matchesTag(parseTags(known), etag)
    ? reply.code(304).send()
    : reply.header('content-type', JSON_TYPE).send(text);
}
