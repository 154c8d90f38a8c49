import type { EntityManager } from 'typeorm';
import { chunksOf } from '../common/lists/collections';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import type { Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { type AttachedGoal, attachedIds, type AttachedItem, AttachmentEntry } from './attachment-list';

const NAMED = { extra: 'NULL AS api_name, NULL AS type', fixed: {} } as const;
const GOAL = {
  table: 'goals',
  join: 'experiment_goals',
  column: 'goal_id',
  extra: 'i.api_name AS api_name, i.type AS type',
} as const;

/**
 * The kinds of attachments, with their fields and tables. Goals and guardrails share a table, so both are tracked and
 * retained in the same way, and a goal cannot be in both lists. A `fixed` column distinguishes goals from guardrails.
 */
export const ATTACHMENTS = {
  audiences: { table: 'audiences', join: 'experiment_audiences', column: 'audience_id', ...NAMED },
  pages: { table: 'pages', join: 'experiment_pages', column: 'page_id', ...NAMED },
  goals: { ...GOAL, fixed: { is_guardrail: 0 } },
  guardrails: { ...GOAL, fixed: { is_guardrail: 1 } },
  environments: {
    table: 'environments',
    join: 'experiment_environments',
    column: 'environment_id',
    ...NAMED,
  },
} as const;

export type AttachmentKind = keyof typeof ATTACHMENTS;

/** The kinds that have their own records. Guardrails are stored as goals. */
export type AttachedCollection = (typeof ATTACHMENTS)[AttachmentKind]['table'];

const isOfGoals = (kind: AttachmentKind): kind is 'goals' | 'guardrails' =>
  ATTACHMENTS[kind].table === 'goals';

/** SQL condition that selects the join table rows of one kind. */
const ofKind = (kind: AttachmentKind): string =>
  Object.entries(ATTACHMENTS[kind].fixed)
    .map(([column, value]) => ` AND ${column} = ${value}`)
    .join('');

export const ATTACHMENT_KINDS = Object.keys(ATTACHMENTS) as AttachmentKind[];

export interface Attachments {
  audiences: AttachedItem[];
  pages: AttachedItem[];
  goals: AttachedGoal[];
  guardrails: AttachedGoal[];
  environments: AttachedItem[];
}

export const noAttachments = (): Attachments => ({
  audiences: [],
  pages: [],
  goals: [],
  guardrails: [],
  environments: [],
});

interface AttachmentRow extends AttachedGoal {
  kind: AttachmentKind;
  experiment_id: number;
}

/** Maximum number of experiments per statement that reads attachments. */
const CHUNK = 5_000;

/** The attachments of each experiment, in order. */
export async function loadAttachments(
  manager: EntityManager,
  experimentIds: readonly number[],
  kinds: readonly AttachmentKind[],
): Promise<Map<number, Attachments>> {
  const found = new Map(experimentIds.map((id) => [id, noAttachments()]));
  for (const ids of kinds.length === 0 ? [] : chunksOf(experimentIds, CHUNK)) {
    const selects = kinds.map((kind) => {
      const { table, join, column, extra } = ATTACHMENTS[kind];
      return `SELECT '${kind}' AS kind, j.experiment_id, j.position, i.id, i.name, ${extra}
                FROM ${join} j JOIN ${table} i ON i.id = j.${column}
               WHERE j.experiment_id IN (${placeholders(ids.length)})${ofKind(kind)}`;
    });
    const sql = `${selects.join(' UNION ALL ')} ORDER BY position`;
    const rows: AttachmentRow[] = await manager.query(
      sql,
      kinds.flatMap(() => ids),
    );
    for (const { kind, experiment_id, id, name, api_name, type } of rows) {
      const attachments = found.get(experiment_id);
      if (isOfGoals(kind)) {
        attachments?.[kind].push({ id, name, api_name, type });
      } else {
        attachments?.[kind].push({ id, name });
      }
    }
  }
  return found;
}

export type AttachmentChoice = Partial<Record<AttachmentKind, AttachmentEntry[]>>;

/** Looks up the records to attach. Each record that is not in the project is reported as an error at its index. */
export async function resolveAttachments(
  manager: EntityManager,
  projectId: number,
  { fields, sent }: Pick<Submission<AttachmentChoice>, 'fields' | 'sent'>,
  failures: Failures,
): Promise<Partial<Attachments>> {
  const resolved: Partial<Attachments> = {};
  for (const kind of ATTACHMENT_KINDS) {
    const items = await resolveKind(manager, projectId, kind, attachedIds(sent[kind]), failures);
    if (fields[kind] !== undefined) {
      resolved[kind] = items as AttachedGoal[];
    }
  }
  return resolved;
}

async function resolveKind(
  manager: EntityManager,
  projectId: number,
  kind: AttachmentKind,
  wanted: readonly { id: number; index: number }[],
  failures: Failures,
): Promise<AttachedItem[]> {
  if (wanted.length === 0) {
    return [];
  }
  const { table } = ATTACHMENTS[kind];
  const columns = isOfGoals(kind) ? 'id, name, api_name, type' : 'id, name';
  const rows: AttachedItem[] = await manager.query(
    `SELECT ${columns} FROM ${table} WHERE project_id = ? AND id IN (${placeholders(wanted.length)})`,
    [projectId, ...wanted.map(({ id }) => id)],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.flatMap(({ id, index }) => {
    const row = byId.get(id);
    if (row === undefined) {
      failures.add(`${kind}.${index}`, `The project has no ${table.slice(0, -1)} ${id}.`);
    }
    return row ?? [];
  });
}

/** An experiment to which an item is attached. */
export interface AttachedTo {
  id: number;
  name: string;
  status: string;
  /** Number of items of this kind that are attached to the experiment. */
  attached: number;
}

/** The experiments that an item is attached to, except deleted ones, in id order. */
export async function experimentsWith(
  manager: EntityManager,
  kind: AttachedCollection,
  itemId: number,
): Promise<AttachedTo[]> {
  const { join, column } = ATTACHMENTS[kind];
  const rows: (Omit<AttachedTo, 'attached'> & { attached: number | string })[] = await manager.query(
    `SELECT e.id, e.name, e.status, (SELECT COUNT(*) FROM ${join} o WHERE o.experiment_id = e.id) AS attached
       FROM ${join} j JOIN experiments e ON e.id = j.experiment_id
      WHERE j.${column} = ? AND e.deleted_at IS NULL ORDER BY e.id`,
    [itemId],
  );
  return rows.map((row) => ({ ...row, attached: Number(row.attached) }));
}

/** Whether the goal is a guardrail that may pause a running experiment. */
export async function mayPause(manager: EntityManager, goalId: number): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM ${ATTACHMENTS.guardrails.join} j JOIN experiments e ON e.id = j.experiment_id
      WHERE j.goal_id = ?${ofKind('guardrails')}
        AND e.status = 'running' AND e.guardrail_action = 'pause' AND e.deleted_at IS NULL LIMIT 1`,
    [goalId],
  );
  return rows.length > 0;
}

/** Detaches an item from all experiments. */
export async function detach(tx: Tx, kind: AttachedCollection, itemId: number): Promise<void> {
  const { join, column } = ATTACHMENTS[kind];
  await tx.query(`DELETE FROM ${join} WHERE ${column} = ?`, [itemId]);
}

/** Increments the versions of the experiments that show an item. @returns whether there are any such experiments */
export async function countUpExperimentsWith(
  tx: Tx,
  kind: AttachedCollection,
  itemId: number,
): Promise<boolean> {
  const { join, column } = ATTACHMENTS[kind];
  const users: unknown[] = await tx.query(`SELECT experiment_id FROM ${join} WHERE ${column} = ? LIMIT 1`, [
    itemId,
  ]);
  if (users.length === 0) {
    return false;
  }
  await tx.query(
    `UPDATE experiments SET version = version + 1
      WHERE id IN (SELECT experiment_id FROM ${join} WHERE ${column} = ?)`,
    [itemId],
  );
  return true;
}

/** The project's default environment, which new experiments get. */
export async function defaultEnvironment(manager: EntityManager, projectId: number): Promise<AttachedItem[]> {
  return manager.query('SELECT id, name FROM environments WHERE project_id = ? AND is_default = 1', [
    projectId,
  ]);
}

/** Attaches items to an experiment, in the given order. */
export async function attach(
  tx: Tx,
  experimentId: number,
  kind: AttachmentKind,
  items: readonly AttachedItem[],
): Promise<void> {
  if (items.length === 0) {
    return;
  }
  const { join, column, fixed } = ATTACHMENTS[kind];
  const columns = ['experiment_id', column, 'position', ...Object.keys(fixed)];
  const row = `(${placeholders(columns.length)})`;
  await tx.query(
    `INSERT INTO ${join} (${columns.join(', ')}) VALUES ${items.map(() => row).join(', ')}`,
    items.flatMap(({ id }, position) => [experimentId, id, position, ...Object.values(fixed)]),
  );
}

/** Replaces the attachments of the given kinds. A goal can move between `goals` and `guardrails`. */
export async function reattach(
  tx: Tx,
  experimentId: number,
  kinds: readonly AttachmentKind[],
  attachments: Partial<Attachments>,
): Promise<void> {
  for (const kind of kinds) {
    const { join } = ATTACHMENTS[kind];
    await tx.query(`DELETE FROM ${join} WHERE experiment_id = ?${ofKind(kind)}`, [experimentId]);
  }
  for (const kind of kinds) {
    await attach(tx, experimentId, kind, attachments[kind] ?? []);
  }
}

/** Rejects goals that are also guardrails. @param before the stored lists, used for lists that the request omits */
export function checkGuardrails(
  sent: Partial<Attachments>,
  before: Pick<Attachments, 'goals' | 'guardrails'>,
  failures: Failures,
): void {
  const kind = sent.guardrails === undefined ? 'goals' : 'guardrails';
  const others = kind === 'goals' ? before.guardrails : (sent.goals ?? before.goals);
  const ids = new Set(others.map(({ id }) => id));
  for (const [index, { id, name }] of (sent[kind] ?? []).entries()) {
    if (ids.has(id)) {
      failures.add(`${kind}.${index}`, `Goal ${id} (${name}) cannot be both a goal and a guardrail.`);
    }
  }
}
