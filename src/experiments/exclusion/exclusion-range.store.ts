import type { EntityManager } from 'typeorm';
import { groupBy } from '../../common/lists/collections';
import type { Tx } from '../../database/database';
import { countRows, placeholders } from '../../database/row-store';
import type { BucketRange } from './bucket-ranges';

/** An experiment that has buckets in a group. */
export interface Holder {
  id: number;
  name: string;
  /** In ascending order. */
  ranges: BucketRange[];
}

/** An experiment that needs buckets in a group. */
export interface Member {
  id: number;
  exclusion_group_id: number;
  /** In hundredths of a percent. This is also the number of buckets. */
  exclusion_share: number;
}

/** An exclusion group of a project; null if the project has no group with this id. */
export async function findGroup(
  manager: EntityManager,
  projectId: number,
  id: number,
): Promise<{ id: number; name: string } | null> {
  const [group]: { id: number; name: string }[] = await manager.query(
    'SELECT id, name FROM exclusion_groups WHERE id = ? AND project_id = ?',
    [id, projectId],
  );
  return group ?? null;
}

/** The exclusion groups of a project, by name. */
export async function groupsOf(
  manager: EntityManager,
  projectId: number,
): Promise<{ id: number; name: string }[]> {
  return manager.query('SELECT id, name FROM exclusion_groups WHERE project_id = ? ORDER BY name, id', [
    projectId,
  ]);
}

/** A project's experiments that are in a group and not deleted. */
export async function groupMembers(manager: EntityManager, projectId: number): Promise<Member[]> {
  return manager.query(
    `SELECT id, exclusion_group_id, exclusion_share FROM experiments
      WHERE project_id = ? AND exclusion_group_id IS NOT NULL AND deleted_at IS NULL`,
    [projectId],
  );
}

/** The experiments that have buckets in a group, in id order. */
export async function holdersOf(manager: EntityManager, groupId: number): Promise<Holder[]> {
  return (await holdersOfGroups(manager, [groupId])).get(groupId) ?? [];
}

/** The experiments that have buckets in these groups, by group. */
export async function holdersOfGroups(
  manager: EntityManager,
  groupIds: readonly number[],
): Promise<Map<number, Holder[]>> {
  const rows: RangeRow[] = await manager.query(
    `SELECT r.exclusion_group_id, e.id, e.name, r.first_bucket, r.end_bucket
       FROM exclusion_ranges r JOIN experiments e ON e.id = r.experiment_id
      WHERE r.exclusion_group_id IN (${placeholders(groupIds.length)}) ORDER BY e.id, r.first_bucket`,
    [...groupIds],
  );
  const byGroup = groupBy(rows, (row) => row.exclusion_group_id);
  return new Map([...byGroup].map(([groupId, own]) => [groupId, holdersIn(own)]));
}

interface RangeRow {
  exclusion_group_id: number;
  id: number;
  name: string;
  first_bucket: number;
  end_bucket: number;
}

const holdersIn = (rows: readonly RangeRow[]): Holder[] =>
  [...groupBy(rows, ({ id }) => id)].map(([id, own]) => ({
    id,
    name: own[0].name,
    ranges: own.map(({ first_bucket, end_bucket }): BucketRange => [first_bucket, end_bucket]),
  }));

/** Replaces the ranges of an experiment. */
export async function replaceRanges(
  tx: Tx,
  experimentId: number,
  groupId: number,
  ranges: readonly BucketRange[],
): Promise<void> {
  await releaseRanges(tx, experimentId);
  for (const [first, end] of ranges) {
    await tx.query(
      'INSERT INTO exclusion_ranges (exclusion_group_id, experiment_id, first_bucket, end_bucket) VALUES (?, ?, ?, ?)',
      [groupId, experimentId, first, end],
    );
  }
}

/** Removes the ranges of an experiment. */
export async function releaseRanges(tx: Tx, experimentId: number): Promise<void> {
  await tx.query('DELETE FROM exclusion_ranges WHERE experiment_id = ?', [experimentId]);
}

/** The experiments in a group, except deleted ones, in id order. */
export async function membersOf(
  manager: EntityManager,
  groupId: number,
): Promise<{ id: number; name: string; status: string }[]> {
  return manager.query(
    `SELECT id, name, status FROM experiments
      WHERE exclusion_group_id = ? AND deleted_at IS NULL ORDER BY id`,
    [groupId],
  );
}

/** Removes all experiments from a group. @returns whether the group contained any */
export async function leaveGroup(tx: Tx, groupId: number): Promise<boolean> {
  const left = await countRows(
    tx,
    'UPDATE experiments SET exclusion_group_id = NULL, version = version + 1 WHERE exclusion_group_id = ?',
    [groupId],
  );
  return left > 0;
}
