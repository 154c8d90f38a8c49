import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { changeCountingInProject } from '../goals/goal.store';
import type { Definitions, ExperimentDefinition } from './definitions';
import { EventStore, NewEvent } from './event.store';
import type { ResolvedEvent } from './resolution';

/** Events of one project, resolved with its definitions. */
export interface ProjectEvents {
  definitions: Definitions;
  events: ResolvedEvent[];
}

/** A project changed after its events were resolved and before they were stored. */
export class DefinitionsChangedError extends Error {}

/** Stores events and marks their visitors for attribution. */
@Injectable()
export class EventWriter {
  constructor(
    private readonly rows: EventStore,
    private readonly versions: ProjectVersionsStore,
  ) {}

  /**
   * Stores new events and ignores duplicates. Visitors are marked first, and existing marks are incremented:
   * attribution deletes a mark only if it is unchanged, and must see either all of these events or none.
   * @returns the projects with a first exposure or conversion
   * @throws DefinitionsChangedError if there is a first exposure or conversion, and the definitions are outdated
   */
  async store(tx: Tx, projects: readonly ProjectEvents[]): Promise<number[]> {
    const changed: number[] = [];
    const inOrder = [...projects].sort((a, b) => a.definitions.projectId - b.definitions.projectId);
    for (const project of inOrder) {
      if (await this.noteFirsts(tx, project)) {
        changed.push(project.definitions.projectId);
      }
    }
    const rows = inOrder.flatMap(({ definitions, events }) => rowsOf(definitions.projectId, events));
    await this.rows.markVisitors(tx, rows.filter(isFirstOfVisitor));
    await this.rows.insertEvents(tx, rows);
    return changed;
  }

  /**
   * After its first exposure an experiment cannot lose variations, and after its first conversion a goal cannot change
   * its type. The first one therefore locks the row of the project's version, so that the definitions stay valid until
   * it is stored. The rules of results may be older than a goal that has a value cap: its first conversion updates them.
   */
  private async noteFirsts(tx: Tx, { definitions, events }: ProjectEvents): Promise<boolean> {
    const { experiments, goals } = firstsOf(definitions, events);
    if (experiments.length + goals.length === 0) {
      return false;
    }
    if (!(await this.versions.holdVersion(tx, definitions.projectId, definitions.version))) {
      throw new DefinitionsChangedError();
    }
    await this.rows.insertResults(tx, experiments);
    await this.rows.insertCollectedGoals(tx, goals);
    if (goals.some((id) => definitions.goals.get(id)?.hasValueCap)) {
      await changeCountingInProject(tx, definitions.projectId);
    }
    return true;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** A project's events sorted by key, so that every process locks them in the same order. */
function rowsOf(projectId: number, events: readonly ResolvedEvent[]): NewEvent[] {
  return [...events]
    .sort((a, b) => compare(a.visitor_id, b.visitor_id) || compare(a.event_id, b.event_id))
    .map((event) => ({ project_id: projectId, ...event }));
}

const isFirstOfVisitor = (
  { project_id, visitor_id }: NewEvent,
  index: number,
  rows: readonly NewEvent[],
): boolean => project_id !== rows[index - 1]?.project_id || visitor_id !== rows[index - 1]?.visitor_id;

/** Experiments and goals without any earlier event, sorted by id. */
function firstsOf(
  { experiments, goals }: Definitions,
  events: readonly ResolvedEvent[],
): { experiments: ExperimentDefinition[]; goals: number[] } {
  const newExperiments = new Set<ExperimentDefinition>();
  const newGoals = new Set<number>();
  for (const { experiment_id, goal_id } of events) {
    const experiment = experiment_id === null ? undefined : experiments.get(experiment_id);
    if (experiment?.isCollected === false) {
      newExperiments.add(experiment);
    }
    if (goal_id !== null && goals.get(goal_id)?.isCollected === false) {
      newGoals.add(goal_id);
    }
  }
  return {
    experiments: [...newExperiments].sort((a, b) => a.id - b.id),
    goals: [...newGoals].sort((a, b) => a - b),
  };
}
