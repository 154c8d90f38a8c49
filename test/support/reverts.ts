import type { AuditEntryRecord } from '../../src/audit/history/audit-entry.record';
import type { Scene } from './scene';

/** Finds and reverts entries of the audit log. */
export function revertsIn(scene: Scene) {
  /** The latest audit entry of a project. @param query filters, such as `&action=update` */
  const last = async (project: string, query = ''): Promise<AuditEntryRecord> =>
    (await scene.client.get(`${project}/audit?per_page=1${query}`)).body[0] as AuditEntryRecord;

  const revert = (project: string, { id }: { id: number }, query = '', client = scene.client) =>
    client.post(`${project}/audit/${id}/revert${query}`, {});

  /** Reverts the latest change to a project, and asserts that this succeeds. */
  async function revertLast(project: string): Promise<AuditEntryRecord> {
    const answer = await revert(project, await last(project));
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body as AuditEntryRecord;
  }

  /** A record without the fields that change with every update. */
  const shown = async ({ path }: { path: string }): Promise<Record<string, unknown>> => {
    const { updated_at: _, ...record } = (await scene.client.get(path)).body as Record<string, unknown>;
    return record;
  };

  return { last, revert, revertLast, shown };
}
