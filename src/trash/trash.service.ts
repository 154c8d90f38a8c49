import { Injectable } from '@nestjs/common';
import type { Author } from '../access/actor';
import { audit } from '../audit/audit-log';
import { formatMicros, Micros, nowMicros } from '../common/time/clock';
import { DAY_MICROS } from '../common/time/days';
import { Database, Tx } from '../database/database';
import { RowStore } from '../database/row-store';
import { EventPurge } from '../events/event-purge';
import { Experiment } from '../experiments/experiment.entity';
import { siblings } from '../experiments/experiments.service';
import { freeApiName } from '../projects/api-names';
import { ProjectWriter } from '../projects/project-writer';
import { Project } from '../projects/project.entity';

export const TRASH_TYPES = ['project', 'experiment'] as const;

export type TrashType = (typeof TRASH_TYPES)[number];

/** Something in the trash. */
export interface TrashRecord {
  type: TrashType;
  id: number;
  name: string;
  project_id: number;
  deleted_at: string;
  /** After this time it is purged with all its data. */
  purge_at: string;
}

export interface TrashKey {
  type: TrashType;
  id: number;
}

const KEPT_MICROS = 30 * DAY_MICROS;

/** Why something cannot be restored or purged. */
export type TrashRefusal = 'not in the trash' | 'its project is in the trash';

/** What was deleted can be restored for 30 days. */
@Injectable()
export class TrashService {
  private readonly projects: RowStore<Project>;
  private readonly experiments: RowStore<Experiment>;

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly events: EventPurge,
  ) {
    this.projects = new RowStore(database, Project);
    this.experiments = new RowStore(database, Experiment);
  }

  async list(): Promise<TrashRecord[]> {
    const { read } = this.database;
    const projects = await this.projects.find(read, 'deleted_at IS NOT NULL', []);
    const experiments = await this.experiments.find(read, 'deleted_at IS NOT NULL', []);
    return [
      ...projects.map((row) => toTrashRecord('project', row, row.id)),
      ...experiments.map((row) => toTrashRecord('experiment', row, row.project_id)),
    ];
  }

  /** @returns why not, or null when it is restored */
  restore({ type, id }: TrashKey, author: Author): Promise<TrashRefusal | null> {
    return type === 'project' ? this.restoreProject(id, author) : this.restoreExperiment(id, author);
  }

  /** Deletes one thing in the trash, with all its data, for good. */
  async purge(key: TrashKey, author: Author): Promise<TrashRefusal | null> {
    const { type, id } = key;
    const [table, projectId] = type === 'project' ? ['projects', 'id'] : ['experiments', 'project_id'];
    const refusal = await this.database.transaction(async (tx) => {
      const [row]: { project_id: number }[] = await tx.query(
        `SELECT ${projectId} AS project_id FROM ${table} WHERE id = ? AND deleted_at IS NOT NULL`,
        [id],
      );
      if (row === undefined) {
        return 'not in the trash';
      }
      await this.delete(tx, key, author);
      await this.events.schedule(tx, row.project_id, type === 'experiment' ? id : null);
      return null;
    });
    await this.events.run();
    return refusal;
  }

  /** Deletes for good what has been in the trash for 30 days. */
  async purgeExpired(author: Author, now: Micros = nowMicros()): Promise<TrashKey[]> {
    await this.events.run();
    const purged: TrashKey[] = [];
    for (const type of TRASH_TYPES) {
      const table = type === 'project' ? 'projects' : 'experiments';
      const rows: { id: number }[] = await this.database.read.query(
        `SELECT id FROM ${table} WHERE deleted_at IS NOT NULL AND deleted_at <= ? ORDER BY id`,
        [now - KEPT_MICROS],
      );
      for (const { id } of rows) {
        if ((await this.purge({ type, id }, author)) === null) {
          purged.push({ type, id });
        }
      }
    }
    return purged;
  }

  private async delete(tx: Tx, { type, id }: TrashKey, author: Author): Promise<void> {
    await tx.query(`DELETE FROM ${type === 'project' ? 'projects' : 'experiments'} WHERE id = ?`, [id]);
    await audit(tx, author, null, [
      { action: 'purge', itemType: type, itemId: id, before: null, after: null },
    ]);
  }

  private restoreProject(id: number, author: Author): Promise<TrashRefusal | null> {
    return this.database.transaction(async (tx) => {
      const [row] = await this.projects.find(tx, 'id = ? AND deleted_at IS NOT NULL', [id]);
      if (row === undefined) {
        return 'not in the trash';
      }
      await this.projects.update(tx, id, { deleted_at: null, updated_at: nowMicros() });
      await tx.query('UPDATE teams SET projects_version = projects_version + 1 WHERE id = ?', [row.team_id]);
      await audit(tx, author, id, [
        { action: 'restore', itemType: 'project', itemId: id, before: null, after: null },
      ]);
      return null;
    });
  }

  /** The api_name may have been taken meanwhile, and what it needs may be gone: nothing comes back live or previewed. */
  private async restoreExperiment(id: number, author: Author): Promise<TrashRefusal | null> {
    const [row] = await this.experiments.find(this.database.read, 'id = ? AND deleted_at IS NOT NULL', [id]);
    if (row === undefined) {
      return 'not in the trash';
    }
    const { project_id: projectId } = row;
    const project = await this.projects.findById(this.database.read, projectId);
    if (project?.deleted_at !== null) {
      return 'its project is in the trash';
    }
    return this.writer.change({ projectId, author }, null, async (write) => {
      const changes = {
        ...standingAfterRestore(row, write.now),
        api_name: await freeApiName(write.tx, siblings(projectId), row.api_name),
        deleted_at: null,
        trash_slot: 0,
        updated_at: write.now,
      };
      await this.experiments.update(write.tx, id, changes);
      write.changed('experiments', {
        action: 'restore',
        itemType: 'experiment',
        itemId: id,
        before: null,
        after: changes,
      });
      return null;
    });
  }
}

function standingAfterRestore({ status, started_at }: Experiment, now: Micros): Partial<Experiment> {
  if (status !== 'running' && status !== 'preview') {
    return {};
  }
  return started_at === null ? { status: 'draft' } : { status: 'pause', paused_at: now };
}

function toTrashRecord(
  type: TrashType,
  row: { id: number; name: string; deleted_at: Micros | null },
  projectId: number,
): TrashRecord {
  const deletedAt = row.deleted_at ?? 0;
  return {
    type,
    id: row.id,
    name: row.name,
    project_id: projectId,
    deleted_at: formatMicros(deletedAt),
    purge_at: formatMicros(deletedAt + KEPT_MICROS),
  };
}
