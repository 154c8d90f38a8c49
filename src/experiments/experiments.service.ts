import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../platform/access/scope';
import { found, UnauthorizedRoleError } from '../common/errors/api-errors';
import { Created, Shown } from '../common/http/answers';
import { dayOf, formatMicros, nowMicros } from '../common/time/clock';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { roleAllows } from '../platform/access/roles';
import { checkApiNameChange, likelyApiName, newApiName, Siblings } from '../projects/api-name.store';
import { changedColumns, difference } from '../projects/project-items';
import {
  CreationScope,
  creationScope,
  ProjectWrite,
  ProjectWriter,
  writeScope,
} from '../projects/project-writer';
import { sharesByDefault } from '../projects/settings/project-settings.store';
import { userNames } from '../users/user.store';
import { checkNewVariations, newVariationColumns, sentVariations } from './variations/new-variations';
import type { CreateVariation } from './variations/variation.record';
import { countUpVariations } from './variations/variation.store';
import { Outbox } from '../webhooks/outbox';
import {
  ATTACHMENT_KINDS,
  AttachmentKind,
  Attachments,
  checkGuardrails,
  defaultEnvironment,
  noAttachments,
  reattach,
  resolveAttachments,
} from './attachment.store';
import { changesDecision, checkDecisionChange, newDecision } from './decision';
import { ExperimentInserter, newExperimentColumns } from './experiment-inserter';
import { closeRun, removePlan } from './experiment-run.store';
import { ExperimentPublisher } from './experiment-publisher';
import { ExperimentReader } from './experiment-reader';
import { type CreateExperiment, UpdateExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord } from './experiment.record';
import { ExperimentStore } from './experiment.store';
import { requireGuardrailPermission } from './guardrails';
import { changesExclusion, checkGroup, giveAway } from './exclusion/exclusion-claims';
import { releaseRanges } from './exclusion/exclusion-range.store';
import { checkPlanChange, NO_PLAN, removesPlan } from './plan-fields';
import { checkSchedule, errorAfterChange, NO_SCHEDULE, requireScheduler, scheduleAuthors } from './schedule';
import { endPreviews } from './preview-rotation.service';
import { checkUpdatable } from './updatable-fields';
import { toUnstoredExperiment } from './unstored-experiment.record';

interface PreparedExperiment {
  apiName: string;
  variations: Partial<CreateVariation>[];
  attachments: Attachments;
}

type OwnColumns = Partial<
  Pick<Experiment, Exclude<keyof UpdateExperiment, AttachmentKind> | 'schedule_error'>
>;

/** The changes requested in an update. */
interface AskedChanges {
  own: OwnColumns;
  attachments: Partial<Attachments>;
  /** The attachment lists that differ from the current ones. */
  replaced: readonly AttachmentKind[];
}

