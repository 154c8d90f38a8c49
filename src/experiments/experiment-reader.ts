import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectPlace, ProjectScope } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import { Listed, Shown } from '../common/http/answers';
import { groupBy } from '../common/lists/collections';
import { listValue, RawQuery, readListQuery, textsValue } from '../common/lists/list-query';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import type { FindByName } from '../projects/resources/resource';
import { PreviewLinks } from './variations/preview-links';
import type { Variation } from './variations/variation.entity';
import { LITE_COLUMNS, toLiteVariationRecord, toVariationRecord } from './variations/variation.record';
import { VariationStore } from './variations/variation.store';
import { type Attachments, loadAttachments, noAttachments } from './attachment.store';
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
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';

/** Maximum number of tags in a filter. Databases limit the number of conditions in a statement. */
const MAX_TAGS = 100;

/** The parts of experiments, by experiment id. */
interface Parts {
  attachments: ReadonlyMap<number, Attachments>;
  variations: ReadonlyMap<number, Variation[]>;
}

/** Reads experiments with all parts of their records, using a constant number of statements. */
@Injectable()
export class ExperimentReader {
  constructor(
    private readonly database: Database,
    private readonly experiments: ExperimentStore,
    private readonly variations: VariationStore,
    private readonly previews: PreviewLinks,
  ) {}

  async list(scope: ProjectScope, query: RawQuery): Promise<Listed<ExperimentRecord>> {
    const failures = new Failures();
    const list = readListQuery(query, failures);
    const selection = readSelection(query, true, failures);
    const filter = { statuses: askedStatuses(query, failures), tags: askedTags(query, failures) };
    failures.throwIfAny();
    const { read } = this.database;
    const columns = experimentColumns(selection);
    const { rows, total } = await this.experiments.listOfProject(
      read,
      scope.projectId,
      columns,
      filter,
      list,
    );
    return new Listed(await this.toRecords(read, rows, selection), total, list.page);
  }

  async show(scope: Pick<ProjectPlace, 'target'>, query: RawQuery): Promise<Shown<ExperimentRecord>> {
    const failures = new Failures();
    const selection = readSelection(query, false, failures);
    failures.throwIfAny();
    const { read } = this.database;
    const { id } = scope.target;
    // The id is already known, so both statements can run concurrently.
    const [row, parts] = await Promise.all([
      this.experiments.columnsOf(read, id, experimentColumns(selection)),
      this.partsOf(read, [id], selection),
    ]);
    return this.shown(row, parts, selection);
  }

  /** The oldest experiment with exactly this name. */
  async findByName(
    scope: ProjectScope,
    submission: Submission<FindByName>,
  ): Promise<Shown<ExperimentRecord>> {
    submission.failures().throwIfAny();
    const { read } = this.database;
    const row = await this.experiments.findByName(read, scope.projectId, submission.fields.name ?? '');
    const parts = await this.partsOf(read, row === null ? [] : [row.id], EVERYTHING);
    return this.shown(row, parts, EVERYTHING);
  }

  /** The complete record of one experiment, inside or outside a transaction. */
  async record(manager: EntityManager, row: Experiment): Promise<ExperimentRecord> {
    const [record] = await this.toRecords(manager, [row], EVERYTHING);
    return record;
  }

  /** The complete records of a project's experiments, except deleted ones, inside or outside a transaction. */
  async ofProject(manager: EntityManager, projectId: number): Promise<ExperimentRecord[]> {
    const rows = await this.experiments.ofProject(manager, projectId);
    return this.toRecords(manager, rows, EVERYTHING);
  }

  /** @throws NotFoundError if the row is null */
  private shown(row: Experiment | null, parts: Parts, selection: Selection): Shown<ExperimentRecord> {
    const existing = found(row);
    const [record] = this.assembled([existing], parts, selection);
    return new Shown(record, existing.version, existing.id);
  }

  private async toRecords(
    manager: EntityManager,
    rows: readonly Experiment[],
    selection: Selection,
  ): Promise<ExperimentRecord[]> {
    const ids = rows.map((row) => row.id);
    return this.assembled(rows, await this.partsOf(manager, ids, selection), selection);
  }

  private async partsOf(
    manager: EntityManager,
    experimentIds: readonly number[],
    selection: Selection,
  ): Promise<Parts> {
    const [attachments, variations] = await Promise.all([
      loadAttachments(manager, experimentIds, attachmentKinds(selection)),
      this.loadVariations(manager, experimentIds, selection),
    ]);
    return { attachments, variations };
  }

  private async loadVariations(
    manager: EntityManager,
    experimentIds: readonly number[],
    { variations: form }: Selection,
  ): Promise<Map<number, Variation[]>> {
    if (form === 'none') {
      return new Map();
    }
    const columns = form === 'lite' ? LITE_COLUMNS : this.variations.columnNames;
    const rows = await this.variations.findIn(manager, columns, 'experiment_id', experimentIds);
    return groupBy(rows as Variation[], ({ experiment_id }) => experiment_id);
  }

  private assembled(
    rows: readonly Experiment[],
    { attachments, variations }: Parts,
    selection: Selection,
  ): ExperimentRecord[] {
    return rows.map((row) =>
      toExperimentRecord(
        {
          row,
          attachments: attachments.get(row.id) ?? noAttachments(),
          variations: this.variationRecords(row, variations.get(row.id) ?? [], selection),
        },
        selection.fields,
      ),
    );
  }

  private variationRecords(
    row: Experiment,
    variations: readonly Variation[],
    { variations: form }: Selection,
  ): ExperimentVariations {
    return form === 'lite'
      ? variations.map((variation) => toLiteVariationRecord(variation))
      : variations.map((variation) => toVariationRecord(variation, this.previews.urlFor(row, variation.id)));
  }
}

function askedStatuses(query: RawQuery, failures: Failures): string[] | null {
  const asked = listValue(query, 'status');
  const known: readonly string[] = STATUSES;
  if (asked !== null && (asked.length === 0 || asked.some((status) => !known.includes(status)))) {
    failures.add('status', `The status must be one or more of: ${STATUSES.join(', ')}.`);
  }
  return asked;
}

function askedTags(query: RawQuery, failures: Failures): string[] | null {
  const given = textsValue(query, 'tags');
  if (given === null) {
    return null;
  }
  const asked = [...new Set(given)];
  if (asked.length === 0) {
    failures.add('tags', 'The parameter names no tag. Omit it to list experiments regardless of their tags.');
  } else if (asked.length > MAX_TAGS) {
    failures.add('tags', `The parameter may name at most ${MAX_TAGS} tags.`);
  }
  return asked;
}
