import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { pageActor, signedInUser } from '../../platform/access/actor';
import { SignInNeeded } from '../../account/session.guard';
import { callAsUser } from '../../platform/access/page-context';
import { Config } from '../../config/config';
import type { ApiCall } from '../curl';

interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/** The API's response to a call. */
export interface ApiAnswer extends Omit<RawAnswer, 'text'> {
  /** Undefined without a body. */
  body: unknown;
}

/**
 * Calls the API inside this process on behalf of the signed-in user. The API performs all checks (permissions,
 * visibility, validation, preconditions, rate limit) and writes the audit log.
 */
@Injectable()
export class ApiCalls {
  constructor(private readonly config: Config) {}

  /** @param key the `Idempotency-Key`: repeated calls with the same key are executed once */
  async send(page: FastifyRequest, call: ApiCall, key: string): Promise<ApiAnswer> {
    const { status, headers, text } = await this.answer(page, call, { 'idempotency-key': key });
    return { status, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  /** Makes a call that changes nothing. */
  read(page: FastifyRequest, call: ApiCall): Promise<RawAnswer> {
    return this.answer(page, call, {});
  }

  private async answer(
    page: FastifyRequest,
    call: ApiCall,
    headers: Readonly<Record<string, string>>,
  ): Promise<RawAnswer> {
    const user = signedInUser(page);
    if (user === undefined) {
      throw new SignInNeeded();
    }
    const { userId, rateLimit } = user;
    const actor = pageActor(userId, rateLimit ?? this.config.rateLimitPerMinute);
    const answer = await callAsUser(actor, () => dispatch(page, call, headers));
    const sent = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: answer.statusCode, headers: Object.fromEntries(sent), text: answer.payload };
  }
}

/**
 * Keeps the request id and the client address of the page's request, so logs show the page's request and the call as
 * one request.
 */
const dispatch = (
  { server, id, ip }: FastifyRequest,
  { method, path, body, ifMatch }: ApiCall,
  headers: Readonly<Record<string, string>>,
) =>
  server.inject({
    method,
    url: path,
    remoteAddress: ip,
    headers: {
      accept: 'application/json',
      'x-request-id': id,
      ...headers,
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
