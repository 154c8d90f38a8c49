import { Injectable, OnModuleInit } from '@nestjs/common';
import { ItemObserver, ItemObservers, ObservedCollection, ObservedItem } from '../projects/item-observers';
import type { ProjectWrite } from '../projects/project-writer';
import { ATTACHMENTS, AttachmentKind } from './attachments';

/** The fields of attached items that experiments show. */
const SHOWN: Record<AttachmentKind, readonly string[]> = {
  audiences: ['name'],
  pages: ['name'],
  goals: ['name', 'api_name', 'type'],
  environments: ['name'],
};

interface User {
  id: number;
  name: string;
  status: string;
  /** How many items of the kind it has. */
  attached: number | string;
}

/** Running experiments need one environment at least, and each of their other items; so do previewed ones. */
function isInNeed({ status, attached }: User, kind: AttachmentKind): boolean {
  if (kind === 'environments') {
    return status === 'running' && Number(attached) === 1;
  }
  return status === 'running' || status === 'preview';
}

/** Tells the rest of a project what experiments depend on. */
@Injectable()
export class ItemUsers implements ItemObserver, OnModuleInit {
  constructor(private readonly observers: ItemObservers) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  /** Nothing that a running or previewed experiment uses may go; from the others it is detached. */
  async beforeDelete(write: ProjectWrite, collection: ObservedCollection, item: ObservedItem): Promise<void> {
    if (collection === 'record') {
      await refuseWhileRunning(write);
    } else if (collection in ATTACHMENTS) {
      await this.detach(write, collection as AttachmentKind, item.id);
    }
  }

  /** What an experiment shows of an item has changed, so the experiment has. */
  async afterChange(
    write: ProjectWrite,
    collection: ObservedCollection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    if (!(collection in ATTACHMENTS)) {
      return;
    }
    const kind = collection as AttachmentKind;
    if (fields.some((field) => SHOWN[kind].includes(field))) {
      await countUp(write, kind, id);
    }
  }

  private async detach(write: ProjectWrite, kind: AttachmentKind, id: number): Promise<void> {
    const { join, column } = ATTACHMENTS[kind];
    const users: User[] = await write.tx.query(
      `SELECT e.id, e.name, e.status, (SELECT COUNT(*) FROM ${join} o WHERE o.experiment_id = e.id) AS attached
         FROM ${join} j JOIN experiments e ON e.id = j.experiment_id
        WHERE j.${column} = ? AND e.deleted_at IS NULL ORDER BY e.id`,
      [id],
    );
    const active = users.filter((user) => isInNeed(user, kind));
    if (active.length > 0) {
      const names = active.map((user) => `${user.name} (${user.id})`).join(', ');
      write.failures.add(
        'experiments',
        `The ${kind.slice(0, -1)} is used by running or previewed experiments: ${names}.`,
      );
      return;
    }
    await countUp(write, kind, id);
    await write.tx.query(`DELETE FROM ${join} WHERE ${column} = ?`, [id]);
  }
}

async function refuseWhileRunning({ tx, projectId, failures }: ProjectWrite): Promise<void> {
  const running: User[] = await tx.query(
    "SELECT id, name FROM experiments WHERE project_id = ? AND status = 'running' AND deleted_at IS NULL ORDER BY id",
    [projectId],
  );
  if (running.length > 0) {
    const names = running.map((user) => `${user.name} (${user.id})`).join(', ');
    failures.add('experiments', `A project with running experiments cannot be deleted: ${names}.`);
  }
}

/** Everything that shows the item has changed; where nothing does, nothing has. */
async function countUp(write: ProjectWrite, kind: AttachmentKind, id: number): Promise<void> {
  const { join, column } = ATTACHMENTS[kind];
  const users: { experiment_id: number }[] = await write.tx.query(
    `SELECT experiment_id FROM ${join} WHERE ${column} = ? LIMIT 1`,
    [id],
  );
  if (users.length === 0) {
    return;
  }
  await write.tx.query(
    `UPDATE experiments SET version = version + 1
      WHERE id IN (SELECT experiment_id FROM ${join} WHERE ${column} = ?)`,
    [id],
  );
  write.touched('experiments');
}
