import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import { Created } from '../common/http/answers';
import { apiNameFrom, nextFreeCopyName } from '../common/text/names';
import type { Submission } from '../common/validation/submission';
import { freeApiName } from '../projects/api-name.store';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
import { sharesByDefault } from '../projects/settings/project-settings.store';
import { checkVariationCount, variationColumns, VariationColumns } from './variations/new-variations';
import type { Variation } from './variations/variation.entity';
import { VariationStore } from './variations/variation.store';
import { ATTACHMENT_KINDS, Attachments, loadAttachments, noAttachments } from './attachment.store';
import { ExperimentInserter, newExperimentColumns } from './experiment-inserter';
import type { CloneExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import { siblings } from './experiments.service';
import { NO_SCHEDULE } from './schedule';
import { toUnstoredExperiment } from './unstored-experiment.record';

interface Original {
  row: Experiment;
  variations: Variation[];
  attachments: Attachments;
  name: string;
  apiName: string;
}

/**
 * Creates a draft that copies everything from an experiment except its results, share token, status, history, decision,
 * schedule and planned end.
 */
@Injectable()
export class ExperimentCloneService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly experiments: ExperimentStore,
    private readonly variations: VariationStore,
    private readonly inserter: ExperimentInserter,
  ) {}

  /** Clones are serialised, so each clone sees the names of earlier clones. */
  async clone(
    scope: ProjectScope,
    submission: Submission<CloneExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const original = await this.load(write, scope, submission.fields.name);
      checkVariationCount(original.variations.length, write.failures);
      write.failures.throwIfAny();
      const { row, name, apiName, attachments } = original;
      const shared = row.shared && (await sharesByDefault(write.tx, row.project_id));
      // Drops the schedule and the planned end, because the dates are meant for the original.
      const copied = { ...row, ...NO_SCHEDULE, planned_end: null, shared };
      const columns = newExperimentColumns(copied, name, apiName, row.project_id, write.now);
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
    const row = found(await this.experiments.findLive(tx, scope.target.id));
    const variations = await this.variations.ofExperiment(tx, row.id);
    const attachments = await loadAttachments(tx, [row.id], ATTACHMENT_KINDS);
    const name = wantedName ?? nextFreeCopyName(row.name, await this.experiments.names(tx, row.project_id));
    return {
      row,
      variations,
      attachments: attachments.get(row.id) ?? noAttachments(),
      name,
      apiName: await freeApiName(tx, siblings(row.project_id), apiNameFrom(name, 'experiment')),
    };
  }
}
