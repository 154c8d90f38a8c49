import type { EntityManager } from 'typeorm';
import { ValidationError } from '../../common/errors/api-errors';
import type { Author } from '../../platform/access/actor';
import type { NotTaken, PlannedExperiment } from './import-plan';

export const AUTHOR: Author = 'admin';

/** Names of audiences, and API names of other records. */
export interface Names {
  audiences: string[];
  goals: string[];
  exclusion_groups: string[];
  experiments: string[];
}

/** The state of a running import. */
export class ImportRun {
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
export function listMissingGoals(run: ImportRun, { name, goals, guardrails }: PlannedExperiment): void {
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

export function bodyOf(
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