/** Creates, updates and deletes experiments. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly reader: ExperimentReader,
    private readonly experiments: ExperimentStore,
    private readonly inserter: ExperimentInserter,
    private readonly publisher: ExperimentPublisher,
    private readonly outbox: Outbox,
  ) {}

  async create(
    scope: CreationScope,
    submission: Submission<CreateExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    const { projectId } = scope;
    const { fields } = submission;
    requireScheduler(scope.role, NO_SCHEDULE, submission.sent);
    const insert = (fields.exclusion_group_id ?? null) === null ? 'insert' : 'insertInTurn';
    return this.writer[insert](
      creationScope(scope),
      submission,
      (manager, failures, hasLostRace) => this.prepare(manager, projectId, submission, failures, hasLostRace),
      async (write, { apiName, variations, attachments }) => {
        const shared = fields.shared ?? (await sharesByDefault(write.tx, projectId));
        const columns = {
          ...newExperimentColumns({ ...fields, shared }, fields.name ?? '', apiName, projectId, write.now),
          ...scheduleAuthors(NO_SCHEDULE, fields, write.author),
        };
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
      const current = await this.current(write, scope);
      requireScheduler(scope.role, current, submission.sent);
      const before = await this.reader.record(tx, current);
      const fields = submission.changesTo({ ...before }, failures);
      const { sent } = submission;
      const attachments = await resolveAttachments(tx, scope.projectId, { fields, sent }, failures);
      checkGuardrails(attachments, before, failures);
      checkDecisionChange(current.decision, fields.decision, before.variations, failures);
      const own = await this.ownColumns(write, scope.actor.userId, current, fields);
      const asked = { own, attachments, replaced: replacedKinds(attachments, before) };
      const changed = [...Object.keys(changedColumns<Experiment>(current, own)), ...asked.replaced];
      requireGuardrailPermission(scope.role, current.status, changed);
      checkUpdatable(current, { sent: submission.names, changed, attachments }, failures);
      await checkApiNameChange(tx, siblings(scope.projectId), current.api_name, fields.api_name, failures);
      checkPlanChange(current, fields, write.now, failures);
      await checkGroup(tx, scope.projectId, own.exclusion_group_id, failures);
      checkSchedule(current, fields, write.now, failures);
      failures.throwIfAny();
      const isChanged = await this.store(write, current, before, asked);
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
      await releaseRanges(write.tx, current.id);
      await this.experiments.update(write.tx, current.id, {
        ...(await endPreviews(write.tx, current)),
        ...NO_SCHEDULE,
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
        await this.reportStop(write, current.id);
        await publish();
      }
    });
  }

  /**
   * Reports the deletion of a running experiment to webhooks as a pause, because the experiment would be paused after a
   * restore.
   */
  private async reportStop({ tx, projectId, now }: ProjectWrite, experimentId: number): Promise<void> {
    const data = { status: 'pause', previous_status: 'running' };
    await this.outbox.record(tx, { type: 'experiment.paused', projectId, experimentId, data }, now);
  }

  private async prepare(
    manager: EntityManager,
    projectId: number,
    submission: Submission<CreateExperiment>,
    failures: Failures,
    hasLostRace: boolean,
  ): Promise<PreparedExperiment> {
    const { fields } = submission;
    const unset = { status: 'draft', started_at: null, decision: null, schedule_error: null };
    submission.checkReadOnly({ project_id: projectId, ...unset }, failures, UpdateExperiment);
    const variations = sentVariations(submission.sent.variations);
    checkNewVariations(variations, failures);
    checkPlanChange(NO_PLAN, fields, nowMicros(), failures);
    await checkGroup(manager, projectId, fields.exclusion_group_id, failures);
    checkSchedule({ ...NO_SCHEDULE, status: 'draft' }, fields, nowMicros(), failures);
    const attachments = await resolveAttachments(manager, projectId, submission, failures);
    checkGuardrails(attachments, noAttachments(), failures);
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

  /** Stores changed fields. @returns whether any fields changed */
  private async store(
    write: ProjectWrite,
    current: Experiment,
    before: ExperimentRecord,
    { own, attachments, replaced }: AskedChanges,
  ): Promise<boolean> {
    const { tx, now } = write;
    const changes = changedColumns<Experiment>(current, own);
    if (Object.keys(changes).length === 0 && replaced.length === 0) {
      return false;
    }
    await this.experiments.update(tx, current.id, {
      ...changes,
      ...scheduleAuthors(current, changes, write.author),
      updated_at: now,
    });
    if (removesPlan(current, own)) {
      await removePlan(tx, current.id, dayOf(now));
    }
    if (changesExclusion(changes)) {
      await giveAway(tx, { ...current, ...changes });
    }
    await reattach(tx, current.id, replaced, attachments);
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

  /** The requested values of the experiment's own columns. A new decision gets a time and a user. */
  private async ownColumns(
    { tx, now }: ProjectWrite,
    userId: number,
    current: Experiment,
    fields: Partial<UpdateExperiment>,
  ): Promise<OwnColumns> {
    const {
      audiences: _a,
      pages: _p,
      goals: _g,
      guardrails: _r,
      environments: _e,
      decision,
      ...sent
    } = fields;
    const own = { ...sent, ...errorAfterChange(current, sent) };
    if (decision === undefined || !changesDecision(current.decision, decision)) {
      return own;
    }
    const name = (await userNames(tx, [userId])).get(userId) ?? '';
    const by = { decided_at: formatMicros(now), decided_by: { id: userId, name } };
    return { ...own, decision: newDecision(decision, by) };
  }

  private async current({ tx }: ProjectWrite, scope: ProjectScope): Promise<Experiment> {
    return found(await this.experiments.findLive(tx, scope.target.id));
  }
}

/** Within a project, the api_names of experiments are unique, except for deleted experiments. */
export function siblings(projectId: number): Siblings {
  return {
    table: 'experiments',
    within: { project_id: projectId, trash_slot: 0 },
    fallback: 'experiment',
  };
}

/** The attachment lists that would change. */
const replacedKinds = (attachments: Partial<Attachments>, before: ExperimentRecord): AttachmentKind[] =>
  ATTACHMENT_KINDS.filter((kind) => {
    const wanted = attachments[kind];
    return wanted !== undefined && !sameIds(wanted, before[kind]);
  });

function sameIds(a: readonly { id: number }[], b: readonly { id: number }[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}
