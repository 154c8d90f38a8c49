import { createHash, randomUUID } from 'node:crypto';
import { RouteAudit } from '../../src/platform/access/route-audit';
import { MATRIX } from '../e2e/access-matrix.data';
import type { Row } from '../e2e/access-matrix.rows';
import type { TestApi } from './api';
import type { Answer, Client } from './client';
import { WRITABLE } from './resources';
import { anotherProject, Made, Maker, Scene } from './scene';

/* Iterates over all routes that require a token: each row of the access matrix, with separate records. */

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request that the admin of the team can send. */
export interface Step {
  method: Method;
  path: string;
  body?: object;
  /** The expected status of the response. */
  status: number;
  /** The project in the path, if any. */
  projectId: number;
}

/** The matrix rows of the API routes that `isWanted` accepts, each with a name. These routes need a token. */
export function rowsFor(isWanted: (method: string, route: string) => boolean): [name: string, row: Row][] {
  const ofApi = MATRIX.filter(({ route }) => route.includes(' /api/'));
  return ofApi
    .filter(({ route }) => isWanted(route.split(' ')[0], route))
    .map((row) => [[row.route, row.experiment, JSON.stringify(row.body)].join(' '), row]);
}

/** The controller routes that require a token, such as `POST /api/projects/:project/goals`. */
export function tokenRoutes({ api }: Scene): { route: string; onlyReads: boolean }[] {
  const declared = api.app.get(RouteAudit, { strict: false }).routes();
  return declared
    .filter(({ access }) => access !== null)
    .map(({ method, path, access }) => ({
      route: `${method} /api/${path}`,
      onlyReads: method === 'GET' || access?.ability === 'read',
    }));
}

/** Creates the records that the path of a row needs, in a separate project. */
export async function stepFor(scene: Scene, row: Row): Promise<Step> {
  const [method, route] = row.route.split(' ') as [Method, string];
  const make = await anotherProject(scene);
  const parts: Record<string, string> = {
    team: String(scene.world.teamId),
    project: make.project.split('/').at(-1) ?? '',
    ...(await items(make, row)),
    ...(route.includes(':environment') && { environment: String((await make.environment()).id) }),
    ...(route.includes(':user') && { user: await invitedMember(scene) }),
    ...(route.includes(':entry') && { entry: await revertibleEntry(scene.client, make) }),
    ...(route.includes(':visitor') && { visitor: await storedVisitor(scene, make) }),
    ...(route.includes('/webhooks') &&
      (await webhookWithDeadDelivery(scene.api, scene.client, make.project))),
    ...(route.includes(':revision') && { revision: await earlierRevision(scene, make) }),
  };
  const path = route.replace(/^\/api/, '').replace(/:(\w+)/g, (_, name: string) => parts[name] ?? name);
  const body = row.body !== undefined && 'email' in row.body ? newMember() : row.body;
  return { method, path, body, status: row.write[3], projectId: Number(parts.project) };
}

let members = 0;

function newMember(): { email: string; role: string } {
  members += 1;
  return { email: `member-${members}@example.com`, role: 'viewer' };
}

async function invitedMember({ client, world }: Scene): Promise<string> {
  const { body } = await client.post(`/teams/${world.teamId}/members`, newMember());
  return String(body.user_id);
}

/** Stores a visitor of a project, with a conversion. @returns the visitor id */
export async function storedVisitor({ client }: Pick<Scene, 'client'>, make: Maker): Promise<string> {
  const { api_name } = await make.goal();
  const visitor = `visitor-${randomUUID()}`;
  const { body } = await client.post(`${make.project}/events`, {
    batch: [{ type: 'track', event: api_name, anonymousId: visitor, messageId: randomUUID() }],
  });
  expect(body.accepted).toBe(1);
  return visitor;
}

/** Changes a page, which can be reverted. @returns the id of the audit entry */
export async function revertibleEntry(client: Client, make: Maker): Promise<string> {
  const { path } = await make.page();
  await client.patch(path, { description: 'Changed' });
  const { body } = await client.get(`${make.project}/audit?per_page=1`);
  return String(body[0].id);
}

/** Creates a webhook that sends nothing automatically but has a delivery that can be retried. */
export async function webhookWithDeadDelivery(
  { database }: TestApi,
  client: Client,
  project: string,
): Promise<{ webhook: string; delivery: string }> {
  const fields = {
    name: 'Existing',
    url: 'https://hooks.example.com/',
    events: ['project.published'],
    is_active: false,
  };
  const { body: webhook } = await client.post(`${project}/webhooks`, fields);
  const { body: delivery } = await client.post(`${project}/webhooks/${webhook.id}/test`);
  await database.transaction((tx) =>
    tx.query(`UPDATE webhook_deliveries SET status = 'dead' WHERE id = ?`, [delivery.id]),
  );
  return { webhook: String(webhook.id), delivery: String(delivery.id) };
}

/** Creates a revision that differs from the live one. @returns its number */
async function earlierRevision({ client }: Scene, make: Maker): Promise<string> {
  const { path } = await make.withStatus('running', { css: '.earlier {}' });
  const { body } = await client.get(make.project);
  await client.patch(path, { css: '.live {}' });
  await client.patch(`${path}/publish`);
  return String(body.snippet_revision);
}

async function items(make: Maker, { experiment: history = 'draft' }: Row): Promise<Record<string, string>> {
  const item = { name: 'Existing' };
  const experiment = await make.ready({ ...item, example_url: 'https://shop.example.com/' });
  const made: Record<string, Made> = { variation: experiment.variations[1] as Made, experiment };
  for (const { type, path } of WRITABLE) {
    made[type] = await make.of(path, item);
  }
  const steps = history === 'pause' ? ['running', 'pause'] : history.split(', ');
  for (const status of steps.filter((step) => step !== 'draft')) {
    await make.move(experiment, status);
  }
  return Object.fromEntries(Object.entries(made).map(([name, { id }]) => [name, String(id)]));
}

export const send = (
  client: Client,
  { method, path, body }: Step,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer<Record<string, unknown>>> => client.send(method, path + query, body, headers);

/** Every row of every table as text. Excludes the last use of tokens, which is stored in the background. */
export async function dump({ api: { database } }: Pick<Scene, 'api'>): Promise<Record<string, string>> {
  const tables = database.writer.entityMetadatas.map(({ tableName }) => tableName);
  const texts: Record<string, string> = {};
  for (const table of [...tables, ...(database.engine === 'sqlite' ? ['sqlite_sequence'] : [])]) {
    const rows: object[] = await database.read.query(`SELECT * FROM ${table}`);
    texts[table] = rows.map((row) => textOf({ ...row, last_used_at: null })).join('\n');
  }
  return texts;
}

function textOf(row: object): string {
  const values = Object.entries(row).map(([column, value]: [string, unknown]) => [
    column,
    Buffer.isBuffer(value) ? createHash('sha256').update(value).digest('hex') : value,
  ]);
  return JSON.stringify(values);
}
