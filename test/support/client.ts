import type { NestFastifyApplication } from '@nestjs/platform-fastify';

export interface Answer<T = unknown> {
  status: number;
  headers: Record<string, string | undefined>;
  /** Parsed JSON; undefined if the body is not JSON. */
  body: T;
  text: string;
}

export interface Call {
  method: string;
  /** The path and query, including `/api`. */
  url: string;
  status: number;
  headers: Record<string, string | undefined>;
  body: unknown;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read bodies of any shape
type Loose = any;

/** Sends requests to the application with one token. Paths are relative to `/api` unless they begin with `//`. */
export class Client {
  constructor(
    private readonly app: NestFastifyApplication,
    private readonly token: string | null,
    private readonly observe: (call: Call) => void,
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<Answer<Loose>> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Loose>> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Loose>> {
    return this.send('PUT', path, body, headers);
  }

  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Loose>> {
    return this.send('PATCH', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer<Loose>> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** @param body a string or buffer is sent unchanged, any other value as JSON */
  async send(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Loose>> {
    const url = path.startsWith('//') ? path.slice(1) : `/api${path}`;
    const response = await this.app.inject({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    const answer = {
      status: response.statusCode,
      headers: asSent(response.headers),
      body: parse(response.payload) as Loose,
      text: response.payload,
    };
    this.observe({ method, url, status: answer.status, headers: answer.headers, body: answer.body });
    return answer;
  }
}

/** Headers as the network transfers them: all values are text, including numbers. */
function asSent(headers: Record<string, unknown>): Record<string, string | undefined> {
  const texts = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
