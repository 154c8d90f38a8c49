import { READ_ONLY, WRITABLE } from '../support/resources';

/* Who may do what: the answer to every caller on every route. */

/** How an experiment came to where it is; the last status is the one it has. */
export type History = 'draft' | 'preview' | 'running' | 'pause' | 'archive' | 'running, archive';

/** Answers to a viewer, an editor, a publisher and an admin of the team. */
export type ByRole = readonly [viewer: number, editor: number, publisher: number, admin: number];

/** Answers to everybody but members with a read & write token. */
export interface Others {
  /** To members whose token may only read. */
  readToken: ByRole;
  /** To a member of another team, with a read & write and with a read-only token. */
  outsider: readonly [write: number, read: number];
  /** Without a token. */
  nobody: number;
}

export interface Row {
  route: string;
  /** To members with a read & write token. */
  write: ByRole;
  others: Others;
  /** The permission that a refused role is told to lack. */
  lacking?: string;
  /** Is a refusal a page? */
  isPage?: true;
  body?: object;
  /** The experiment that the path names; a draft unless said otherwise. */
  experiment?: History;
}

const ALL: ByRole = [200, 200, 200, 200];
const EDITORS: ByRole = [403, 200, 200, 200];
const MAKERS: ByRole = [403, 201, 201, 201];
const REMOVERS: ByRole = [403, 204, 204, 204];
const PUBLISHERS: ByRole = [403, 403, 200, 200];
const NONE: ByRole = [403, 403, 403, 403];

const OPEN: Others = { readToken: ALL, outsider: [200, 200], nobody: 200 };
/** Lists what the caller has, whoever that is. */
const OWN: Others = { readToken: ALL, outsider: [200, 200], nobody: 401 };
/** Who somebody is does not matter where only the address opens what it leads to. */
const UNKNOWN: ByRole = [404, 404, 404, 404];
const UNSHARED: Others = { readToken: UNKNOWN, outsider: [404, 404], nobody: 404 };
const READING: Others = { readToken: ALL, outsider: [404, 404], nobody: 401 };
const WRITING: Others = { readToken: NONE, outsider: [404, 403], nobody: 401 };

/** Pages are about who is signed in: a token opens none, and whoever has one is led to the sign-in. */
const AWAY: ByRole = [303, 303, 303, 303];
const UNSIGNED: Others = { readToken: AWAY, outsider: [303, 303], nobody: 303 };
const signedIn = (route: string): Row => ({ route, write: AWAY, others: UNSIGNED });

const PROJECT = '/api/projects/:project';
const EXPERIMENT = `${PROJECT}/experiments/:experiment`;

const reading = (route: string, body?: object): Row => ({
  route,
  write: ALL,
  others: READING,
  ...(body && { body }),
});

const writing = (route: string, write: ByRole, lacking: string, more: Partial<Row> = {}): Row => ({
  route,
  write,
  others: WRITING,
  lacking,
  ...more,
});

const NAMED = { body: { name: 'New name' } };

/** List, create, show, update and delete below a path. */
const standard = (collection: string, item: string): Row[] => [
  reading(`GET ${collection}`),
  writing(`POST ${collection}`, MAKERS, 'definitions:write', NAMED),
  reading(`GET ${collection}/${item}`),
  writing(`PUT ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`PATCH ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`DELETE ${collection}/${item}`, REMOVERS, 'definitions:write'),
];

/** It changes nothing, so it is for everybody who may read. */
const finding = (collection: string, name: string): Row =>
  reading(`POST ${PROJECT}/${collection}/find-by-name`, { name });

const move = (experiment: History, status: string, write: ByRole, lacking: string): Row =>
  writing(`PATCH ${EXPERIMENT}/status`, write, lacking, { experiment, body: { status } });

