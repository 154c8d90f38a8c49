import { Injectable } from '@nestjs/common';
import type { ProjectScope, ResolvedItem } from '../../platform/access/scope';
import type { AuditAction } from '../../audit/audit-log';
import { found, NotFoundError } from '../../common/errors/api-errors';
import { Created, Listed, Shown } from '../../common/http/answers';
import { parseListQuery, RawQuery } from '../../common/lists/list-query';
import type { Failures } from '../../common/validation/failures';
import type { Submission } from '../../common/validation/submission';
import { Database } from '../../database/database';
import { checkApiNameChange, newApiName, Siblings } from '../../projects/api-name.store';
import { changedColumns, difference, type Kept } from '../../projects/project-items';
import { ProjectWrite, ProjectWriter, writeScope, WriteScope } from '../../projects/project-writer';
import { checkVariationCount, variationColumns } from './new-variations';
import { Previewed, PreviewLinks } from './preview-links';
import { sharesFit, sumOfShares } from './variation-shares';
import {
  type CreateVariation,
  toUnstoredVariation,
  toVariationRecord,
  type UpdateVariation,
  VariationRecord,
} from './variation.record';
import type { Variation } from './variation.entity';
import { ParentExperiment, VariationStore } from './variation.store';

@Injectable()
export class VariationsService {
  constructor(
    private readonly database: Database,
    private readonly store: VariationStore,
    private readonly writer: ProjectWriter,
    private readonly previews: PreviewLinks,
  ) {}

  async list(scope: ProjectScope, query: RawQuery): Promise<Listed<VariationRecord>> {
    const list = parseListQuery(query);
    const parent = parentOf(scope);
    const { rows, total } = await this.store.listOfExperiment(this.database.read, parent.id, list);
    return new Listed(
      rows.map((row) => this.toRecord(row, parent)),
      total,
      list.page,
    );
  }

  async show(scope: ProjectScope): Promise<Shown<VariationRecord>> {
    const row = found(await this.store.findById(this.database.read, scope.target.id));
    return new Shown(this.toRecord(row, parentOf(scope)), row.version);
  }

  /**
   * Adds a variation. The first variation in an experiment becomes its original.
   * @param leaving number of variations that the same transaction will delete
   */
  create(
    scope: ProjectScope,
    submission: Submission<CreateVariation>,
    leaving = 0,
  ): Promise<Created<VariationRecord>> {
    return this.change(scope, writeScope(scope, 'experiments'), submission, async (write, parent) => {
      const { tx, failures } = write;
      const { fields } = submission;
      submission.checkReadOnly({ experiment_id: parent.id }, failures);
      checkArchived(parent, failures);
      const siblings = await this.siblings(write, parent);
      checkVariationCount(siblings.length + 1 - leaving, failures);
      checkShares([...siblings, { traffic_allocation: fields.traffic_allocation ?? null }], failures);
      const apiName = await newApiName(tx, namesIn(parent), fields, failures);
      if (siblings.length > 0 && fields.is_original === true) {
        checkOriginalMayChange(parent, failures);
      }
      failures.throwIfAny();
      const isOriginal = siblings.length === 0 || fields.is_original === true;
      const columns = {
        ...variationColumns(fields, apiName, isOriginal, write.now),
        experiment_id: parent.id,
      };
      const id = await this.store.insert(tx, columns);
      if (isOriginal) {
        await this.unsetOriginal(write, siblings, parent);
      }
      const record = this.toRecord({ id, ...columns }, parent);
      note(write, 'create', id, { before: null, after: record });
      return new Created(record, columns.version, toUnstoredVariation);
    });
  }

  update(scope: ProjectScope, submission: Submission<UpdateVariation>): Promise<Shown<VariationRecord>> {
    return this.change(scope, writeScope(scope, 'variations'), submission, async (write, parent) => {
      const { tx, failures } = write;
      const siblings = await this.siblings(write, parent);
      const current = find(siblings, scope.target.id);
      const before = this.toRecord(current, parent);
      const fields = submission.changesTo({ ...before }, failures);
      if (current.is_original && fields.is_original === false) {
        failures.add(
          'is_original',
          'An experiment has exactly one original. To replace it, make another variation the original.',
        );
      }
      const changes = changedColumns<Variation>(current, fields);
      if (changes.is_original === true) {
        checkOriginalMayChange(parent, failures);
      }
      checkShares(
        siblings.map((row) => (row.id === current.id ? { ...row, ...changes } : row)),
        failures,
      );
      await checkApiNameChange(tx, namesIn(parent), current.api_name, fields.api_name, failures);
      if (failures.any || Object.keys(changes).length > 0) {
        checkArchived(parent, failures);
      }
      failures.throwIfAny();
      if (Object.keys(changes).length === 0) {
        return new Shown(before, current.version);
      }
      await this.store.update(tx, current.id, { ...changes, updated_at: write.now });
      if (changes.is_original === true) {
        await this.unsetOriginal(write, siblings, parent);
      }
      const record = this.toRecord({ ...current, ...changes, updated_at: write.now }, parent);
      note(write, 'update', current.id, difference(before, record));
      return new Shown(record, current.version + 1);
    });
  }

