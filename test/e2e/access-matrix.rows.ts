/* The row types of the access matrix, and the usual statuses per caller. */

/** The statuses that an experiment goes through; the last one is its current status. */
export type History = 'draft' | 'preview' | 'running' | 'pause' | 'archive' | 'running, archive';

/** Statuses for a viewer, an editor, a publisher and an admin of the team. */
export type ByRole = readonly [viewer: number, editor: number, publisher: number, admin: number];

/** Statuses for all callers except members with a read & write token. */
export interface Others {
  /** For members with a read-only token, by role. */
  readToken: ByRole;
  /** For a member of another team, with a read & write token and with a read-only token. */
  outsider: readonly [write: number, read: number];
  /** For requests without a token. */
  nobody: number;
}

export interface Row {
  route: string;
  /** For members with a read & write token, by role. */
  write: ByRole;
  others: Others;
  /** The permission that the response to a rejected role names as missing. */
  lacking?: string;
  /** Whether a rejected request gets an HTML page. */
  isPage?: true;
  body?: object;
  /** The statuses of the experiment in the path; a draft by default. */
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
/** For routes that list the caller's own records. */
export const OWN: Others = { readToken: ALL, outsider: [200, 200], nobody: 401 };
/** For routes with a secret in the URL. Access does not depend on the caller, and unknown secrets get 404. */
export const UNKNOWN: ByRole = [404, 404, 404, 404];
export const UNSHARED: Others = { readToken: UNKNOWN, outsider: [404, 404], nobody: 404 };
export const READING: Others = { readToken: ALL, outsider: [404, 404], nobody: 401 };
const WRITING: Others = { readToken: NONE, outsider: [404, 403], nobody: 401 };

/** Pages require a session, so requests with a token are redirected to the sign-in page. */
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

/** The row of a route that only admins may read. */
export const managing = (route: string): Row => ({
  route,
  write: ADMINS,
  others: { ...READING, readToken: ADMINS },
  lacking: 'members:manage',
});

export const NAMED = { body: { name: 'New name' } };

/** The rows of the routes that list, create, show, update and delete the records of a collection. */
export const standard = (collection: string, item: string): Row[] => [
  reading(`GET ${collection}`),
  writing(`POST ${collection}`, MAKERS, 'definitions:write', NAMED),
  reading(`GET ${collection}/${item}`),
  writing(`PUT ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`PATCH ${collection}/${item}`, EDITORS, 'definitions:write', NAMED),
  writing(`DELETE ${collection}/${item}`, REMOVERS, 'definitions:write'),
];

/** Find-by-name changes nothing, so every role with read access can use it. */
export const finding = (collection: string, name: string): Row =>
  reading(`POST ${PROJECT}/${collection}/find-by-name`, { name });

export const move = (experiment: History, status: string, write: ByRole, lacking: string): Row =>
  writing(`PATCH ${EXPERIMENT}/status`, write, lacking, { experiment, body: { status } });
