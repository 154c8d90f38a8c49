import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseSetCookie } from 'cookie';
import { TestApi } from './api';
import { freePort } from './server-process';
import { nextAddress, type PageAnswer, Visitor } from './visitor';

const SERVER = join(__dirname, 'openid-server.mjs');

export const OPENID_CLIENT = { OIDC_CLIENT_ID: 'gosset', OIDC_CLIENT_SECRET: 'secret-of-the-client' };

/** A running OpenID Connect provider: the npm package `oidc-provider`. */
export class OpenIdServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
  ) {}

  /** @param publicUrl the public URL of the server that uses the provider */
  static async start(publicUrl: string, port?: number): Promise<OpenIdServer> {
    const own = port ?? (await freePort());
    const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = OPENID_CLIENT;
    const settings = [String(own), id, secret, `${publicUrl}/login/oidc/callback`];
    const child = spawn(process.execPath, [SERVER, ...settings], { stdio: ['ignore', 'pipe', 'ignore'] });
    const output = child.stdout as NodeJS.ReadableStream;
    for (let text = ''; !text.includes('listening');) {
      const [chunk] = (await Promise.race([once(output, 'data'), once(child, 'exit')])) as [unknown];
      if (child.exitCode !== null) {
        throw new Error('The provider did not start.');
      }
      text += String(chunk);
    }
    return new OpenIdServer(child, `http://127.0.0.1:${own}`);
  }

  /** Sets the claims that the provider makes about an account. */
  async account(name: string, claims: Record<string, unknown>): Promise<void> {
    await fetch(`${this.issuer}/accounts/${encodeURIComponent(name)}`, {
      method: 'PUT',
      body: JSON.stringify(claims),
    });
  }

  /** Signs in at an authorization URL. @returns the URL to which the provider redirects the browser */
  async answer(authorizationUrl: string, form: Record<string, string>): Promise<URL> {
    const jar = new Map<string, string>();
    const go = async (url: string, init: RequestInit = {}): Promise<string> => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
      for (const { name, value = '' } of answer.headers.getSetCookie().map((each) => parseSetCookie(each))) {
        jar.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) {
        throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`);
      }
      return new URL(location, url).href;
    };
    const asked = await go(authorizationUrl);
    if (!asked.startsWith(this.issuer)) {
      return new URL(asked);
    }
    const resumed = await go(asked, { method: 'POST', body: new URLSearchParams(form) });
    return new URL(await go(resumed));
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill();
    await gone;
  }
}

/** A browser that signs in with the provider. */
export class OpenIdVisitor extends Visitor {
  constructor(
    api: TestApi,
    private readonly provider: OpenIdServer,
  ) {
    super(api, { 'x-forwarded-for': nextAddress() });
  }

  /** Follows the link on the sign-in page. @returns the authorization URL */
  async begin(query = ''): Promise<URL> {
    const { location, status } = await this.get(`/login/oidc${query}`);
    if (status !== 303 || location === undefined) {
      throw new Error(`The link was answered with ${status}.`);
    }
    return new URL(location);
  }

  /** Signs in with an account. @param change modifies the URL to which the provider redirects the browser */
  async withAccount(
    account: string,
    query = '',
    change: (callback: URL) => void = () => undefined,
  ): Promise<PageAnswer> {
    return this.comeBack(await this.begin(query), account, change);
  }

  /** Signs in at an authorization URL with an account, and follows the redirect back to the server. */
  async comeBack(
    asked: URL,
    account: string,
    change: (callback: URL) => void = () => undefined,
  ): Promise<PageAnswer> {
    const callback = await this.provider.answer(asked.href, { account });
    change(callback);
    return this.get(`${callback.pathname}${callback.search}`);
  }
}

/** The number of accounts created so far, used in their names. */
let accounts = 0;

/** A provider, and servers whose users sign in with it. */
export class OpenIdScene {
  readonly publicUrl = 'http://localhost:3000';
  provider: OpenIdServer;
  api: TestApi;

  /** Starts another server, with its own database. */
  startWith(environment: Record<string, string> = {}): Promise<TestApi> {
    return TestApi.start({
      PUBLIC_URL: this.publicUrl,
      TRUST_PROXY: '127.0.0.1',
      OIDC_ISSUER: this.provider.issuer,
      OIDC_NAME: 'Acme <ID>',
      ...OPENID_CLIENT,
      ...environment,
    });
  }

  browser(of: TestApi = this.api): OpenIdVisitor {
    return new OpenIdVisitor(of, this.provider);
  }

  /** Creates an account at the provider. @returns its name */
  async account(claims: Record<string, unknown>): Promise<string> {
    accounts += 1;
    const name = `account-${accounts}`;
    await this.provider.account(name, claims);
    return name;
  }

  verified(email: string): Promise<string> {
    return this.account({ email, email_verified: true });
  }
}

/** Starts a provider and a server before the tests of a file, and stops them afterwards. */
export function useOpenId(environment: Record<string, string> = {}): OpenIdScene {
  const scene = new OpenIdScene();
  beforeAll(async () => {
    scene.provider = await OpenIdServer.start(scene.publicUrl);
    scene.api = await scene.startWith(environment);
  });
  afterAll(async () => {
    await scene.api.close();
    await scene.provider.stop();
  });
  return scene;
}

/** The e-mail address of the browser's signed-in user; null if nobody is signed in. */
export async function signedInAs(visitor: Visitor): Promise<string | null> {
  const { text } = await visitor.get('/settings/sessions');
  return /<bdi>([^<]+@[^<]+)<\/bdi>/.exec(text)?.[1] ?? null;
}
