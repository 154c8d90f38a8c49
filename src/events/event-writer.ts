import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byText } from '../common/text/strings';
import type { Tx } from '../database/database';
import { ProjectVersionsStore } from '../projects/project-versions.store';
import { changeCountingInProject } from '../resources/goals/goal.store';
import { type Definitions, DefinitionsChangedError, type ExperimentDefinition } from './definitions';
import { DeletedVisitorStore } from './deletions/deleted-visitors.store';
import { mayStoreEvents } from './event-purges.store';
import { EventStore, NewEvent, VisitorKey } from './event.store';
import type { Link } from './links/link-decisions';
import type { IgnoredLink, LinkRequest } from './links/link-request';
import { type CountEvents, LinkStore } from './links/link.store';
import type { ResolvedEvent } from './message-outcome';
import { eventCounts } from './stored-events.store';

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

/** The result of storing events and links. */
export interface Stored {
  /** The projects in which an experiment got its first exposure or a goal its first conversion. */
  changed: number[];
  ignoredLinks: IgnoredLink[];
}

/** Stores events and links, and marks their visitors for attribution. */
@Injectable()
export class EventWriter {
  constructor(
    private readonly rows: EventStore,
    private readonly versions: ProjectVersionsStore,
    private readonly links: LinkStore,
    private readonly deleted: DeletedVisitorStore,
  ) {}

  /**
   * Stores new events and links, and ignores duplicates. Visitors are marked first, and existing marks are incremented,
   * because attribution deletes a mark only if it is unchanged and must see either all of these events or none.
   * Deleting a visitor also increments its marks, so once this transaction has marked a visitor, it is certain whether
   * the visitor was deleted.
   * @throws DefinitionsChangedError if the messages have to be resolved again, because there is a first exposure or
   * conversion and the definitions are outdated, or because in the meantime, a visitor was deleted, a record purged or
   * an experiment paused or archived
   */
  async store(tx: Tx, projects: readonly ProjectEvents[]): Promise<Stored> {
    const inOrder = byProject(projects);
    const changed = await this.noteAllFirsts(tx, inOrder);
    const rows = inOrder.flatMap(({ definitions, events }) => rowsOf(definitions.projectId, events));
    const ignoredLinks = await this.mark(tx, inOrder, rows, (projectId, visitorIds) =>
      eventCounts(tx, projectId, visitorIds, this.links.maxEvents),
    );
    await this.rows.insertEvents(tx, rows);
    return { changed, ignoredLinks };
  }

  /**
   * Records first exposures and conversions when the events themselves are stored elsewhere.
   * @returns the projects with a first exposure or conversion
   * @throws DefinitionsChangedError like `store`
   */
  async noteAllFirsts(tx: Tx, projects: readonly ProjectEvents[]): Promise<number[]> {
    await this.refuseOutdated(tx, projects);
    const changed: number[] = [];
    for (const project of byProject(projects)) {
      if (await this.noteFirsts(tx, project)) {
        changed.push(project.definitions.projectId);
      }
    }
    return changed;
  }

  /**
   * For events that are stored elsewhere, checks that their visitors and records still exist, and that experiments
   * still run.
   * @throws DefinitionsChangedError like `store`
   */
  async requireKept(tx: Tx, projects: readonly ProjectEvents[]): Promise<void> {
    await this.refuseOutdated(tx, projects);
    const visitors = projects.flatMap(({ definitions: { projectId }, events }) =>
      events.map(({ visitor_id }) => ({ project_id: projectId, visitor_id })),
    );
    await this.refuseDeleted(tx, visitors);
  }

  /** The ids whose events `addLinks` counts, by project. */
  async idsToCount(
    manager: EntityManager,
    projects: readonly ProjectEvents[],
  ): Promise<ReadonlyMap<number, readonly string[]>> {
    const ids = new Map<number, readonly string[]>();
    for (const { definitions, links = [] } of projects.filter(hasLinks)) {
      ids.set(definitions.projectId, await this.links.idsToCount(manager, definitions.projectId, links));
    }
    return ids;
  }