export const MATRIX: readonly Row[] = [
  { route: 'GET /health/delivery', write: ALL, others: OPEN },
  { route: 'GET /health/live', write: ALL, others: OPEN },
  { route: 'GET /health/ready', write: ALL, others: OPEN },
  { route: 'GET /metrics', write: ALL, others: OPEN },
  { route: 'GET /share/:token', write: UNKNOWN, others: UNSHARED },
  { route: 'GET /share/:token/goals/:file', write: UNKNOWN, others: UNSHARED },
  // The way to the shop of the demo, where there is no demo.
  { route: 'GET /demo', write: UNKNOWN, others: UNSHARED },
  { route: 'GET /demo/*', write: UNKNOWN, others: UNSHARED },

  signedIn('GET /'),
  signedIn('GET /projects/:project'),
  signedIn('GET /projects/:project/plan'),
  signedIn('GET /projects/:project/live-events'),
  signedIn('GET /projects/:project/experiments/:experiment'),
  { route: 'GET /assets/pages.js', write: ALL, others: OPEN },
  { route: 'GET /login', write: ALL, others: OPEN },
  // Without the form of the page.
  {
    route: 'POST /login',
    write: NONE,
    others: { readToken: NONE, outsider: [403, 403], nobody: 403 },
    isPage: true,
  },
  signedIn('POST /logout'),
  signedIn('GET /settings/api-tokens'),
  signedIn('POST /settings/api-tokens'),
  signedIn('GET /settings/api-tokens/:id/revoke'),
  signedIn('POST /settings/api-tokens/:id/revoke'),
  signedIn('GET /settings/password'),
  signedIn('POST /settings/password'),
  signedIn('GET /settings/sessions'),
  signedIn('POST /settings/sessions/:id/end'),
  signedIn('POST /settings/sessions/end-others'),

  { route: 'GET /api/teams', write: ALL, others: OWN },
  reading('GET /api/teams/:team/projects'),

  reading(`GET ${PROJECT}`),
  writing(`PUT ${PROJECT}`, PUBLISHERS, 'project:settings', NAMED),
  writing(`PATCH ${PROJECT}`, PUBLISHERS, 'project:settings', NAMED),
  writing(`DELETE ${PROJECT}`, [403, 403, 403, 204], 'project:delete'),

  reading(`GET ${PROJECT}/settings`),
  writing(`PATCH ${PROJECT}/settings`, PUBLISHERS, 'project:settings', { body: { events_per_minute: 50 } }),
  reading(`POST ${PROJECT}/plan`, { minimum_effect: 10, conversion_rate: 4 }),
  reading(`GET ${PROJECT}/health`),
  reading(`GET ${PROJECT}/events/recent`),
  writing(`POST ${PROJECT}/events`, EDITORS, 'events:write', { body: { batch: [] } }),

  ...READ_ONLY.flatMap(({ path, type, record }) => [
    reading(`GET ${PROJECT}/${path}`),
    reading(`GET ${PROJECT}/${path}/:${type}`),
    finding(path, record.example.name),
  ]),
  ...WRITABLE.flatMap(({ path, type }) => [
    ...standard(`${PROJECT}/${path}`, `:${type}`),
    finding(path, 'Existing'),
  ]),

  finding('experiments', 'Existing'),
  ...standard(`${PROJECT}/experiments`, ':experiment'),
  ...standard(`${EXPERIMENT}/variations`, ':variation'),
  writing(`POST ${EXPERIMENT}/clone`, MAKERS, 'definitions:write'),
  writing(`POST ${EXPERIMENT}/previews/rotate`, EDITORS, 'definitions:write'),
  writing(`PATCH ${EXPERIMENT}/publish`, PUBLISHERS, 'experiments:run'),

  reading(`GET ${EXPERIMENT}/results`),
  reading(`GET ${EXPERIMENT}/results/info`),
  reading(`GET ${EXPERIMENT}/results/goal/:goal`),
  reading(`GET ${EXPERIMENT}/results/goal/:goal/download`),

  // What is running may be edited by editors, but only publishers delete it.
  writing(`PUT ${EXPERIMENT}`, EDITORS, 'definitions:write', { ...NAMED, experiment: 'running' }),
  writing(`POST ${EXPERIMENT}/clone`, MAKERS, 'definitions:write', { experiment: 'running' }),
  writing(`POST ${EXPERIMENT}/previews/rotate`, EDITORS, 'definitions:write', { experiment: 'running' }),
  writing(`DELETE ${EXPERIMENT}`, REMOVERS, 'definitions:write', { experiment: 'preview' }),
  writing(`DELETE ${EXPERIMENT}`, REMOVERS, 'definitions:write', { experiment: 'pause' }),
  writing(`DELETE ${EXPERIMENT}`, REMOVERS, 'definitions:write', { experiment: 'running, archive' }),
  writing(`DELETE ${EXPERIMENT}`, [403, 403, 204, 204], 'experiments:run', { experiment: 'running' }),

  move('draft', 'draft', EDITORS, 'experiments:prepare'),
  move('draft', 'preview', EDITORS, 'experiments:prepare'),
  move('draft', 'running', PUBLISHERS, 'experiments:run'),
  move('draft', 'archive', PUBLISHERS, 'experiments:run'),
  move('preview', 'draft', EDITORS, 'experiments:prepare'),
  move('preview', 'running', PUBLISHERS, 'experiments:run'),
  move('preview', 'archive', PUBLISHERS, 'experiments:run'),
  move('running', 'running', EDITORS, 'experiments:prepare'),
  move('running', 'preview', PUBLISHERS, 'experiments:run'),
  move('running', 'pause', PUBLISHERS, 'experiments:run'),
  move('running', 'archive', PUBLISHERS, 'experiments:run'),
  move('pause', 'preview', EDITORS, 'experiments:prepare'),
  move('pause', 'running', PUBLISHERS, 'experiments:run'),
  move('pause', 'archive', PUBLISHERS, 'experiments:run'),
  move('archive', 'draft', EDITORS, 'experiments:prepare'),
  move('running, archive', 'pause', PUBLISHERS, 'experiments:run'),
];
