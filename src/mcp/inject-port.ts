import type { FastifyInstance } from 'fastify';
import { CallApi, parseJson, toWire } from './api-port';

/** The user on whose behalf the API is called. */
export interface Caller {
  authorization: string;
  address: string;
  /** Identifies the log lines of one request. */
  requestId: string;
}

/** Calls the API inside this process, like a request of the caller over the network. */
export function injectPort(server: FastifyInstance, caller: Caller): CallApi {
  return async (request) => {
    const { method, address, headers, payload } = toWire(request);
    const answer = await server.inject({
      method,
      url: address,
      remoteAddress: caller.address,
      headers: { ...headers, authorization: caller.authorization, 'x-request-id': caller.requestId },
      ...(payload === undefined ? {} : { payload }),
    });
    const sent = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: answer.statusCode, headers: Object.fromEntries(sent), body: parseJson(answer.payload) };
  };
}
