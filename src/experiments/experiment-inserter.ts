import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import type { ProjectWrite } from '../projects/project-writer';
import { VariationColumns } from '../variations/new-variations';
import { PreviewLinks } from '../variations/preview-links';
import { Variation } from '../variations/variation.entity';
import { toVariationRecord } from '../variations/variation.record';
import { attach, ATTACHMENT_KINDS, Attachments } from './attachments';
import { EXPERIMENT_FIELDS, toExperimentRecord } from './experiment-fields';
import { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import type { ExperimentColumns } from './new-experiment';

/** Stores a new experiment with everything in it; used for creating and for cloning. */
@Injectable()
export class ExperimentInserter {
  private readonly experiments: RowStore<Experiment>;
  private readonly variations: RowStore<Variation>;

  constructor(
    database: Database,
    private readonly previews: PreviewLinks,
  ) {
    this.experiments = new RowStore(database, Experiment);
    this.variations = new RowStore(database, Variation);
  }

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
          return toVariationRecord(variation, this.previews.urlFor(columns.example_url, variation.id));
        }),
      },
      EXPERIMENT_FIELDS,
    );
    write.changed('experiments', { action, itemType: 'experiment', itemId: id, before: null, after: record });
    return record;
  }
}
