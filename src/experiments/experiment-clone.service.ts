import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { Created } from '../common/freshness/answers';
import { apiNameFrom, nextFreeCopyName } from '../common/text/names';
import type { Submission } from '../common/validation/submission';
import type { Tx } from '../database/database';
import { freeApiName } from '../projects/api-names';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
import { VariationColumns, variationColumns } from '../variations/new-variations';
import type { Variation } from '../variations/variation.entity';
import { ATTACHMENT_KINDS, Attachments, loadAttachments, noAttachments } from './attachments';
import { ExperimentInserter } from './experiment-inserter';
import { ExperimentReader } from './experiment-reader';
import type { CloneExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { siblings } from './experiments.service';
import { newExperimentColumns } from './new-experiment';
import { toUnstoredExperiment } from './unstored-experiment.record';

interface Original {
  row: Experiment;
  variations: Variation[];
  attachments: Attachments;
  name: string;
  apiName: string;
}

/** Makes a draft with everything of an experiment except results, share token, status and history. */
@Injectable()
export class ExperimentCloneService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly reader: ExperimentReader,
    private readonly inserter: ExperimentInserter,
  ) {}

  /** Clones take turns, so that each finds the names of those before. */
  async clone(
    scope: ProjectScope,
    submission: Submission<CloneExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const original = await this.load(write, scope, submission.fields.name);
      write.failures.throwIfAny();
      const { row, name, apiName, attachments } = original;
      const columns = newExperimentColumns(row, name, apiName, row.project_id, write.now);
      const arms = original.variations.map((variation): VariationColumns =>
        variationColumns(variation, variation.api_name, variation.is_original, write.now),
      );
      const record = await this.inserter.insert(write, 'clone', columns, arms, attachments);
      return new Created(record, columns.version, toUnstoredExperiment);
    });
  }

  private async load(
    { tx }: ProjectWrite,
    scope: ProjectScope,
    wantedName: string | undefined,
  ): Promise<Original> {
    const [row] = await this.reader.experiments.find(tx, 'id = ? AND deleted_at IS NULL', [scope.target.id]);
    if (row === undefined) {
      throw new NotFoundError();
    }
    const variations = await this.reader.variations.find(tx, 'experiment_id = ?', [row.id]);
    const attachments = await loadAttachments(tx, [row.id], ATTACHMENT_KINDS);
    const name = wantedName ?? nextFreeCopyName(row.name, await this.names(tx, row.project_id));
    return {
      row,
      variations,
      attachments: attachments.get(row.id) ?? noAttachments(),
      name,
      apiName: await freeApiName(tx, siblings(row.project_id), apiNameFrom(name, 'experiment')),
    };
  }

  private async names(tx: Tx, projectId: number): Promise<Set<string>> {
    const rows: { name: string }[] = await tx.query(
      'SELECT name FROM experiments WHERE project_id = ? AND deleted_at IS NULL',
      [projectId],
    );
    return new Set(rows.map(({ name }) => name));
  }
}
