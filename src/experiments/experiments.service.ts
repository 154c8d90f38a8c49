import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../access/scope';
import { NotFoundError, UnauthorizedRoleError } from '../common/errors/api-errors';
import { Created, Shown } from '../common/freshness/answers';
import { nowMicros } from '../common/time/clock';
import { dayOf } from '../common/time/days';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { roleAllows } from '../access/roles';
import { checkApiNameChange, likelyApiName, newApiName, Siblings } from '../projects/api-names';
import { changedColumns, difference } from '../projects/project-items';
import { ProjectWrite, ProjectWriter, writeScope } from '../projects/project-writer';
import { checkNewVariations, newVariationColumns, sentVariations } from '../variations/new-variations';
import type { CreateVariation } from '../variations/variation.dto';
import { countUpVariations } from '../variations/variation.store';
import {
  ATTACHMENT_KINDS,
  Attachments,
  defaultEnvironment,
  noAttachments,
  reattach,
  resolveAttachments,
} from './attachment.store';
import { ExperimentInserter, newExperimentColumns } from './experiment-inserter';
import { removePlan } from './experiment-plan.store';
import { ExperimentPublisher } from './experiment-publisher';
import { ExperimentReader } from './experiment-reader';
import type { CreateExperiment, UpdateExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import { closeRun } from './experiment-run.store';
import { checkPlanChange, NO_PLAN, removesPlan } from './plan-fields';
import { endPreviews } from './preview-rotation.service';
import { toUnstoredExperiment } from './unstored-experiment.record';

interface PreparedExperiment {
  apiName: string;
  variations: Partial<CreateVariation>[];
  attachments: Attachments;
}

/** Defines experiments: create, update, delete. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentStore,
    private readonly inserter: ExperimentInserter,
    private readonly publisher: ExperimentPublisher,
  ) {}

  async create(
    scope: ProjectScope,
    submission: Submission<CreateExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    const { projectId } = scope;
    const { fields } = submission;
    return this.writer.insert(
      { projectId, author: scope.actor },
      submission,
      (manager, failures, hasLostRace) => this.prepare(manager, projectId, submission, failures, hasLostRace),
      async (write, { apiName, variations, attachments }) => {
        const columns = newExperimentColumns(fields, fields.name ?? '', apiName, projectId, write.now);
        const arms = newVariationColumns(variations, write.now);
        const record = await this.inserter.insert(write, 'create', columns, arms, attachments);
        return new Created(record, columns.version, toUnstoredExperiment);
      },
    );
  }

  async update(
    scope: ProjectScope,
    submission: Submission<UpdateExperiment>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.writer.change(writeScope(scope, 'experiments'), submission, async (write) => {
      const { tx, failures } = write;
      const { fields } = submission;
      const current = await this.current(write, scope);
      const before = await this.reader.record(tx, current);
      submission.checkReadOnly({ ...before }, failures);
      const attachments = await resolveAttachments(tx, scope.projectId, submission, failures);
      checkStanding(current, attachments, failures);
      await checkApiNameChange(tx, siblings(scope.projectId), current.api_name, fields.api_name, failures);
      failures.throwIfAny(checkPlanChange(current, fields, write.now, failures));
      const isChanged = await this.store(write, current, before, fields, attachments);
      const version = current.version + (isChanged ? 1 : 0);
      const row = isChanged ? await this.current(write, scope) : current;
      return new Shown(await this.reader.record(tx, row), version);
    });
  }

  /** Moves an experiment to the trash, which stops it. */
  async remove(scope: ProjectScope): Promise<void> {
    const target = writeScope(scope, 'experiments');
    return this.publisher.stopping(target, null, scope.target.id, async (write, publish) => {
      const current = await this.current(write, scope);
      if (current.status === 'running' && !roleAllows(scope.role, 'experiments:run')) {
        throw new UnauthorizedRoleError(scope.role, 'experiments:run');
      }
      const before = await this.reader.record(write.tx, current);
      await closeRun(write.tx, current.id, write.now);
      await this.experiments.update(write.tx, current.id, {
        ...(await endPreviews(write.tx, current)),
        deleted_at: write.now,
        trash_slot: current.id,
      });
      write.changed('experiments', {
        action: 'delete',
        itemType: 'experiment',
        itemId: current.id,
        before,
        after: null,
      });
      if (current.status === 'running') {
        await publish();
      }
    });
  }

  private async prepare(
    manager: EntityManager,
    projectId: number,
    submission: Submission<CreateExperiment>,
    failures: Failures,
    hasLostRace: boolean,
  ): Promise<PreparedExperiment> {
    const { fields } = submission;
    submission.checkReadOnly({ project_id: projectId, status: 'draft', started_at: null }, failures);
    const variations = sentVariations(submission.sent.variations);
    checkNewVariations(variations, failures);
    checkPlanChange(NO_PLAN, fields, nowMicros(), failures);
    const attachments = await resolveAttachments(manager, projectId, submission, failures);
    const environments = attachments.environments ?? (await defaultEnvironment(manager, projectId));
    const isNameSure = hasLostRace || failures.any;
    return {
      apiName: isNameSure
        ? await newApiName(manager, siblings(projectId), fields, failures)
        : likelyApiName(siblings(projectId), fields),
      variations,
      attachments: { ...noAttachments(), ...attachments, environments },
    };
  }

  /** Stores changed fields; returns whether there were any. */
  private async store(
    write: ProjectWrite,
    current: Experiment,
    before: ExperimentRecord,
    fields: Partial<UpdateExperiment>,
    attachments: Partial<Attachments>,
  ): Promise<boolean> {
    const { tx, now } = write;
    const { audiences: _a, pages: _p, goals: _g, environments: _e, ...own } = fields;
    const changes = changedColumns<Experiment>(current, own);
    const replaced = ATTACHMENT_KINDS.filter((kind) => {
      const wanted = attachments[kind];
      return wanted !== undefined && !sameIds(wanted, before[kind]);
    });
    if (Object.keys(changes).length === 0 && replaced.length === 0) {
      return false;
    }
    await this.experiments.update(tx, current.id, { ...changes, updated_at: now });
    if (removesPlan(current, own)) {
      await removePlan(tx, current.id, dayOf(now));
    }
    for (const kind of replaced) {
      await reattach(tx, current.id, kind, attachments[kind] ?? []);
    }
    if ('example_url' in changes) {
      await countUpVariations(tx, current.id);
    }
    const after = { ...before, ...own, ...attachments };
    write.changed('experiments', {
      action: 'update',
      itemType: 'experiment',
      itemId: current.id,
      ...difference(before, after),
    });
    return true;
  }

  private async current({ tx }: ProjectWrite, scope: ProjectScope): Promise<Experiment> {
    const row = await this.experiments.findLive(tx, scope.target.id);
    if (row === null) {
      throw new NotFoundError();
    }
    return row;
  }
}

/** Live experiments of a project have different api_names. */
export function siblings(projectId: number): Siblings {
  return {
    table: 'experiments',
    within: { project_id: projectId, trash_slot: 0 },
    fallback: 'experiment',
  };
}

/** The fields that the experiment's status makes read-only. */
function checkStanding(current: Experiment, attachments: Partial<Attachments>, failures: Failures): void {
  if (current.status === 'archive') {
    failures.add('status', 'An archived experiment cannot be updated.');
  }
  for (const kind of ['pages', 'goals'] as const) {
    if (current.status === 'running' && attachments[kind]?.length === 0 && !failures.has(kind)) {
      failures.add(kind, `A running experiment cannot lose its last ${kind.slice(0, -1)}.`);
    }
  }
}

function sameIds(a: readonly { id: number }[], b: readonly { id: number }[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}
