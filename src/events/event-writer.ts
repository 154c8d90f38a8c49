import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { changeCountingInProject } from '../goals/goal.store';
import type { Definitions, ExperimentDefinition } from './definitions';
import { EventStore, NewEvent, VisitorKey } from './event.store';
import type { Link } from './links/link-decisions';
import type { LinkRefusal, LinkRequest } from './links/link-request';
import { LinkStore } from './links/link.store';
import type { ResolvedEvent } from './resolution';

/** Events of one project, resolved with its definitions. */
export interface ProjectEvents {
  definitions: Definitions;
  events: ResolvedEvent[];
  links?: readonly LinkRequest[];
}

interface ProjectLinks {
  projectId: number;
  links: readonly Link[];
}

/** What a transaction has stored. */
export interface Stored {
  /** The projects with a first exposure or conversion. */
  changed: number[];
  ignoredLinks: LinkRefusal[];
}

/** A project changed after its events were resolved and before they were stored. */
export class DefinitionsChangedError extends Error {}

/** Stores events and links, and marks their visitors for attribution. */
@Injectable()
export class EventWriter {
  constructor(
    private readonly rows: EventStore,
    private readonly versions: ProjectVersionsStore,
    private readonly links: LinkStore,
  ) {}

  /**
   * Stores new events and links, and ignores duplicates. Visitors are marked first, and existing marks are incremented:
   * attribution deletes a mark only if it is unchanged, and must see either all of these events or none.
   * @throws DefinitionsChangedError if there is a first exposure or conversion, and the definitions are outdated
   */
  async store(tx: Tx, projects: readonly ProjectEvents[]): Promise<Stored> {
    const stored: Stored = { changed: [], ignoredLinks: [] };
    const added: ProjectLinks[] = [];
    const inOrder = [...projects].sort((a, b) => a.definitions.projectId - b.definitions.projectId);
    for (const project of inOrder) {
      if (await this.noteFirsts(tx, project)) {
        stored.changed.push(project.definitions.projectId);
      }
    }
    for (const { definitions, links = [] } of inOrder.filter(hasLinks)) {
      const decided = await this.links.decide(tx, definitions.projectId, links);
      added.push({ projectId: definitions.projectId, links: decided.added });
      stored.ignoredLinks.push(...decided.ignored);
    }
    const rows = inOrder.flatMap(({ definitions, events }) => rowsOf(definitions.projectId, events));
    await this.rows.markVisitors(tx, visitorsOf(rows, added));
    for (const { projectId, links } of added.filter(({ links }) => links.length > 0)) {
      await this.links.insert(tx, projectId, links);
    }
    await this.rows.insertEvents(tx, rows);
    return stored;
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

const hasLinks = ({ links = [] }: ProjectEvents): boolean => links.length > 0;

/** The visitors with new events or links, sorted by key. @param rows sorted by key */
function visitorsOf(rows: readonly NewEvent[], added: readonly ProjectLinks[]): VisitorKey[] {
  const linked = added.flatMap(({ projectId, links }) =>
    links.flatMap(({ visitor_id, canonical_id }) => [
      { project_id: projectId, visitor_id },
      { project_id: projectId, visitor_id: canonical_id },
    ]),
  );
  const all: VisitorKey[] = linked.length === 0 ? [...rows] : [...rows, ...linked].sort(byVisitor);
  return all.filter(isFirstOfVisitor);
}

const byVisitor = (a: VisitorKey, b: VisitorKey): number =>
  a.project_id - b.project_id || compare(a.visitor_id, b.visitor_id);

const isFirstOfVisitor = (
  { project_id, visitor_id }: VisitorKey,
  index: number,
  rows: readonly VisitorKey[],
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
