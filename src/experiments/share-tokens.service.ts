import { Injectable } from '@nestjs/common';
import type { Author } from '../platform/access/actor';
import type { ProjectScope } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import { Renewed } from '../common/http/answers';
import { newSecret } from '../common/text/secrets';
import type { Submission } from '../common/validation/submission';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
import type { Experiment } from './experiment.entity';
import { ExperimentStore } from './experiment.store';
import { ShareLinkRecord, shownLink, toUnstoredLink } from './share-link.record';

/** Replaces share links. */
@Injectable()
export class ShareTokensService {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly experiments: ExperimentStore,
    private readonly config: Config,
  ) {}

  /** Replaces the share link for an API request. */
  rotate(scope: ProjectScope, submission: Submission<object>): Promise<Renewed<ShareLinkRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const row = found(await this.experiments.findReachable(write.tx, scope.target.id));
      write.failures.throwIfAny();
      return new Renewed(await this.store(write, row), row.version + 1, toUnstoredLink);
    });
  }

  /**
   * Replaces the share link for the admin command. @returns null if the experiment or its project does not exist or is
   * deleted
   */
  async rotateShareToken(experimentId: number, author: Author): Promise<ShareLinkRecord | null> {
    const known = await this.experiments.findReachable(this.database.read, experimentId);
    if (known === null) {
      return null;
    }
    return this.writer.change({ projectId: known.project_id, author }, null, async (write) => {
      const row = await this.experiments.findReachable(write.tx, experimentId);
      return row === null ? null : this.store(write, row);
    });
  }

  /** The tokens are secret, so the audit log omits them. */
  private async store(write: ProjectWrite, { id, shared }: Experiment): Promise<ShareLinkRecord> {
    const share_token = newSecret();
    await this.experiments.update(write.tx, id, { share_token });
    write.changed('experiments', {
      action: 'rotate-share-token',
      itemType: 'experiment',
      itemId: id,
      before: null,
      after: null,
    });
    return { id, shared, ...shownLink(this.config.publicUrl, { shared, share_token }) };
  }
}
