'use strict';

const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const source = join(__dirname, 'src');

/** Those that declare a standard resource, in a file such as `goals.resource.ts`. */
const resourceFolders = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((folder) => readdirSync(join(source, folder)).some((file) => file.endsWith('.resource.ts')));

/**
 * Which folder of `src/` may import which. A folder may import every row above its own, never one below; type-only
 * imports count. Inside a row the folders are peers and may import one another without cycles, except as
 * `peersNotToImport` says. The files directly in `src/` put the application together: they import anything, and no
 * folder imports them.
 */
const rows = [
  ['config', 'database', 'common'],
  ['presentation'],
  ['access', 'conditional-requests', 'audit', 'metrics', 'idempotency'],
  ['users', 'tokens', 'auth', 'teams'],
  ['projects'],
  resourceFolders,
  ['resources'],
  ['webhooks'],
  ['experiments', 'variations'],
  ['events'],
  ['statistics'],
  ['results', 'sharing'],
  ['planning', 'installation', 'history', 'schedules', 'guardrails', 'definition', 'visitors'],
  ['publishing'],
  ['account'],
  ['console'],
  ['trash', 'demo', 'definition-imports', 'health', 'reference'],
  ['mcp'],
  ['platform'],
  ['admin'],
];

const peersNotToImport = {
  users: ['tokens', 'auth', 'teams'],
  tokens: ['auth', 'teams'],
  auth: ['teams'],
  teams: ['tokens', 'auth'],
  variations: ['experiments'],
};

const inside = (folders) => `^src/(?:${folders.join('|')})/`;
const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const rowsImportUpwards = rows.slice(0, -1).map((row, index) => {
  const below = rows.slice(index + 1).flat();
  const comment = `${row.join(', ')} must not know of any row below.`;
  return error(`upwards-only-from-${row.join('-')}`, comment, { path: inside(row) }, { path: inside(below) });
});

const peersKeepTheirOrder = Object.entries(peersNotToImport).map(([folder, peers]) =>
  error(
    `${folder}-before-its-peers`,
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
