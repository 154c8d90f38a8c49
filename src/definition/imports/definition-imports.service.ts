import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Author } from '../../platform/access/actor';
import { AudienceRecord, CreateAudience } from '../../resources/audiences/audience.record';
import type { Audience } from '../../resources/audiences/audience.entity';
import { AUDIENCES } from '../../resources/audiences/audiences.resource';
import { normalizeConditionTree } from '../../resources/audiences/condition-tree';
import { ValidationError } from '../../common/errors/api-errors';
import { isNumbered, nameKey, nextFreeApiName } from '../../common/text/names';
import { submit } from '../../common/validation/submission';
import { Database, type Tx } from '../../database/database';
import { CreateExperiment } from '../../experiments/experiment.dto';
import {
  CreateExclusionGroup,
  ExclusionGroupRecord,
} from '../../resources/exclusion-groups/exclusion-group.record';
import type { ExclusionGroup } from '../../resources/exclusion-groups/exclusion-group.entity';
import { EXCLUSION_GROUPS } from '../../resources/exclusion-groups/exclusion-groups.resource';
import { ExperimentRecord } from '../../experiments/experiment.record';
import { ExperimentsService } from '../../experiments/experiments.service';
import { CreateGoal, GoalRecord } from '../../resources/goals/goal.record';
import type { Goal } from '../../resources/goals/goal.entity';
import { GOALS } from '../../resources/goals/goals.resource';
import type { ProjectItems } from '../../projects/project-items';
import { ProjectWriter } from '../../projects/project-writer';
import { ProjectsService } from '../../projects/projects.service';
import { type Known, knownRecords, lockTeam, projectsNamed } from './definition-imports.store';
import type { ImportPlan, NotTaken, PlannedAudience, PlannedExperiment } from './import-plan';

/**
 * The target of an import: a project given by id, or by team and name. In the second case, a missing project is
 * created.
 */
export type ImportTarget = { projectId: number } | { teamId: number; name: string };

/** Names of audiences, and API names of other records. */
interface Names {
  audiences: string[];
  goals: string[];
  exclusion_groups: string[];
  experiments: string[];
}

/** The report of an import or of its dry run. */
export interface ImportReport {
  dry_run: boolean;
  /** Null if a dry run would create the project. */
  project_id: number | null;
  created: Names;
  /** Records that the project already had, which stay unchanged. */
  existing: Names;
  not_taken: NotTaken[];
}

/** Thrown if several projects in the team have the name. */
export class AmbiguousProject extends Error {}

const AUTHOR: Author = 'admin';

