import { Injectable } from '@nestjs/common';
import type { Author } from '../platform/access/actor';
import type { ProjectScope } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import { Shown } from '../common/http/answers';
import type { Submission } from '../common/validation/submission';
import { Database, Tx } from '../database/database';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
import { countUpVariations } from './variations/variation.store';
import { checkArchived } from './variations/variations.service';
import { ExperimentReader } from './experiment-reader';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';

/** The preview links of an experiment's variations. */
export interface Previews {
  /** Id of the experiment. */
  id: number;
  variations: { id: number; preview_url: string | null }[];
}

/**
 * The column values that revoke an experiment's preview links. The variations get new links, so their versions also
 * change.
 */
export async function endPreviews(
  tx: Tx,
  { id, preview_version }: Pick<Experiment, 'id' | 'preview_version'>,
): Promise<Pick<Experiment, 'preview_version'>> {
  await countUpVariations(tx, id);
  return { preview_version: preview_version + 1 };
}

/** Gives experiments new preview links and revokes the old ones. */
@Injectable()
export class PreviewRotationService {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentStore,
  ) {}

  /** Replaces the links for an API request. */
  rotateIn(scope: ProjectScope, submission: Submission<object>): Promise<Shown<ExperimentRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const row = found(await this.experiments.findReachable(write.tx, scope.target.id));
      checkArchived(row, write.failures);
      const record = await this.store(write, row);
      return new Shown(record, row.version + 1);
    });
  }

  /**
   * Replaces the links for the admin command, in any status. @returns null if the experiment or its project does not
   * exist or is deleted
   */
  async rotate(experimentId: number, author: Author): Promise<Previews | null> {
    const known = await this.experiments.findReachable(this.database.read, experimentId);
    if (known === null) {
      return null;
    }
    return this.writer.change({ projectId: known.project_id, author }, null, async (write) => {
      const row = await this.experiments.findReachable(write.tx, experimentId);
      if (row === null) {
        return null;
      }
      const { variations } = await this.store(write, row);
      return { id: row.id, variations: variations.map(({ id, preview_url }) => ({ id, preview_url })) };
    });
  }

  /** The links are secret, so the audit log omits them. */
  private async store(write: ProjectWrite, row: Experiment): Promise<ExperimentRecord> {
    const { tx, now } = write;
    const changes = { ...(await endPreviews(tx, row)), updated_at: now };
    await this.experiments.update(tx, row.id, changes);
    write.changed('experiments', {
      action: 'rotate-previews',
      itemType: 'experiment',
      itemId: row.id,
      before: null,
      after: null,
    });
    return this.reader.record(tx, { ...row, ...changes });
  }
}
