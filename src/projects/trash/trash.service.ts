import { Injectable } from '@nestjs/common';
import type { Author } from '../../platform/access/actor';
import { audit } from '../../audit/audit-log';
import { DAY_MICROS, formatMicros, formatOptionalMicros, Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { EventPurge } from '../../events/event-purge';
import { ExperimentRestore } from '../../experiments/experiment-restore.service';
import { ProjectStore } from '../project.store';
import { ProjectsService } from '../projects.service';
import { TRASH_TYPES, SoftDeleteStore, TrashType } from './soft-delete.store';

/** A deleted record. */
export interface TrashRecord {
  type: TrashType;
  id: number;
  /** Null if the purge has already deleted the record, but not all of its events. */
  name: string | null;
  project_id: number;
  /** Null if `name` is null. */
  deleted_at: string | null;
  /** When the record is purged with all of its data; null if its purge has begun. */
  purge_at: string | null;
}

export interface TrashKey {
  type: TrashType;
  id: number;
}

const KEPT_MICROS = 30 * DAY_MICROS;

/** The reason why a record cannot be restored or purged. */
export type TrashRefusal = 'not in the trash' | 'its project is in the trash' | 'being purged';

/** Manages deleted records, which can be restored for 30 days. */
@Injectable()
export class TrashService {
  constructor(
    private readonly database: Database,
    private readonly events: EventPurge,
    private readonly store: SoftDeleteStore,
    private readonly projects: ProjectStore,
    private readonly teamProjects: ProjectsService,
    private readonly experiments: ExperimentRestore,
  ) {}

  async list(): Promise<TrashRecord[]> {
    const projects = await this.store.projects();
    const experiments = await this.store.experiments();
    return [
      ...projects.map((row) => toTrashRecord('project', row, row.id)),
      ...experiments.map((row) => toTrashRecord('experiment', row, row.project_id)),
      ...(await this.store.beingPurged()).map((row) => ({
        ...row,
        deleted_at: formatOptionalMicros(row.deleted_at),
        purge_at: null,
      })),
    ];
  }

  /**
   * @returns the reason why the record cannot be restored; null if it was restored
   * @throws ValidationError if a restored project would exceed the maximum number of projects in its team
   */
  async restore(key: TrashKey, author: Author): Promise<TrashRefusal | null> {
    const { type, id } = key;
    const refusal = await (type === 'project'
      ? this.restoreProject(id, author)
      : this.restoreExperiment(id, author));
    return refusal === 'not in the trash' && (await this.isBeingPurged(key)) ? 'being purged' : refusal;
  }

  /**
   * Purges one deleted record with all its data. Called again after an interruption, it finishes the purge.
   * @returns the reason why the record cannot be purged; null if it was purged
   */
  async purge(key: TrashKey, author: Author): Promise<TrashRefusal | null> {
    const refusal = await this.schedule(key, author);
    if (refusal !== null && !(await this.isBeingPurged(key))) {
      return refusal;
    }
    await this.events.run();
    return null;
  }

  /**
   * Purges records that were deleted at least 30 days ago, and finishes interrupted purges.
   * @returns the purged records
   */
  async purgeExpired(author: Author, now: Micros = nowMicros()): Promise<TrashKey[]> {
    const purged: TrashKey[] = (await this.store.beingPurged()).map(({ type, id }) => ({ type, id }));
    await this.events.run();
    for (const type of TRASH_TYPES) {
      for (const id of await this.store.deletedUntil(type, now - KEPT_MICROS)) {
        if ((await this.purge({ type, id }, author)) === null) {
          purged.push({ type, id });
        }
      }
    }
    return purged;
  }

  private async isBeingPurged(key: TrashKey): Promise<boolean> {
    return (await this.store.beingPurged()).some(({ type, id }) => type === key.type && id === key.id);
  }

  /** Schedules a purge. From then on, the record cannot be restored. */
  private async schedule(key: TrashKey, author: Author): Promise<TrashRefusal | null> {
    const { type, id } = key;
    const found = await this.store.find(this.database.read, type, id);
    if (found === null) {
      return 'not in the trash';
    }
    return this.database.transaction(async (tx) => {
      await this.store.lockProject(tx, found.project_id);
      const row = await this.store.find(tx, type, id);
      if (row === null) {
        return 'not in the trash';
      }
      await this.record(tx, { ...key, ...row }, author);
      await this.events.schedule(tx, row.project_id, type === 'experiment' ? id : null);
      return null;
    }, found.project_id);
  }

  /**
   * The purge of an experiment is recorded in the audit log of its project. The purge of a project deletes this log, so
   * it is recorded outside of it.
   */
  private async record(
    tx: Tx,
    { type, id, name, project_id }: TrashKey & { name: string; project_id: number },
    author: Author,
  ): Promise<void> {
    const what = { itemType: type, itemId: id, itemName: name };
    await audit(tx, author, type === 'project' ? null : project_id, [
      { action: 'purge', ...what, before: null, after: null },
    ]);
  }

  private restoreProject(id: number, author: Author): Promise<TrashRefusal | null> {
    return this.database.transaction(async (tx) => {
      await this.store.lockProject(tx, id);
      const row = await this.store.project(tx, id);
      if (row === null) {
        return 'not in the trash';
      }
      await this.teamProjects.takePlace(tx, row.team_id);
      await this.projects.update(tx, id, { deleted_at: null, updated_at: nowMicros() });
      await audit(tx, author, id, [
        { action: 'restore', itemType: 'project', itemId: id, before: null, after: null },
      ]);
      return null;
    }, id);
  }

  private async restoreExperiment(id: number, author: Author): Promise<TrashRefusal | null> {
    const row = await this.store.experiment(this.database.read, id);
    if (row === null) {
      return 'not in the trash';
    }
    const { project_id: projectId } = row;
    const project = await this.projects.findById(this.database.read, projectId);
    if (project?.deleted_at !== null) {
      return 'its project is in the trash';
    }
    return (await this.experiments.restore({ projectId, author }, id)) ? null : 'not in the trash';
  }
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