/** Creates the records in an export. The rules of the API apply. */
@Injectable()
export class DefinitionImportsService {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly projects: ProjectsService,
    @Inject(AUDIENCES.items)
    private readonly audiences: ProjectItems<Audience, AudienceRecord, CreateAudience>,
    @Inject(EXCLUSION_GROUPS.items)
    private readonly groups: ProjectItems<ExclusionGroup, ExclusionGroupRecord, CreateExclusionGroup>,
    @Inject(GOALS.items) private readonly goals: ProjectItems<Goal, GoalRecord, CreateGoal>,
    private readonly experiments: ExperimentsService,
  ) {}

  /**
   * Imports in one transaction. Existing records stay unchanged. They are found by api_name, and audiences also by
   * name. If the api_name is derived from the name, the name must be equal too. An existing audience must have the same
   * conditions as well. @throws AmbiguousProject
   */
  run(plan: ImportPlan, target: ImportTarget, isDryRun: boolean): Promise<ImportReport> {
    const work = (): Promise<ImportReport> =>
      this.database.together(
        () => this.apply(plan, target, isDryRun),
        'projectId' in target ? target.projectId : null,
      );
    return isDryRun ? this.database.rollingBack(work) : work();
  }

  private async apply(plan: ImportPlan, target: ImportTarget, isDryRun: boolean): Promise<ImportReport> {
    const { projectId, isNew } = await this.projectOf(target);
    return this.writer.together(projectId, async (tx) => {
      const run = new ImportRun(tx, projectId, plan.notTaken);
      await this.addAudiences(run, plan);
      await this.addGoals(run, plan);
      await this.addGroups(run, plan);
      await this.addExperiments(run, plan);
      return {
        dry_run: isDryRun,
        project_id: isDryRun && isNew ? null : projectId,
        created: run.created,
        existing: run.existing,
        not_taken: run.notTaken,
      };
    });
  }

  private async projectOf(target: ImportTarget): Promise<{ projectId: number; isNew: boolean }> {
    if ('projectId' in target) {
      return { projectId: target.projectId, isNew: false };
    }
    const { teamId: team_id, name } = target;
    return this.database.transaction(async (tx) => {
      const [found, ...others] = await this.projectsNamed(tx, team_id, name);
      if (others.length > 0) {
        throw new AmbiguousProject(`The team has several projects named ${name}.`);
      }
      if (found !== undefined) {
        return { projectId: found, isNew: false };
      }
      const { id } = await this.projects.create({ team_id, name, storage: 'localStorage' }, AUTHOR);
      return { projectId: id, isNew: true };
    });
  }

  /** If there is no such project, waits for a concurrent import that creates one. */
  private async projectsNamed(tx: Tx, teamId: number, name: string): Promise<number[]> {
    const found = await projectsNamed(tx, teamId, name);
    if (found.length > 0) {
      return found;
    }
    await lockTeam(tx, teamId);
    return projectsNamed(tx, teamId, name);
  }

  private async addAudiences(run: ImportRun, plan: ImportPlan): Promise<void> {
    const known = await this.audiences.store.ofProject(run.tx, run.projectId);
    for (const audience of plan.audiences) {
      const found = sameAudience(known, audience);
      if (found === 'other conditions') {
        // With the project's audience, an imported experiment would include different visitors than in the export.
        run.skip(
          'audience',
          audience.name,
          'The project already has this audience, with different conditions.',
        );
        continue;
      }
      if (found !== null) {
        run.audiences.set(audience.name, found.id);
        run.existing.audiences.push(audience.name);
        continue;
      }
      await run.attempt('audience', audience.name, async () => {
        const submission = submit(CreateAudience, AudienceRecord, audience);
        const { record } = await this.audiences.create(run.scope, submission);
        run.audiences.set(audience.name, record.id);
        run.created.audiences.push(audience.name);
      });
    }
  }

  private async addGoals(run: ImportRun, plan: ImportPlan): Promise<void> {
    const known = await knownRecords(run.tx, 'goals', run.projectId);
    for (const { derived, ...goal } of plan.goals) {
      const found = existing(known, { ...goal, derived });
      if (found !== undefined) {
        run.goals.set(goal.api_name, found.id);
        run.existing.goals.push(found.api_name);
        continue;
      }
      await run.attempt('goal', goal.name, async () => {
        const body = { ...goal, api_name: newApiName(known, { ...goal, derived }) };
        const { record } = await this.goals.create(run.scope, submit(CreateGoal, GoalRecord, body));
        known.push({ ...record, name_key: nameKey(record.name) });
        run.goals.set(goal.api_name, record.id);
        run.created.goals.push(record.api_name);
      });
    }
  }

  private async addGroups(run: ImportRun, plan: ImportPlan): Promise<void> {
    const known = await knownRecords(run.tx, 'exclusion_groups', run.projectId);
    for (const group of plan.exclusionGroups) {
      const found = existing(known, group);
      if (found !== undefined) {
        run.groups.set(group.name, found.id);
        run.existing.exclusion_groups.push(found.api_name);
        continue;
      }
      await run.attempt('exclusion group', group.name, async () => {
        const body = { name: group.name, api_name: newApiName(known, group) };
        const submission = submit(CreateExclusionGroup, ExclusionGroupRecord, body);
        const { record } = await this.groups.create(run.scope, submission);
        known.push({ ...record, name_key: nameKey(record.name) });
        run.groups.set(group.name, record.id);
        run.created.exclusion_groups.push(record.api_name);
      });
    }
  }

  private async addExperiments(run: ImportRun, plan: ImportPlan): Promise<void> {
    const known = await knownRecords(run.tx, 'experiments', run.projectId);
    for (const experiment of plan.experiments) {
      const { api_name: apiName, name } = experiment;
      if (known.some(({ api_name }) => api_name === apiName)) {
        run.existing.experiments.push(apiName);
        continue;
      }
      const missing = experiment.audiences.filter((each) => !run.audiences.has(each));
      if (missing.length > 0) {
        // Without its audience, the experiment would include everyone.
        run.skip('experiment', name, `Its audience ${missing.join(', ')} could not be imported.`);
        continue;
      }
      if (experiment.exclusion !== null && !run.groups.has(experiment.exclusion.group)) {
        // Without its group, the experiment would run at the same time as other experiments in the group.
        run.skip(
          'experiment',
          name,
          `Its exclusion group ${experiment.exclusion.group} could not be imported.`,
        );
        continue;
      }
      await run.attempt('experiment', name, async () => {
        const submission = submit(CreateExperiment, ExperimentRecord, bodyOf(run, experiment));
        await this.experiments.create(run.scope, submission);
        run.created.experiments.push(apiName);
        listMissingGoals(run, experiment);
      });
    }
  }
}

