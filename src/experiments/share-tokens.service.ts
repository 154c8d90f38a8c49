import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../access/actor';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { ProjectWriter } from '../projects/project-writer';
import { ExperimentStore } from './experiment.store';
import { newShareToken } from './experiment-inserter';

/** The share link of an experiment. */
export interface Share {
  /** Id of the experiment. */
  id: number;
  share_token: string;
  share_url: string;
}

/** The share link of an experiment. */
export const shareUrl = (publicUrl: string, token: string): string => `${publicUrl}/share/${token}`;

/** Rotates share tokens. */
@Injectable()
export class ShareTokensService {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly experiments: ExperimentStore,
    private readonly config: Config,
  ) {}

  /**
   * Gives an experiment a new share token and revokes the old one. @returns null if the experiment does not exist or is
   * deleted, or its project is
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
    return (await this.experiments.findReachable(manager, experimentId))?.project_id ?? null;
  }
}
