import { Injectable } from '@nestjs/common';
import { newSecret } from '../common/text/secrets';
import type { ProjectWrite } from '../projects/project-writer';
import { VariationColumns } from './variations/new-variations';
import { PreviewLinks } from './variations/preview-links';
import { toVariationRecord } from './variations/variation.record';
import { VariationStore } from './variations/variation.store';
import { nameColumns } from '../common/text/names';
import type { Micros } from '../common/time/clock';
import { attach, ATTACHMENT_KINDS, Attachments } from './attachment.store';
import { EXPERIMENT_FIELDS, toExperimentRecord } from './experiment-fields';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import type { CreateExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import { NO_SCHEDULE } from './schedule';

export type ExperimentColumns = Omit<Experiment, 'id' | 'project'>;

/** The columns of a new draft, with defaults for absent values. */
export function newExperimentColumns(
  fields: Partial<Omit<CreateExperiment, 'variations'>>,
  name: string,
  apiName: string,
  projectId: number,
  now: Micros,
): ExperimentColumns {
  return {
    ...nameColumns(name),
    project_id: projectId,
    api_name: apiName,
    status: 'draft',
    description: fields.description ?? null,
    hypothesis: fields.hypothesis ?? null,
    example_url: fields.example_url ?? null,
    traffic_allocation: fields.traffic_allocation ?? 100,
    traffic_in_ranges: false,
    exclusion_group_id: fields.exclusion_group_id ?? null,
    exclusion_share: fields.exclusion_share ?? 100,
    audiences_match_type: fields.audiences_match_type ?? 'any',
    tags: fields.tags ?? [],
    js: fields.js ?? null,
    reset_js: fields.reset_js ?? null,
    css: fields.css ?? null,
    minimum_effect: fields.minimum_effect ?? null,
    planned_participants: fields.planned_participants ?? null,
    planned_end: fields.planned_end ?? null,
    guardrail_action: fields.guardrail_action ?? 'none',
    guardrail_trips: null,
    decision: null,
    shared: fields.shared ?? true,
    ...NO_SCHEDULE,
    starts_at: fields.starts_at ?? null,
    ends_at: fields.ends_at ?? null,
    share_token: newSecret(),
    preview_version: 0,
    started_at: null,
    paused_at: null,
    paused_reason: null,
    archived_at: null,
    version: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    trash_slot: 0,
  };
}

/** Stores a new or cloned experiment with all its parts. */
@Injectable()
export class ExperimentInserter {
  constructor(
    private readonly experiments: ExperimentStore,
    private readonly variations: VariationStore,
    private readonly previews: PreviewLinks,
  ) {}

  /** @returns the record of the new experiment */
  async insert(
    write: ProjectWrite,
    action: 'create' | 'clone',
    columns: ExperimentColumns,
    variations: readonly VariationColumns[],
    attachments: Attachments,
  ): Promise<ExperimentRecord> {
    const { tx } = write;
    const id = await this.experiments.insert(tx, columns);
    const rows = variations.map((variation) => ({ ...variation, experiment_id: id }));
    const ids = await this.variations.insertAll(tx, rows);
    for (const kind of ATTACHMENT_KINDS) {
      await attach(tx, id, kind, attachments[kind]);
    }
    const record = toExperimentRecord(
      {
        row: { id, ...columns },
        attachments,
        variations: rows.map((row, index) => {
          const variation = { id: ids[index] ?? 0, ...row };
          return toVariationRecord(variation, this.previews.urlFor(columns, variation.id));
        }),
      },
      EXPERIMENT_FIELDS,
    );
    write.changed('experiments', { action, itemType: 'experiment', itemId: id, before: null, after: record });
    return record;
  }
}
