/* The rows of the access matrix: who usually gets which answer. */

/** The status changes of an experiment; the last status is the current one. */
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

export const ALL: ByRole = [200, 200, 200, 200];
export const EDITORS: ByRole = [403, 200, 200, 200];
export const MAKERS: ByRole = [403, 201, 201, 201];
export const REMOVERS: ByRole = [403, 204, 204, 204];
export const PUBLISHERS: ByRole = [403, 403, 200, 200];
export const ADMINS: ByRole = [403, 403, 403, 200];
export const NONE: ByRole = [403, 403, 403, 403];

export const OPEN: Others = { readToken: ALL, outsider: [200, 200], nobody: 200 };
/** Lists what the caller has, whoever that is. */
export const OWN: Others = { readToken: ALL, outsider: [200, 200], nobody: 401 };
/** The caller does not matter on routes whose secret URL gives access. */
export const UNKNOWN: ByRole = [404, 404, 404, 404];
export const UNSHARED: Others = { readToken: UNKNOWN, outsider: [404, 404], nobody: 404 };
export const READING: Others = { readToken: ALL, outsider: [404, 404], nobody: 401 };
const WRITING: Others = { readToken: NONE, outsider: [404, 403], nobody: 401 };

/** Pages are about who is signed in: a token opens none, and whoever has one is led to the sign-in. */
const AWAY: ByRole = [303, 303, 303, 303];
const UNSIGNED: Others = { readToken: AWAY, outsider: [303, 303], nobody: 303 };
export const signedIn = (route: string): Row => ({ route, write: AWAY, others: UNSIGNED });

export const PROJECT = '/api/projects/:project';
export const MEMBERS = '/api/teams/:team/members';
export const EXPERIMENT = `${PROJECT}/experiments/:experiment`;

export const reading = (route: string, body?: object): Row => ({
  route,
  write: ALL,
  others: READING,
  ...(body && { body }),
});

export const writing = (route: string, write: ByRole, lacking: string, more: Partial<Row> = {}): Row => ({
  route,
  write,
  others: WRITING,
  lacking,
  ...more,
});

/** Routes that only admins may read. */
export const managing = (route: string): Row => ({
  route,
  write: ADMINS,
  others: { ...READING, readToken: ADMINS },
  lacking: 'members:manage',
});

export const NAMED = { body: { name: 'New name' } };

/** List, create, show, update and delete below a path. */
export const standard = (collection: string, item: string): Row[] => [
  reading(`GET ${collection}`),
  writing(`POST ${collection}`, MAKERS, 'definitions:write', NAMED),
  reading(`GET ${collection}/${item}`),
  writing(`PUT ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`PATCH ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`DELETE ${collection}/${item}`, REMOVERS, 'definitions:write'),
];

/** It changes nothing, so it is for everybody who may read. */
export const finding = (collection: string, name: string): Row =>
  reading(`POST ${PROJECT}/${collection}/find-by-name`, { name });

export const move = (experiment: History, status: string, write: ByRole, lacking: string): Row =>
  writing(`PATCH ${EXPERIMENT}/status`, write, lacking, { experiment, body: { status } });
