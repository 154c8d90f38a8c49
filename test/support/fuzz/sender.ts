import { checkAgainstReference } from '../reference';
import type { Scene } from '../scene';
import type { Records } from './records';
import type { Plan } from './request-arbitrary';

/** Matches strings that a response must never contain: SQL, stack traces, driver names, file paths of the server. */
const GIVEN_AWAY =
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[\s\S]{0,200}\b(?:FROM|VALUES|SET|WHERE)\b|SQLITE_|\bER_[A-Z]|QueryFailed|TypeError|\n\s+at |node_modules|\.(?:ts|js):\d|better-sqlite3|mysql2/;
const FIRST_CHARACTERS = 300;
const MAX_HEADER_BYTES = 15_000;

/** Paths of scripts, which contain code from requests that can look like a leak. */
const SCRIPTS = /^\/s\//;

export interface Tally {
  sent: number;
  statuses: Record<number, number>;
  about: { existing: number; missing: number };
  /** One line for each invalid response. */
  problems: string[];
}

const NO_TOKEN = { nobody: {}, invalid: { authorization: `Bearer gos_${'A'.repeat(46)}` } };

/** Sends planned requests over HTTP, and compares the responses with the reference. */
export class FuzzSender {
  readonly tally: Tally = { sent: 0, statuses: {}, about: { existing: 0, missing: 0 }, problems: [] };

  constructor(
    private readonly scene: Scene,
    private readonly address: string,
    private readonly records: Records,
  ) {}

  async send(plan: Plan): Promise<void> {
    const ids = this.idsOf(plan);
    const path = plan.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]);
    const query = new URLSearchParams(
      plan.query.map(([name, value]) => [name, value.toWellFormed()]),
    ).toString();
    const url = query === '' ? path : `${path}?${query}`;
    const body = plan.body === undefined ? undefined : this.written(plan.body);
    const answer = await fetch(`${this.address}${url}`, {
      method: plan.method,
      headers: this.headersOf(plan, body),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    });
    const text = await textOf(answer);
    const headers = Object.fromEntries(answer.headers);
    this.count(answer.status);
    const problem = this.problemOf(plan, { url, status: answer.status, headers, text });
    if (problem !== null) {
      this.tally.problems.push(
        `${plan.caller} ${plan.method} ${url.slice(0, FIRST_CHARACTERS)} ${body?.slice(0, FIRST_CHARACTERS) ?? ''}: ${problem}`,
      );
    }
    if (answer.ok && plan.path.startsWith('/api/projects')) {
      this.noteChange(plan, ids, text);
    }
  }

  private idsOf(plan: Plan): Record<string, string> {
    const ids: Record<string, string> = {};
    for (const [name, choice] of Object.entries(plan.ids)) {
      ids[name] = typeof choice === 'string' ? choice : this.records.text(choice, ids);
    }
    return ids;
  }

  private written(body: unknown): string {
    return typeof body === 'string' ? body : JSON.stringify(this.records.fill(body));
  }

  private headersOf({ caller, headers, path }: Plan, body: string | undefined): Record<string, string> {
    const { people, outsider } = this.scene.world;
    const known =
      caller === 'outsider' ? outsider : caller === 'nobody' || caller === 'invalid' ? null : people[caller];
    const key = this.records.fixed.clientKey[0];
    const isPublic = !path.startsWith('/api/') || path.includes('{clientKey}');
    return {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(known === null
        ? NO_TOKEN[caller as 'nobody' | 'invalid']
        : { authorization: `Bearer ${isPublic ? key : known.token}` }),
      ...headers,
    };
  }

  private count(status: number): void {
    this.tally.sent += 1;
    this.tally.statuses[status] = (this.tally.statuses[status] ?? 0) + 1;
    this.tally.about[status === 404 || status === 405 ? 'missing' : 'existing'] += 1;
  }

  private problemOf(
    { method }: Plan,
    {
      url,
      status,
      headers,
      text,
    }: { url: string; status: number; headers: Record<string, string>; text: string },
  ): string | null {
    // Node.js rejects requests with such a long URL before the server sees them.
    if (status === 431 && url.length > MAX_HEADER_BYTES) {
      return null;
    }
    if (status >= 500) {
      return `${status} ${text.slice(0, FIRST_CHARACTERS)}`;
    }
    const given = SCRIPTS.test(url) ? null : GIVEN_AWAY.exec(text);
    if (given !== null) {
      return `gives away "${given[0].slice(0, FIRST_CHARACTERS)}"`;
    }
    try {
      checkAgainstReference(this.scene.api.app, this.scene.api.config, {
        method,
        url,
        status,
        headers,
        body: parsed(text),
      });
      return null;
    } catch (error) {
      return String(error).slice(0, 2 * FIRST_CHARACTERS);
    }
  }

  private noteChange({ method, path }: Plan, ids: Record<string, string>, text: string): void {
    const kind = /\/(\w+)s$/.exec(path)?.[1];
    const { project: _, ...within } = ids;
    if (method === 'POST' && kind !== undefined) {
      const { id } = (parsed(text) ?? {}) as { id?: number | null };
      if (typeof id === 'number') {
        this.records.note(kind, String(id), 'made', within);
      }
    }
    const removed = /\{(\w+)\}$/.exec(path)?.[1];
    if (method === 'DELETE' && removed !== undefined && removed !== 'project') {
      this.records.note(removed, ids[removed], 'removed', {});
    }
  }
}

/** Reads the body. Streams do not end, so only their first chunk is read. */
async function textOf(answer: Response): Promise<string> {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return answer.text();
  }
  const reader = answer.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