  /** Stores new links and marks their visitors when events are stored elsewhere. @returns ignored links */
  addLinks(tx: Tx, projects: readonly ProjectEvents[], countEvents: CountEvents): Promise<IgnoredLink[]> {
    return this.mark(tx, byProject(projects), [], countEvents);
  }

  /** @param rows new events, sorted by key */
  private async mark(
    tx: Tx,
    projects: readonly ProjectEvents[],
    rows: readonly NewEvent[],
    countEvents: CountEvents,
  ): Promise<IgnoredLink[]> {
    const ignored: IgnoredLink[] = [];
    const added: ProjectLinks[] = [];
    for (const { definitions, links = [] } of projects.filter(hasLinks)) {
      const decided = await this.links.decide(tx, definitions.projectId, links, countEvents);
      added.push({ projectId: definitions.projectId, links: decided.added });
      ignored.push(...decided.ignored);
    }
    const visitors = visitorsOf(rows, added);
    await this.rows.markVisitors(tx, visitors);
    await this.refuseDeleted(tx, visitors);
    for (const { projectId, links } of added.filter(({ links }) => links.length > 0)) {
      await this.links.insert(tx, projectId, links);
    }
    return ignored;
  }

  private async refuseDeleted(tx: Tx, visitors: readonly VisitorKey[]): Promise<void> {
    if ((await this.deleted.among(tx, visitors)).length > 0) {
      throw new DefinitionsChangedError();
    }
  }

  /**
   * Fails if a record was purged, or if a running experiment has ended its run: an exposure that came after the end
   * would be acknowledged, but would never count. A purge first deletes the records, and then waits for the
   * transactions that have read them; see `EventGates`. The end of a run does not wait, because locks would delay all
   * events of a commit group. On MySQL, an exposure can therefore still be stored while the end is being committed.
   */
  private async refuseOutdated(tx: Tx, projects: readonly ProjectEvents[]): Promise<void> {
    const projectIds = new Set(projects.map(({ definitions }) => definitions.projectId));
    const ended = new Set<number>();
    const running = new Set<number>();
    for (const { definitions, events } of projects) {
      for (const { experiment_id } of events) {
        if (experiment_id !== null) {
          (isRunningIn(definitions, experiment_id) ? running : ended).add(experiment_id);
        }
      }
    }
    if (!(await mayStoreEvents(tx, [...projectIds], [...ended], [...running]))) {
      throw new DefinitionsChangedError();
    }
  }

  /**
   * An experiment cannot lose variations after its first exposure, and a goal cannot change its type after its first
   * conversion. The first event therefore locks the project's version row, so the definitions stay valid until the
   * event is stored. The counting rules of a result may be older than a goal's value cap, so the goal's first
   * conversion updates these rules.
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

const isRunningIn = ({ experiments }: Definitions, experimentId: number): boolean =>
  experiments.get(experimentId)?.rules.runs.at(-1)?.endedAt === null;

const byProject = (projects: readonly ProjectEvents[]): ProjectEvents[] =>
  [...projects].sort((a, b) => a.definitions.projectId - b.definitions.projectId);

/** A project's events sorted by key, so that every process locks them in the same order. */
function rowsOf(projectId: number, events: readonly ResolvedEvent[]): NewEvent[] {
  return [...events]
    .sort((a, b) => byText(a.visitor_id, b.visitor_id) || byText(a.event_id, b.event_id))
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
  a.project_id - b.project_id || byText(a.visitor_id, b.visitor_id);

const isFirstOfVisitor = (
  { project_id, visitor_id }: VisitorKey,
  index: number,
  rows: readonly VisitorKey[],
): boolean => project_id !== rows[index - 1]?.project_id || visitor_id !== rows[index - 1]?.visitor_id;

/** Experiments and goals that have no earlier events, sorted by id. */
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
