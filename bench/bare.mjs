import { createHash, randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { openStore } from './stores.mjs';

/*
 * The bare counterpart of the server: returns the same bytes from the same database with hand-written SQL in bare Fastify
 * handlers, without validation, tokens, limits or ETags. It also writes the audit entry, and it increments the version
 * numbers, because otherwise the server would keep returning outdated cached responses.
 */

/** The kinds of attachments, each with its table, its column in the link table, and an optional condition. */
const KINDS = {
  audiences: ['audiences', 'audience_id'],
  pages: ['pages', 'page_id'],
  goals: ['goals', 'goal_id', 'is_guardrail = 0'],
  guardrails: ['goals', 'goal_id', 'is_guardrail = 1'],
  environments: ['environments', 'environment_id'],
};
const noAttachments = () => Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));

const attachmentsOf = (condition) =>
  Object.entries(KINDS)
    .map(
      ([kind, [table, column, only = '1 = 1']]) =>
        `SELECT '${kind}' AS kind, j.experiment_id, j.position, i.id, i.name,
                ${table === 'goals' ? 'i.api_name AS api_name, i.type AS type' : 'NULL AS api_name, NULL AS type'}
           FROM experiment_${table} j JOIN ${table} i ON i.id = j.${column}
           JOIN experiments e ON e.id = j.experiment_id WHERE ${condition} AND ${only}`,
    )
    .join(' UNION ALL ') + ' ORDER BY position';
const OF_KINDS = Object.keys(KINDS).length;

const SQL = {
  experiments: 'SELECT * FROM experiments WHERE project_id = ? AND deleted_at IS NULL ORDER BY id',
  experiment: 'SELECT * FROM experiments WHERE id = ? AND project_id = ? AND deleted_at IS NULL',
  allVariations:
    'SELECT v.* FROM variations v JOIN experiments e ON e.id = v.experiment_id WHERE e.project_id = ? AND e.deleted_at IS NULL ORDER BY v.id',
  variations: 'SELECT * FROM variations WHERE experiment_id = ? ORDER BY id',
  allAttachments: attachmentsOf('e.project_id = ? AND e.deleted_at IS NULL'),
  attachments: attachmentsOf('e.id = ?'),
  environment: 'SELECT id, name FROM environments WHERE project_id = ? AND is_default = 1',
};

function time(micros) {
  if (micros === null) {
    return null;
  }
  const value = Number(micros);
  const millis = Math.floor(value / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(value - millis * 1000).padStart(3, '0')}Z`;
}

const variationRecord = (row) => ({
  id: row.id,
  experiment_id: row.experiment_id,
  name: row.name,
  api_name: row.api_name,
  description: row.description,
  is_original: Boolean(row.is_original),
  traffic_allocation: row.traffic_allocation === null ? null : row.traffic_allocation / 100,
  js: row.js,
  css: row.css,
  preview_url: null,
  created_at: time(row.created_at),
  updated_at: time(row.updated_at),
});

const experimentRecord = (row, variations, attached) => ({
  id: row.id,
  project_id: row.project_id,
  name: row.name,
  api_name: row.api_name,
  status: row.status,
  description: row.description,
  hypothesis: row.hypothesis,
  example_url: row.example_url,
  traffic_allocation: row.traffic_allocation / 100,
  exclusion_group_id: row.exclusion_group_id,
  exclusion_share: row.exclusion_share / 100,
  audiences_match_type: row.audiences_match_type,
  tags: row.tags === '' ? [] : row.tags.slice(1, -1).split('\n'),
  js: row.js,
  reset_js: row.reset_js,
  css: row.css,
  variations,
  audiences: attached.audiences,
  pages: attached.pages,
  goals: attached.goals,
  guardrails: attached.guardrails,
  guardrail_action: row.guardrail_action,
  environments: attached.environments,
  minimum_effect: row.minimum_effect,
  planned_participants: row.planned_participants,
  planned_end: row.planned_end,
  decision: row.decision === null ? null : JSON.parse(row.decision),
  shared: Boolean(row.shared),
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  schedule_error: row.schedule_error,
  started_at: time(row.started_at),
  paused_at: time(row.paused_at),
  paused_reason: row.paused_reason,
  archived_at: time(row.archived_at),
  created_at: time(row.created_at),
  updated_at: time(row.updated_at),
});

function group(rows, ids) {
  const groups = new Map(ids.map((id) => [id, noAttachments()]));
  for (const { kind, experiment_id, id, name, api_name, type } of rows) {
    groups.get(experiment_id)[kind].push(type === null ? { id, name } : { id, name, api_name, type });
  }
  return groups;
}

const store = openStore(process.env.DATABASE_URL);
const server = Fastify({ logger: false });

server.get('/api/projects/:project/experiments', async (request) => {
  const project = Number(request.params.project);
  const [rows, variationRows, attachmentRows] = await Promise.all([
    store.rows(SQL.experiments, [project]),
    store.rows(SQL.allVariations, [project]),
    store.rows(SQL.allAttachments, Array(OF_KINDS).fill(project)),
  ]);
  const variations = new Map(rows.map((row) => [row.id, []]));
  for (const row of variationRows) {
    variations.get(row.experiment_id).push(variationRecord(row));
  }
  const attached = group(
    attachmentRows,
    rows.map((row) => row.id),
  );
  return rows.map((row) => experimentRecord(row, variations.get(row.id), attached.get(row.id)));
});

server.get('/api/projects/:project/experiments/:experiment', async (request) => {
  const project = Number(request.params.project);
  const id = Number(request.params.experiment);
  const [[row], variationRows, attachmentRows] = await Promise.all([
    store.rows(SQL.experiment, [id, project]),
    store.rows(SQL.variations, [id]),
    store.rows(SQL.attachments, Array(OF_KINDS).fill(id)),
  ]);
  return experimentRecord(row, variationRows.map(variationRecord), group(attachmentRows, [id]).get(id));
});

const names = (name, apiName) => ({
  name,
  name_key: createHash('sha256').update(name).digest('hex'),
  name_search: name.toLowerCase(),
  api_name: apiName,
});

function insertOf(table, rows) {
  const columns = Object.keys(rows[0]);
  const tuple = `(${columns.map(() => '?').join(', ')})`;
  return [
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => tuple).join(', ')}`,
    rows.flatMap((row) => Object.values(row)),
  ];
}

