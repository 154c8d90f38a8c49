import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { AudienceRecord, CreateAudience } from '../../resources/audiences/audience.record';
import type { Audience } from '../../resources/audiences/audience.entity';
import { AUDIENCES } from '../../resources/audiences/audiences.resource';
import { normalizeConditionTree } from '../../resources/audiences/condition-tree';
import { nameKey } from '../../common/text/names';
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
import { KnownRecords, type Planned } from './known-records';
import type { ImportPlan, NotTaken, PlannedAudience } from './import-plan';
import { AUTHOR, bodyOf, ImportRun, listMissingGoals, type Names } from './import-run';

/**
 * The target of an import: a project given by id, or by team and name. In the second case, a missing project is
 * created.
 */
export type ImportTarget = { projectId: number } | { teamId: number; name: string };

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

/** Where planned goals or exclusion groups are created. */
interface MatchedTarget {
  kind: NotTaken['kind'];
  collection: 'goals' | 'exclusion_groups';
  /** The ids of the project's records, by the key with which planned experiments refer to them. */
  ids: Map<string, number>;
  keyOf: (planned: Planned) => string;
  create: (body: object) => Promise<{ record: Omit<Known, 'name_key'> & { name: string } }>;
}

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

  private addGoals(run: ImportRun, { goals }: ImportPlan): Promise<void> {
    return this.addMatched(run, goals, {
      kind: 'goal',
      collection: 'goals',
      ids: run.goals,
      keyOf: ({ api_name }) => api_name,
      create: (body) => this.goals.create(run.scope, submit(CreateGoal, GoalRecord, body)),
    });
  }

  private addGroups(run: ImportRun, { exclusionGroups }: ImportPlan): Promise<void> {
    return this.addMatched(run, exclusionGroups, {
      kind: 'exclusion group',
      collection: 'exclusion_groups',
      ids: run.groups,
      keyOf: ({ name }) => name,
      create: (body) =>
        this.groups.create(run.scope, submit(CreateExclusionGroup, ExclusionGroupRecord, body)),
    });
  }

  /** Creates the planned records that the project does not have. */
  private async addMatched(
    run: ImportRun,
    planned: readonly Planned[],
    target: MatchedTarget,
  ): Promise<void> {
    const { kind, collection, ids, keyOf, create } = target;
    const known = new KnownRecords(await knownRecords(run.tx, collection, run.projectId));
    for (const each of planned) {
      const found = known.find(each);
      if (found !== undefined) {
        ids.set(keyOf(each), found.id);
        run.existing[collection].push(found.api_name);
        continue;
      }
      await run.attempt(kind, each.name, async () => {
        const { derived: _, ...fields } = each;
        const { record } = await create({ ...fields, api_name: known.newApiName(each) });
        known.add(record);
        ids.set(keyOf(each), record.id);
        run.created[collection].push(record.api_name);
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
