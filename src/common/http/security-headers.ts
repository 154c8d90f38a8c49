import type { FastifyInstance } from 'fastify';

/** Default security headers. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-cache',
} as const;

/** Headers for the API reference, a page that may run its own scripts. */
const REFERENCE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/**
 * Headers for an https address: HSTS for a year, Cross-Origin-Opener-Policy, and a Permissions-Policy that blocks
 * access to hardware.
 */
const HTTPS_HEADERS = {
  'strict-transport-security': 'max-age=31536000',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

const HTTPS_SECURITY_HEADERS = { ...SECURITY_HEADERS, ...HTTPS_HEADERS } as const;
const HTTPS_REFERENCE_HEADERS = { ...REFERENCE_HEADERS, ...HTTPS_HEADERS } as const;

const REFERENCE_ADDRESS = /^\/docs(?:[/?]|$)/;

/** The security headers of the response for a URL. */
export function securityHeaders(publicUrl: string, address: string): Readonly<Record<string, string>> {
  const isReference = REFERENCE_ADDRESS.test(address);
  if (publicUrl.startsWith('https:')) {
    return isReference ? HTTPS_REFERENCE_HEADERS : HTTPS_SECURITY_HEADERS;
  }
  return isReference ? REFERENCE_HEADERS : SECURITY_HEADERS;
}

/** Sets the security headers and the request id of every response. */
export function addSecurityHeaders(server: FastifyInstance, publicUrl: string): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(publicUrl, request.url)).header('x-request-id', request.id);
    done();
  });
}
