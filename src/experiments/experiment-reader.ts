import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectPlace, ProjectScope } from '../access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { Listed, Shown } from '../common/freshness/answers';
import { listValue, RawQuery, readListQuery } from '../common/lists/list-query';
import { nameKey } from '../common/text/names';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { lineOf } from '../database/columns';
import { Database } from '../database/database';
import { allOf, Condition, listRows } from '../database/listing';
import { placeholders, RowStore } from '../database/row-store';
import type { FindByName } from '../projects/named-item';
import { PreviewLinks } from '../variations/preview-links';
import { Variation } from '../variations/variation.entity';
import { LITE_COLUMNS, toLiteVariationRecord, toVariationRecord } from '../variations/variation.record';
import { loadAttachments, noAttachments } from './attachments';
import {
  attachmentKinds,
  EVERYTHING,
  ExperimentVariations,
  experimentColumns,
  readSelection,
  Selection,
  toExperimentRecord,
} from './experiment-fields';
import { STATUSES } from './experiment-status';
import { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';

const LIVE = 'project_id = ? AND deleted_at IS NULL';
/** The most tags that a list may be filtered by; databases limit how many conditions they take. */
const MAX_TAGS = 100;

/** Reads experiments with all that their records show, by a number of statements that does not depend on how many. */
@Injectable()
export class ExperimentReader {
  readonly experiments: RowStore<Experiment>;
  readonly variations: RowStore<Variation>;

  constructor(
    private readonly database: Database,
    private readonly previews: PreviewLinks,
  ) {
    this.experiments = new RowStore(database, Experiment);
    this.variations = new RowStore(database, Variation);
  }

  async list(scope: ProjectScope, query: RawQuery): Promise<Listed<ExperimentRecord>> {
    const failures = new Failures();
    const list = readListQuery(query, failures);
    const selection = readSelection(query, true, failures);
    const conditions = [
      { sql: LIVE, parameters: [scope.projectId] },
      ...statusCondition(query, failures),
      ...tagCondition(query, failures),
    ];
    failures.throwIfAny();
    const { rows, total } = await listRows(
      this.database.read,
      this.experiments,
      experimentColumns(selection),
      allOf(conditions),
      list,
    );
    return new Listed(await this.toRecords(this.database.read, rows, selection), total, list.page);
  }

  async show(scope: Pick<ProjectPlace, 'target'>, query: RawQuery): Promise<Shown<ExperimentRecord>> {
    const failures = new Failures();
    const selection = readSelection(query, false, failures);
    failures.throwIfAny();
    const [row] = await this.experiments.select(this.database.read, experimentColumns(selection), 'id = ?', [
      scope.target.id,
    ]);
    return this.shown(row, selection);
  }

  /** The oldest experiment with exactly this name. */
  async findByName(
    scope: ProjectScope,
    submission: Submission<FindByName>,
  ): Promise<Shown<ExperimentRecord>> {
    submission.failures().throwIfAny();
    const [row] = await this.experiments.find(
      this.database.read,
      `${LIVE} AND name_key = ?`,
      [scope.projectId, nameKey(submission.fields.name ?? '')],
      'ORDER BY id LIMIT 1',
    );
    return this.shown(row, EVERYTHING);
  }

  /** The whole record of one experiment, in a transaction or outside. */
  async record(manager: EntityManager, row: Experiment): Promise<ExperimentRecord> {
    const [record] = await this.toRecords(manager, [row], EVERYTHING);
    return record;
  }

  private async shown(row: Experiment | undefined, selection: Selection): Promise<Shown<ExperimentRecord>> {
    if (row === undefined) {
      throw new NotFoundError();
    }
    const [record] = await this.toRecords(this.database.read, [row], selection);
    return new Shown(record, row.version, row.id);
  }

  private async toRecords(
    manager: EntityManager,
    rows: readonly Experiment[],
    selection: Selection,
  ): Promise<ExperimentRecord[]> {
    const ids = rows.map((row) => row.id);
    const [attachments, variations] = await Promise.all([
      loadAttachments(manager, ids, attachmentKinds(selection)),
      this.loadVariations(manager, rows, selection),
    ]);
    return rows.map((row) =>
      toExperimentRecord(
        {
          row,
          attachments: attachments.get(row.id) ?? noAttachments(),
          variations: variations.get(row.id) ?? [],
        },
        selection.fields,
      ),
    );
  }

  private async loadVariations(
    manager: EntityManager,
    experiments: readonly Experiment[],
    { variations: form }: Selection,
  ): Promise<Map<number, ExperimentVariations>> {
    const found = new Map<number, ExperimentVariations>();
    if (form === 'none') {
      return found;
    }
    const exampleUrls = new Map(experiments.map((row) => [row.id, row.example_url]));
    const columns = form === 'lite' ? LITE_COLUMNS : this.variations.columnNames;
    const rows = await this.variations.findIn(manager, columns, 'experiment_id', [...exampleUrls.keys()]);
    for (const row of rows as Variation[]) {
      const record =
        form === 'lite'
          ? toLiteVariationRecord(row)
          : toVariationRecord(row, this.previews.urlFor(exampleUrls.get(row.experiment_id) ?? null, row.id));
      const siblings = found.get(row.experiment_id);
      if (siblings === undefined) {
        found.set(row.experiment_id, [record]);
      } else {
        siblings.push(record);
      }
    }
    return found;
  }
}

function statusCondition(query: RawQuery, failures: Failures): Condition[] {
  const asked = listValue(query, 'status');
  if (asked === null) {
    return [];
  }
  const known: readonly string[] = STATUSES;
  if (asked.length === 0 || asked.some((status) => !known.includes(status))) {
    failures.add('status', `The status must be one or more of: ${STATUSES.join(', ')}.`);
  }
  return [{ sql: `status IN (${placeholders(asked.length)})`, parameters: asked }];
}

/** Experiments that have any of the tags. */
function tagCondition(query: RawQuery, failures: Failures): Condition[] {
  const asked = [...new Set(listValue(query, 'tags'))];
  if (asked.length > MAX_TAGS) {
    failures.add('tags', `The tags may be ${MAX_TAGS} at most.`);
  }
  if (asked.length === 0) {
    return [];
  }
  const sql = `(${asked.map(() => 'INSTR(tags, ?) > 0').join(' OR ')})`;
  return [{ sql, parameters: asked.map(lineOf) }];
}
