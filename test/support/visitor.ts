import { parseSetCookie } from 'cookie';
import { UsersService } from '../../src/users/users.service';
import type { Person, TestApi } from './api';

export const PASSWORD = 'correct horse battery staple';

/** The page where users create API tokens, and the fields of its form. */
export const TOKENS_PAGE = '/settings/api-tokens';
export const NEW_TOKEN = { name: 'Script', permission: 'write' };

/** Sets a user's password. */
export async function withPassword(api: TestApi, person: Person, password = PASSWORD): Promise<Person> {
  await api.app.get(UsersService, { strict: false }).setPassword(person.id, password, 'admin');
  return person;
}

/** Creates a new user who can sign in. */
export const signer = async (api: TestApi): Promise<Person> => withPassword(api, await api.person());

export interface PageAnswer {
  status: number;
  /** The page without its style sheet. */
  text: string;
  location: string | undefined;
  headers: Record<string, string | undefined>;
  /** The unparsed Set-Cookie headers. */
  setCookies: string[];
}

type Fields = Record<string, string>;

/** A browser without scripts. It keeps cookies, and submits forms. */
export class Visitor {
  readonly cookies = new Map<string, string>();

  /** @param headers sent with every request */
  constructor(
    private readonly api: TestApi,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  /** Submits fields without loading the form. */
  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<PageAnswer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { origin } = new URL(this.api.config.publicUrl);
    return this.send('POST', path, new URLSearchParams(fields).toString(), { origin, ...type, ...headers });
  }

  /** Opens a page and submits its form. */
  async submit(path: string, fields: Fields, action = path.split('?')[0]): Promise<PageAnswer> {
    const { text } = await this.get(path);
    return this.post(action, { ...hiddenFields(text), ...fields });
  }

  signIn({ email }: { email: string }, password = PASSWORD): Promise<PageAnswer> {
    return this.submit('/login', { email, password });
  }

  async send(
    method: 'GET' | 'POST',
    url: string,
    payload?: string,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.api.app.inject({
      method,
      url,
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }), ...this.headers, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const setCookies = [response.headers['set-cookie'] ?? []].flat();
    setCookies.forEach((each) => this.keep(each));
    return {
      status: response.statusCode,
      text: response.payload.replace(/<style>[^]*?<\/style>/, ''),
      location: response.headers.location,
      headers: response.headers as Record<string, string | undefined>,
      setCookies,
    };
  }

  private keep(text: string): void {
    const { name, value = '', maxAge, path } = parseSetCookie(text);
    // A cookie with another path is a separate cookie. The server's own cookies have the root path.
    if (path !== '/') {
      return;
    }
    if (maxAge === 0) {
      this.cookies.delete(name);
    } else {
      this.cookies.set(name, value);
    }
  }
}

/** The hidden fields of all forms on a page. If several have the same name, the last one is used. */
export function hiddenFields(text: string): Fields {
  const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"\/>/g)];
  const plain = (value: string): string => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return Object.fromEntries(fields.map(([, name, value]) => [name, plain(value)]));
}

/** Signs a user in, in a new browser. Without `person`, creates the user. */
export async function signedIn(api: TestApi, person?: Person): Promise<{ visitor: Visitor; person: Person }> {
  const user = person ?? (await signer(api));
  const visitor = new Visitor(api, { 'x-forwarded-for': nextAddress() });
  const { status } = await visitor.signIn(user);
  if (status !== 303) {
    throw new Error(`Signing in was answered with ${status}.`);
  }
  return { visitor, person: user };
}

let addresses = 0;

/** Failed sign-in attempts are counted per address, so each browser has a different address. */
export function nextAddress(): string {
  addresses += 1;
  return `10.${Math.floor(addresses / 250)}.0.${(addresses % 250) + 1}`;
}

/** The audit entries of a user and the user's tokens, oldest first. */
export async function auditOf(
  { database }: TestApi,
  userId: number,
): Promise<{ source: string; action: string; item: string; user: number | null; text: string }[]> {
  const rows: Record<string, string | number | null>[] = await database.read.query(
    `SELECT source, action, item_type, user_id, \`before\`, \`after\` FROM audit_entries
      WHERE user_id = ? OR (item_type = 'user' AND item_id = ?) ORDER BY id`,
    [userId, userId],
  );
  return rows.map((row) => ({
    source: String(row.source),
    action: String(row.action),
    item: String(row.item_type),
    user: row.user_id as number | null,
    text: JSON.stringify([row.before, row.after]),
  }));
}

/** Backdates all sessions of a user by this many minutes. */
export const ageSessions = ({ database }: TestApi, userId: number, minutes: number): Promise<unknown> =>
  database.transaction((tx) =>
    tx.query(
      'UPDATE sessions SET created_at = created_at - ?, confirmed_at = confirmed_at - ? WHERE user_id = ?',
      [minutes * 60_000_000, minutes * 60_000_000, userId],
    ),
  );