  async remove(scope: ProjectScope): Promise<void> {
    return this.change(scope, writeScope(scope, 'variations'), null, async (write, parent) => {
      const siblings = await this.siblings(write, parent);
      const current = find(siblings, scope.target.id);
      checkArchived(parent, write.failures);
      if (siblings.length === 1 && parent.status === 'running') {
        write.failures.add('variations', 'A running experiment cannot lose its last variation.');
      }
      if (siblings.length > 1 && current.is_original) {
        write.failures.add('is_original', 'The original cannot be deleted while other variations exist.');
      }
      if (await this.store.hasParticipants(write.tx, parent.id)) {
        write.failures.add(
          'variations',
          'No variation can be deleted once the experiment has participants.',
          'EXPERIMENT_HAS_PARTICIPANTS',
        );
      }
      if (await this.store.isDecided(write.tx, parent.id, current.id)) {
        write.failures.add(
          'decision',
          "The experiment's decision names this variation. Change the decision first.",
        );
      }
      write.failures.throwIfAny();
      await this.store.delete(write.tx, current.id);
      note(write, 'delete', current.id, { before: this.toRecord(current, parent), after: null });
    });
  }

  /**
   * Inserts a deleted variation again, with its id. The variation becomes the original only if the experiment has no
   * other variations.
   * @param submission the variation's fields, as for a new variation
   */
  restore(scope: ProjectScope, submission: Submission<CreateVariation>, kept: Kept): Promise<void> {
    const target = { projectId: scope.projectId, author: scope.actor };
    return this.change(scope, target, submission, async (write, parent) => {
      const { tx, failures } = write;
      const { fields } = submission;
      const siblings = await this.siblings(write, parent);
      checkArchived(parent, failures);
      checkVariationCount(siblings.length + 1, failures);
      checkShares([...siblings, { traffic_allocation: fields.traffic_allocation ?? null }], failures);
      const apiName = await newApiName(tx, namesIn(parent), fields, failures);
      failures.throwIfAny();
      const columns = {
        ...variationColumns(fields, apiName, siblings.length === 0, write.now),
        ...kept,
        experiment_id: parent.id,
        // The variation never had a version this high, so its old ETags stay invalid.
        version: (write.version ?? 0) + 1,
      };
      await this.store.insert(tx, columns);
      note(write, 'restore', kept.id, { before: null, after: this.toRecord(columns, parent) });
    });
  }

  /** A change to a variation also changes its experiment, which includes the variation. */
  private change<T>(
    scope: ProjectScope,
    target: WriteScope,
    submission: Submission<object> | null,
    work: (write: ProjectWrite, parent: ParentExperiment) => Promise<T>,
  ): Promise<T> {
    return this.writer.change(target, submission, async (write) => {
      const parent = found(await this.store.parent(write.tx, parentOf(scope).id));
      const result = await work(write, parent);
      if (write.notes.length > 0) {
        await this.store.countUpParent(write.tx, parent.id, write.now);
      }
      return result;
    });
  }

  private siblings({ tx }: ProjectWrite, { id }: ParentExperiment): Promise<Variation[]> {
    return this.store.ofExperiment(tx, id);
  }

  /** Clears the original flag on the current original. */
  private async unsetOriginal(
    write: ProjectWrite,
    siblings: readonly Variation[],
    parent: ParentExperiment,
  ): Promise<void> {
    for (const row of siblings.filter(({ is_original }) => is_original)) {
      const changes = { is_original: false, updated_at: write.now };
      await this.store.update(write.tx, row.id, changes);
      const record = this.toRecord({ ...row, ...changes }, parent);
      note(write, 'update', row.id, difference(this.toRecord(row, parent), record));
    }
  }

  private toRecord(row: Variation, parent: Previewed): VariationRecord {
    return toVariationRecord(row, this.previews.urlFor(parent, row.id));
  }
}

function parentOf(scope: ProjectScope): ParentExperiment {
  return scope.items.experiment as ResolvedItem & ParentExperiment;
}

function namesIn({ id }: ParentExperiment): Siblings {
  return { table: 'variations', within: { experiment_id: id }, fallback: 'variation' };
}

function find(siblings: readonly Variation[], id: number): Variation {
  const row = siblings.find((candidate) => candidate.id === id);
  if (row === undefined) {
    throw new NotFoundError();
  }
  return row;
}

/** All variations are compared with the original, so changing the original would reverse the results. */
function checkOriginalMayChange({ started_at }: ParentExperiment, failures: Failures): void {
  if (started_at !== null) {
    failures.add('is_original', 'The original cannot change once the experiment has been started.');
  }
}

/** Refuses to change an archived experiment. */
export function checkArchived({ status }: Pick<ParentExperiment, 'status'>, failures: Failures): void {
  if (status === 'archive') {
    failures.add('status', 'An archived experiment cannot be updated.', 'EXPERIMENT_ARCHIVED');
  }
}

function checkShares(variations: readonly Pick<Variation, 'traffic_allocation'>[], failures: Failures): void {
  const shares = variations.map((row) => row.traffic_allocation);
  if (!sharesFit(shares)) {
    failures.add(
      'traffic_allocation',
      `The traffic allocations of the variations would sum to ${sumOfShares(shares)}, more than 100.`,
    );
  }
}

function note(
  write: ProjectWrite,
  action: AuditAction,
  itemId: number,
  change: { before: object | null; after: object | null },
): void {
  write.changed('experiments', { action, itemType: 'variation', itemId, ...change });
}
