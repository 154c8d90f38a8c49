import { Injectable } from '@nestjs/common';
import type { Author } from '../platform/access/actor';
import type { Micros } from '../common/time/clock';
import { freeApiName } from '../projects/api-name.store';
import { ProjectWriter } from '../projects/project-writer';
import { ExperimentReader } from './experiment-reader';
import type { Experiment } from './experiment.entity';
import { ExperimentStore } from './experiment.store';
import { siblings } from './experiments.service';

/** Restores experiments from the trash. */
@Injectable()
export class ExperimentRestore {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly experiments: ExperimentStore,
    private readonly reader: ExperimentReader,
  ) {}

  /**
   * Restores a deleted experiment. If its api_name has been taken, the experiment gets a different one. Records that
   * the experiment requires may have been deleted, so the experiment is never live or previewed after it is restored.
   * @returns false if the experiment is not in the project's trash
   */
  restore({ projectId, author }: { projectId: number; author: Author }, id: number): Promise<boolean> {
    return this.writer.change({ projectId, author }, null, async (write) => {
      const row = await this.experiments.findDeleted(write.tx, projectId, id);
      if (row === null) {
        return false;
      }
      const changes = {
        ...statusAfterRestore(row, write.now),
        api_name: await freeApiName(write.tx, siblings(projectId), row.api_name),
        deleted_at: null,
        trash_slot: 0,
        updated_at: write.now,
      };
      await this.experiments.update(write.tx, id, changes);
      const after = await this.reader.record(write.tx, { ...row, ...changes });
      const what = { itemType: 'experiment', itemId: id, before: null, after };
      write.changed('experiments', { action: 'restore', ...what });
      return true;
    });
  }
}

function statusAfterRestore({ status, started_at }: Experiment, now: Micros): Partial<Experiment> {
  if (status !== 'running' && status !== 'preview') {
    return {};
  }
  return started_at === null ? { status: 'draft' } : { status: 'pause', paused_at: now };
}