/**
 * The project's audience with the api_name or name of the planned audience: the audience if its conditions are equal,
 * `other conditions` if they differ, null if there is none.
 */
function sameAudience(
  known: readonly Audience[],
  { api_name, name, conditions }: PlannedAudience & { api_name: string },
): Audience | 'other conditions' | null {
  const wanted = normalizeConditionTree(conditions);
  const key = nameKey(name);
  const candidates = known.filter((each) => each.api_name === api_name || each.name_key === key);
  const found = candidates.find((each) => isDeepStrictEqual(each.conditions, wanted));
  return found ?? (candidates.length > 0 ? 'other conditions' : null);
}

/** A planned goal or exclusion group. */
interface Planned {
  api_name: string;
  name: string;
  derived?: string;
}

/** The project's record for a planned one. A derived api_name alone may belong to a record with a different name. */
function existing(known: readonly Known[], { api_name, name, derived }: Planned): Known | undefined {
  const key = nameKey(name.trim());
  return known.find((each) =>
    derived === undefined
      ? each.api_name === api_name
      : each.name_key === key && isNumbered(each.api_name, derived),
  );
}

const newApiName = (known: readonly Known[], { api_name, derived }: Planned): string =>
  derived === undefined ? api_name : nextFreeApiName(derived, new Set(known.map((each) => each.api_name)));

/** The state of a running import. */
class ImportRun {
  readonly audiences = new Map<string, number>();
  readonly goals = new Map<string, number>();
  readonly groups = new Map<string, number>();
  readonly created: Names = { audiences: [], goals: [], exclusion_groups: [], experiments: [] };
  readonly existing: Names = { audiences: [], goals: [], exclusion_groups: [], experiments: [] };
  readonly notTaken: NotTaken[];

  constructor(
    readonly tx: EntityManager,
    readonly projectId: number,
    notTaken: readonly NotTaken[],
  ) {
    this.notTaken = [...notTaken];
  }

  get scope() {
    return { projectId: this.projectId, actor: AUTHOR, role: 'admin' as const, ifMatch: null };
  }

  skip(kind: NotTaken['kind'], name: string, reason: string, part: string | null = null): void {
    this.notTaken.push({ kind, name, part, reason });
  }

  /** Reports a record that the API rejects, with the reasons. Checks run before any part of the record is stored. */
  async attempt(kind: NotTaken['kind'], name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ValidationError)) {
        throw error;
      }
      this.skip(kind, name, error.message);
    }
  }
}

/** Reports the goals and guardrails of a created experiment that the API rejected. */
function listMissingGoals(run: ImportRun, { name, goals, guardrails }: PlannedExperiment): void {
  const [primary] = goals;
  const listMissing = (kind: string, names: readonly string[]): void => {
    for (const goal of names.filter((each) => !run.goals.has(each))) {
      const further = goal === primary ? ' It would be the primary goal: set the primary goal yourself.' : '';
      run.skip('experiment', name, `This goal could not be imported.${further}`, `${kind} ${goal}`);
    }
  };
  listMissing('goal', goals);
  listMissing('guardrail', guardrails);
}

function bodyOf(
  run: ImportRun,
  { audiences, goals, guardrails, exclusion, ...fields }: PlannedExperiment,
): object {
  const goalIds = (names: readonly string[]): number[] =>
    names.map((name) => run.goals.get(name)).filter((id) => id !== undefined);
  const group = exclusion && {
    exclusion_group_id: run.groups.get(exclusion.group),
    exclusion_share: exclusion.share,
  };
  return {
    ...fields,
    ...group,
    audiences: audiences.map((name) => run.audiences.get(name)),
    goals: goalIds(goals),
    guardrails: goalIds(guardrails),
  };
}
