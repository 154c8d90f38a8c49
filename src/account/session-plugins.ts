import fastifyCookie from '@fastify/cookie';
import fastifyCsrfProtection from '@fastify/csrf-protection';
import fastifySession, { type SessionStore } from '@fastify/session';
import type { FastifyInstance } from 'fastify';
import { isSecret, newSecret } from '../common/text/secrets';
import { csrfTokenIn } from './csrf';

/** Session ids need no signature, because nobody can guess 256 random bits. */
const UNSIGNED = {
  sign: (secret: string): string => secret,
  unsign: (secret: string) => ({ valid: isSecret(secret), renew: false, value: secret }),
};

/**
 * Adds cookies, sessions and CSRF protection to the server. The session plugin is registered in its own scope.
 * Otherwise, its hooks would read a session for every request, including API requests, and would configure the cookie
 * for the protocol of the last hop instead of `PUBLIC_URL`. Pages open their sessions with `decryptSession`.
 */
export async function addSessionPlugins(server: FastifyInstance, store: SessionStore): Promise<void> {
  await server.register(fastifyCookie, { hook: false });
  await server.register(fastifyCsrfProtection, { sessionPlugin: '@fastify/session', getToken: csrfTokenIn });
  await server.register(async (scope: FastifyInstance) => {
    await scope.register(fastifySession, {
      store,
      secret: UNSIGNED,
      idGenerator: newSecret,
      saveUninitialized: false,
      rolling: false,
    });
    server.decorate('decryptSession', scope.decryptSession.bind(scope));
  });
}
