import { Injectable, Logger } from '@nestjs/common';
import * as openid from 'openid-client';
import { Config } from '../../config/config';
import { OPENID_CALLBACK } from '../../platform/access/api-prefix';
import type { OpenIdTarget } from '../../config/sign-in';
import {
  type Claims,
  describesEmail,
  hasEmail,
  type Person,
  personIn,
  UnverifiedEmailError,
} from './openid-claims';
import { failureOf, OpenIdError, reasonOf, tokenReasonOf } from './openid-failures';
import type { Checks } from './openid-state';

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;
/** Metadata, keys and tokens take up a few kilobytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** How long the provider's metadata is cached. */
const METADATA_MS = 60 * 60 * 1000;
/** How long the metadata is cached if sign-ins fail, because the metadata may be the cause. */
const DOUBTED_METADATA_MS = 60 * 1000;

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

interface Discovered {
  at: number;
  configuration: Promise<openid.Configuration>;
}

/** The configured OpenID Connect provider: authorization code flow with PKCE. */
@Injectable()
export class OpenIdProvider {
  private readonly logger = new Logger(OpenIdProvider.name);
  private readonly callback: string;
  private discovered: Discovered | null = null;

  constructor(private readonly config: Config) {
    this.callback = `${config.publicUrl}/${OPENID_CALLBACK}`;
  }

  /** The configuration of the provider; null if there is none. */
  get target(): OpenIdTarget | null {
    return this.config.openId;
  }

  /**
   * The URL of the provider's sign-in page.
   * @param isAgain whether the person must enter the password again
   * @throws OpenIdError
   */
  async authorizationUrl({ state, nonce, verifier }: Checks, isAgain: boolean): Promise<string> {
    const configuration = await this.discover();
    const parameters = {
      redirect_uri: this.callback,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isAgain && { prompt: 'login', max_age: '0' }),
    };
    return openid.buildAuthorizationUrl(configuration, parameters).href;
  }

  /**
   * Checks the provider's response and requests the person's claims.
   * @param query query string of the callback request, with its question mark
   * @throws OpenIdError
   */
  async person(query: string, checks: Checks): Promise<Person> {
    const configuration = await this.discover();
    const tokens = await this.tokens(configuration, query, checks);
    try {
      return personIn(await this.claims(configuration, tokens));
    } catch (error) {
      throw this.failed(error, reasonOf(error));
    }
  }

  private async tokens(configuration: openid.Configuration, query: string, checks: Checks): Promise<Tokens> {
    try {
      return await openid.authorizationCodeGrant(configuration, new URL(`${this.callback}${query}`), {
        pkceCodeVerifier: checks.verifier,
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        idTokenExpected: true,
      });
    } catch (error) {
      throw this.failed(error, tokenReasonOf(error));
    }
  }

  /**
   * The person's claims. Some ID tokens lack the e-mail address, and Okta's lack the statement that it is verified. The
   * address and the statement then both come from the userinfo endpoint, because only the source of an address can say
   * whether it is verified.
   */
  private async claims(configuration: openid.Configuration, tokens: Tokens): Promise<Claims> {
    const claims: Claims = { ...tokens.claims() };
    if (describesEmail(claims) || configuration.serverMetadata().userinfo_endpoint === undefined) {
      return claims;
    }
    const { email: _email, email_verified: _verified, xms_edov: _domain, ...others } = claims;
    try {
      const further = await openid.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
      return { ...further, ...others };
    } catch (error) {
      throw hasEmail(claims) && failureOf(error) !== 'unreachable'
        ? new UnverifiedEmailError(
            `email_verified is not in the ID token, and the userinfo request failed: ${reasonOf(error)}`,
          )
        : error;
    }
  }

  private async discover(): Promise<openid.Configuration> {
    if (this.discovered === null || this.isOlderThan(METADATA_MS)) {
      this.discovered = { at: performance.now(), configuration: this.read() };
    }
    const { discovered } = this;
    try {
      return await discovered.configuration;
    } catch (error) {
      if (this.discovered === discovered) {
        this.discovered = null;
      }
      this.logger.warn(`The OpenID Connect provider cannot be used: ${reasonOf(error)}`);
      throw new OpenIdError('unreachable');
    }
  }

  private async read(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.config.openId ?? {
      issuer: '',
      clientId: '',
      clientSecret: '',
    };
    const url = new URL(issuer);
    const configuration = await openid.discovery(
      url,
      clientId,
      clientSecret,
      authenticationWith(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [openid.customFetch]: boundedFetch,
        // `allowInsecureRequests` is marked as deprecated only to discourage its use. The settings allow
        // http only on this machine.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        execute: url.protocol === 'http:' ? [openid.allowInsecureRequests] : [],
      },
    );
    requireUsable(configuration.serverMetadata(), url);
    return configuration;
  }

  private failed(error: unknown, reason: string): OpenIdError {
    this.logger.warn(`An OpenID Connect sign-in failed: ${reason}`);
    const failure = failureOf(error);
    if ((failure === 'unreachable' || failure === 'invalid') && this.isOlderThan(DOUBTED_METADATA_MS)) {
      this.discovered = null;
    }
    return new OpenIdError(failure);
  }

  /** Whether the metadata is missing or older than this. */
  private isOlderThan(milliseconds: number): boolean {
    return this.discovered === null || performance.now() - this.discovered.at > milliseconds;
  }
}

/** Like `fetch`, with a limit on the size of the response. @throws Error above the limit */
async function boundedFetch(address: string, options: openid.CustomFetchOptions): Promise<Response> {
  const answer = await fetch(address, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  return new Response(bytes === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
}

/**
 * @throws Error if the metadata lacks an endpoint needed for signing in, has one whose URL uses neither https nor the
 * issuer's protocol, or has an authentication method list that is not a list
 */
function requireUsable(metadata: openid.ServerMetadata, issuer: URL): void {
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    const address = metadata[name] ?? '';
    const protocol = URL.canParse(address) ? new URL(address).protocol : '';
    if (protocol !== 'https:' && protocol !== issuer.protocol) {
      throw new Error(`the ${name} in its metadata is not an ${issuer.protocol}// URL`);
    }
  }
  const methods: unknown = metadata.token_endpoint_auth_methods_supported ?? [];
  if (!Array.isArray(methods)) {
    throw new Error('token_endpoint_auth_methods_supported in its metadata is not a list');
  }
}

/** Authenticates with HTTP Basic, unless the provider's metadata lists `client_secret_post` but not HTTP Basic. */
function authenticationWith(clientSecret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(clientSecret), openid.ClientSecretPost(clientSecret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate =
      methods.includes('client_secret_post') && !methods.includes('client_secret_basic') ? post : basic;
    authenticate(server, client, body, headers);
  };
}
