import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** A provider whose responses a test decides, for responses that the npm package `oidc-provider` never gives. */
export class FakeProvider {
  /** Additional metadata, which replace the usual ones. */
  metadata: Json = {};
  /** Claims of the ID token, in addition to the required ones. */
  idToken: Json = {};
  userinfo: Json = {};
  /** Answers requests for these paths instead of the usual answers. */
  readonly overrides = new Map<string, (response: ServerResponse) => unknown>();
  private nonce = '';
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.issuer);
      response.setHeader('content-type', 'application/json');
      const override = this.overrides.get(pathname);
      if (override === undefined) {
        response.end(JSON.stringify(this.answer(pathname)));
      } else {
        override(response);
      }
    });
  }

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The URL to which the provider sends the browser back from an authorization URL. */
  callback(authorization: URL): string {
    const { searchParams } = authorization;
    this.nonce = searchParams.get('nonce') ?? '';
    const { pathname } = new URL(searchParams.get('redirect_uri') ?? '');
    return `${pathname}?code=a&state=${searchParams.get('state')}`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(path: string): Json {
    if (path === '/token') {
      return { access_token: 'access', token_type: 'Bearer', id_token: this.signed() };
    }
    return path === '/userinfo' ? { sub: 'subject', ...this.userinfo } : this.document();
  }

  private document(): Json {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      ...this.metadata,
    };
  }

  /** An ID token. Clients may trust the connection to the token endpoint instead of the signature. */
  private signed(): string {
    const now = Math.floor(Date.now() / 1000);
    const required = { iss: this.issuer, sub: 'subject', aud: 'gosset', iat: now, exp: now + 60 };
    const parts = [{ alg: 'RS256' }, { ...required, nonce: this.nonce, ...this.idToken }];
    return [...parts.map((part) => JSON.stringify(part)), 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  }
}