function experimentColumns(project, body, now) {
  return {
    ...names(body.name, body.name.toLowerCase().replaceAll(' ', '-')),
    project_id: project,
    status: 'draft',
    description: null,
    hypothesis: null,
    example_url: null,
    traffic_allocation: 10_000,
    traffic_in_ranges: 0,
    exclusion_group_id: null,
    exclusion_share: 10_000,
    audiences_match_type: 'any',
    tags: '',
    js: null,
    reset_js: null,
    css: null,
    minimum_effect: null,
    planned_participants: null,
    planned_end: null,
    guardrail_action: 'none',
    guardrail_trips: null,
    decision: null,
    shared: 1,
    starts_at: null,
    ends_at: null,
    schedule_error: null,
    schedule_authors: null,
    share_token: randomBytes(32).toString('base64url'),
    preview_version: 0,
    started_at: null,
    paused_at: null,
    paused_reason: null,
    archived_at: null,
    version: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    trash_slot: 0,
  };
}

const variationColumns = (experiment, body, index, now) => ({
  ...names(body.name, body.name.toLowerCase().replaceAll(' ', '-')),
  experiment_id: experiment,
  description: null,
  is_original: index === 0 ? 1 : 0,
  traffic_allocation: null,
  js: body.js ?? null,
  css: body.css ?? null,
  version: 1,
  created_at: now,
  updated_at: now,
});

const auditColumns = (project, made, now) => ({
  at: now,
  source: 'api',
  user_id: 1,
  token_id: 1,
  action: 'create',
  project_id: project,
  item_type: 'experiment',
  item_id: made.id,
  item_name: made.name,
  request_id: randomBytes(16).toString('hex'),
  '`after`': JSON.stringify(made),
});

server.post('/api/projects/:project/experiments', async (request, reply) => {
  const project = Number(request.params.project);
  const now = Date.now() * 1000;
  const environments = await store.rows(SQL.environment, [project]);
  const row = experimentColumns(project, request.body, now);
  const record = await store.transaction(async (tx) => {
    const id = await tx.run(...insertOf('experiments', [row]));
    const variations = request.body.variations.map((body, index) => variationColumns(id, body, index, now));
    const ids = store.insertedIds(await tx.run(...insertOf('variations', variations)), variations.length);
    const links = environments.map((item, position) => ({
      experiment_id: id,
      environment_id: item.id,
      position,
    }));
    await tx.run(...insertOf('experiment_environments', links));
    const made = experimentRecord(
      { id, ...row },
      variations.map((variation, index) => variationRecord({ id: ids[index], ...variation })),
      { ...noAttachments(), environments },
    );
    await tx.run(...insertOf('audit_entries', [auditColumns(project, made, now)]));
    await tx.run('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [project]);
    await tx.run(
      "UPDATE collection_versions SET version = version + 1 WHERE project_id = ? AND collection = 'experiments'",
      [project],
    );
    return made;
  });
  return reply.status(201).send(record);
});

await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
