'use strict';

const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const source = join(__dirname, 'src');

const resourceFolders = readdirSync(join(source, 'resources'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `resources/${name}`);

/**
 * The import rules for folders of `src/`. A folder can import from all rows above its own, but never from a row below.
 * Type-only imports count. Folders in the same row can import one another without cycles, except where
 * `peersNotToImport` forbids it. A nested folder can be in a different row than its parent folder. The files directly in
 * `src/` assemble the application: they can import anything, and no folder imports them.
 */
const rows = [
  ['config', 'database', 'common'],
  ['presentation'],
  ['platform/access', 'platform/conditional-requests', 'platform/idempotency', 'platform/metrics', 'audit'],
  ['users', 'users/tokens', 'platform/authentication', 'platform/rate-limit', 'teams'],
  ['projects'],
  resourceFolders,
  ['resources'],
  ['webhooks'],
  ['experiments', 'experiments/variations'],
  ['events'],
  ['statistics'],
  ['results', 'sharing'],
  [
    'experiments/planning',
    'experiments/schedules',
    'experiments/guardrails',
    'projects/installation',
    'audit/history',
    'definition',
    'visitors',
  ],
  ['publishing'],
  ['account'],
  ['console'],
  ['projects/trash', 'demo', 'definition/imports', 'platform/health', 'platform/reference'],
  ['mcp'],
  ['platform'],
  ['admin'],
];

const peersNotToImport = {
  users: ['users/tokens', 'platform/authentication', 'platform/rate-limit', 'teams'],
  'users/tokens': ['platform/authentication', 'platform/rate-limit', 'teams'],
  'platform/authentication': ['teams'],
  'platform/rate-limit': ['teams'],
  teams: ['users/tokens', 'platform/authentication', 'platform/rate-limit'],
  'experiments/variations': ['experiments'],
};

/** A pattern for the files of a folder, except files in nested folders that are listed in `rows` themselves. */
const filesOf = (folder) => {
  const nested = rows.flat().filter((other) => other.startsWith(`${folder}/`));
  return nested.length === 0
    ? `${folder}/`
    : `${folder}/(?!${nested.join('/|').replaceAll(`${folder}/`, '')}/)`;
};

const inside = (folders) => `^src/(?:${folders.map(filesOf).join('|')})`;
const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const rowsImportUpwards = rows.slice(0, -1).map((row, index) => {
  const below = rows.slice(index + 1).flat();
  const comment = `${row.join(', ')} must not know of any row below.`;
  return error(
    `upwards-only-from-${row.join('-').replaceAll('/', '-')}`,
    comment,
    { path: inside(row) },
    { path: inside(below) },
  );
});

const peersKeepTheirOrder = Object.entries(peersNotToImport).map(([folder, peers]) =>
  error(
    `${folder.replaceAll('/', '-')}-before-its-peers`,
    `${peers.join(', ')} may build on ${folder}, not the other way round.`,
    { path: inside([folder]) },
    { path: inside(peers) },
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...rowsImportUpwards,
    ...peersKeepTheirOrder,
    error(
      'statistics-alone',
      'statistics are pure functions on numbers.',
      { path: inside(['statistics']) },
      { pathNot: [inside(['statistics']), '^node_modules/(@stdlib|big\\.js)/'] },
    ),
    error(
      'root-files-last',
      'The files directly in src/ import the folders; no folder imports them.',
      { path: '^src/[^/]+/' },
      { path: '^src/[^/]+$' },
    ),
    error(
      'every-folder-in-a-row',
      'A new folder needs its place in the rows of .dependency-cruiser.cjs.',
      { path: '^src/[^/]+/', pathNot: inside(rows.flat()) },
      {},
    ),
    error('no-cycles', 'Files must not import each other in a circle.', {}, { circular: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.tsx?$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
