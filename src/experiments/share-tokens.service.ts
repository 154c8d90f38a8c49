import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../access/actor';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { ProjectWriter } from '../projects/project-writer';
import { Experiment } from './experiment.entity';
import { newShareToken } from './new-experiment';

/** How the results of an experiment are shared. */
export interface Share {
  /** Id of the experiment. */
  id: number;
  share_token: string;
  share_url: string;
}

/** Where the results of an experiment are shown to whoever has its share token. */
export const shareUrl = (publicUrl: string, token: string): string => `${publicUrl}/share/${token}`;

/** Changes the secrets under which results are shared. */
@Injectable()
export class ShareTokensService {
  private readonly experiments: RowStore<Experiment>;

  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly config: Config,
  ) {
    this.experiments = new RowStore(database, Experiment);
  }

  /**
   * Gives an experiment a new share token; the old one leads nowhere from then on.
   * @returns null when there is no such experiment, or it or its project is in the trash
   */
  async rotateShareToken(experimentId: number, author: Author): Promise<Share | null> {
    const projectId = await this.projectOf(this.database.read, experimentId);
    if (projectId === null) {
      return null;
    }
    return this.writer.change({ projectId, author }, null, async (write) => {
      if ((await this.projectOf(write.tx, experimentId)) === null) {
        return null;
      }
      const token = newShareToken();
      await this.experiments.update(write.tx, experimentId, { share_token: token });
      write.changed('experiments', {
        action: 'rotate-share-token',
        itemType: 'experiment',
        itemId: experimentId,
        // The tokens are secrets, so the audit log does not have them.
        before: null,
        after: null,
      });
      return { id: experimentId, share_token: token, share_url: shareUrl(this.config.publicUrl, token) };
    });
  }

  private async projectOf(manager: EntityManager, experimentId: number): Promise<number | null> {
    const [row] = await this.experiments.select(
      manager,
      ['project_id'],
      'id = ? AND deleted_at IS NULL AND project_id IN (SELECT id FROM projects WHERE deleted_at IS NULL)',
      [experimentId],
    );
    return row?.project_id ?? null;
  }
}
