import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import type { Resolution } from '../message-outcome';
import { idsStoredBy, withoutDeleted } from './deleted-messages';
import { DeletedVisitorStore } from './deleted-visitors.store';

/** Rejects the messages of deleted visitors before they are stored. */
@Injectable()
export class DeletionCheck {
  constructor(
    private readonly database: Database,
    private readonly deleted: DeletedVisitorStore,
  ) {}

  /** @param resolutions one per project; the results are in the same order */
  async apply(resolutions: readonly { projectId: number; resolution: Resolution }[]): Promise<Resolution[]> {
    const visitors = resolutions.flatMap(({ projectId, resolution }) =>
      idsStoredBy(resolution).map((visitor_id) => ({ project_id: projectId, visitor_id })),
    );
    const deleted = await this.deleted.among(this.database.read, visitors);
    return resolutions.map(({ projectId, resolution }) => {
      const own = deleted.filter(({ project_id }) => project_id === projectId);
      return withoutDeleted(resolution, new Set(own.map(({ visitor_id }) => visitor_id)));
    });
  }
}
