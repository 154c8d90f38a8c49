import { Injectable, Logger } from '@nestjs/common';
import { chunksOf, groupBy } from '../../common/lists/collections';
import { nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { Attribution } from '../attribution-steps';
import type { VisitorKey } from '../event.store';
import { CellStore } from '../cells.store';
import { settleExclusions } from '../exclusions/exclusion.store';
import { linksOf, noteLinksAttributed } from '../links/linked-ids.store';
import { ResultChanges } from '../result-changes';
import { ResultState, ResultStates } from '../result-states.store';
import { CellRow, cellsQuery, ScopedRules, seenQuery, SeenRow } from './attribution-query.store';
import { BatchCompaction } from './batch-compaction';
import { changesBetween } from './cells';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { STORED } from './event-batch.entity';
import { EventBatches, VisitorMark } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { answering, Ask } from './questions';
import {
  areUnsettled,
  byExperiment,
  exclusionsIn,
  linkedVisitors,
  mayLinkExcluded,
  linksIn,
  ScopedProject,
  scopedRules,
  wantedIn,
} from './scoped-visitors';
import {
  amongVisitors,
  exclusionsOfIds,
  ProjectVisitor,
  projectsWithLinksOrExclusions,
  visitorsOfBatches,
} from './scopes.store';

/**
 * Maximum numbers of events and marks per step: enough to amortise the cost of a step, but few enough for a statement
 * to fit in memory.
 */
const EVENTS = 250_000;
const MARKS = 1_000;
/** Interval between micro-batches. */
const REST_MS = 5_000;
/** Batches that stay open longer than this are closed. Their collectors have timed out long before. */
const COLLECTOR_MICROS = 60_000_000;
const CHUNK = 500;

/** The events that a step attributes, selected before its transaction. */
interface Plan {
  batches: number[];
  marks: VisitorMark[];
  /** Whether there is more to do after this step. */
  isPart: boolean;
}

/** The plan is outdated, because another process has attributed part of it. */
class OutdatedPlanError extends Error {}

/** Attributes batches of events in ClickHouse. Any process can run it, but only one at a time succeeds. */
@Injectable()
export class ClickHouseAttribution extends Attribution {
  readonly restMs = REST_MS;
  private readonly logger = new Logger(ClickHouseAttribution.name);
  private readonly changes: ResultChanges;

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly compaction: BatchCompaction,
    private readonly removals: EventRemovals,
    cells: CellStore,
    private readonly states: ResultStates,
  ) {
    super();
    this.changes = new ResultChanges(cells, states);
  }

  async step(_after: VisitorKey | null): Promise<VisitorKey | null> {
    await this.table.ready();
    await this.batches.closeOpenedBefore(nowMicros() - COLLECTOR_MICROS);
    await this.compaction.runIfNeeded();
    const plan = await this.plan();
    if (plan.batches.length + plan.marks.length === 0) {
      return null;
    }
    try {
      await answering(this.clickhouse, (ask) =>
        this.database.transaction((tx) => this.attribute(tx, ask, plan)),
      );
    } catch (error) {
      if (!(error instanceof OutdatedPlanError)) {
        throw error;
      }
      this.logger.debug('Another process has attributed the same events.');
      return AGAIN;
    }
    return plan.isPart ? AGAIN : null;
  }

  waitingStep(after: VisitorKey | null): Promise<VisitorKey | null> {
    return this.step(after);
  }

  private async plan(): Promise<Plan> {
    const batches = await this.batches.waiting(EVENTS);
    const marks = await this.batches.marks(MARKS);
    const waiting = (await this.batches.countWaiting()).find(({ state }) => state === STORED)?.batches ?? 0;
    return {
      batches: batches.map(({ id }) => id),
      marks,
      isPart: marks.length === MARKS || waiting > batches.length,
    };
  }

  /**
   * Everything that the statements depend on is read under the attribution lock, so no other process can change it in
   * the meantime.
   */
  private async attribute(tx: Tx, ask: Ask, { batches, marks }: Plan): Promise<void> {
    await this.batches.holdAttribution(tx);
    const counted = await this.batches.counted(tx);
    const among = await this.removals.among(tx);
    if (!(await this.batches.attribute(tx, batches))) {
      throw new OutdatedPlanError();
    }
    const linked = await projectsWithLinksOrExclusions(tx);
    const isLinked = batches.length > 0 && linked.length > 0;
    const [visitors = []] = isLinked ? ask<ProjectVisitor>(visitorsOfBatches(batches, linked)) : [];
    const projects = await this.projectsOf(tx, visitors, marks);
    const others = [...marks.map(toVisitor), ...projects.flatMap(linkedVisitors)];
    const scope = {
      visitors: amongVisitors(batches, others),
      batches: among(counted, batches),
      links: projects.flatMap((project) => linksIn(project, () => true)),
    };
    const [seen = []] = ask<SeenRow>(seenQuery(scope));
    const before = {
      ...scope,
      batches: among(counted),
      links: projects.flatMap((project) => linksIn(project, ({ attributed }) => Boolean(attributed))),
      exclusions: projects.flatMap((project) => exclusionsIn(project, ({ applied }) => Boolean(applied))),
    };
    const after = {
      ...scope,
      exclusions: projects.flatMap((project) => exclusionsIn(project, wantedIn(project))),
    };
    await this.apply(tx, ask, seen, projects, { before, after });
    await this.settle(tx, projects, marks);
  }

  /** @param visitors visitors with new events, in projects with links or exclusions */
  private async projectsOf(
    tx: Tx,
    visitors: readonly ProjectVisitor[],
    marks: readonly VisitorMark[],
  ): Promise<ScopedProject[]> {
    const marked = groupBy(marks, ({ project_id }) => project_id);
    const byProject = groupBy([...visitors, ...marks], ({ project_id }) => project_id);
    const projects: ScopedProject[] = [];
    for (const [projectId, own] of [...byProject].sort(([a], [b]) => a - b)) {
      const ids = [...new Set(own.map(({ visitor_id }) => visitor_id))].sort();
      const links = await linksOf(tx, projectId, ids);
      const all = new Set([
        ...ids,
        ...links.flatMap(({ visitor_id, canonical_id }) => [visitor_id, canonical_id]),
      ]);
      projects.push({
        projectId,
        links,
        exclusions: await exclusionsOfIds(tx, projectId, [...all].sort()),
        marked: new Set(marked.get(projectId)?.map(({ visitor_id }) => visitor_id)),
      });
    }
    return projects;
  }

  private async apply(
    tx: Tx,
    ask: Ask,
    seen: readonly SeenRow[],
    projects: readonly ScopedProject[],
    { before, after }: Record<'before' | 'after', Omit<Parameters<typeof cellsQuery>[0], 'rules'>>,
  ): Promise<void> {
    const now = nowMicros();
    const states = await this.states.settleChangeable(
      tx,
      seen.map(({ experiment_id }) => experiment_id),
      now,
    );
    const projectOf = new Map(seen.map(({ experiment_id, project_id }) => [experiment_id, project_id]));
    const rules = (cells: 'shown' | 'rebuild'): ScopedRules[] => scopedRules(states, projectOf, cells);
    const asked = [rules('shown'), rules('rebuild')].map((some) =>
      some.length === 0
        ? null
        : [cellsQuery({ ...before, rules: some }), cellsQuery({ ...after, rules: some })],
    );
    const answers = ask<CellRow>(...asked.flatMap((queries) => queries ?? []));
    const [shown, rebuilt] = asked.map(
      (queries) => queries && answers.splice(0, queries.length).map(byExperiment),
    );
    const revisedAt = areUnsettled(projects) ? now : null;
    for (const state of states) {
      const { experimentId } = state;
      const own = seen.find(({ experiment_id }) => experiment_id === experimentId);
      const changes = (of: typeof shown, span: ResultState['shown']['span']) =>
        changesBetween(span, of?.[0]?.get(experimentId) ?? [], of?.[1]?.get(experimentId) ?? []);
      await this.changes.apply(tx, state, {
        shown: changes(shown, state.shown.span),
        rebuild: state.rebuild && changes(rebuilt, state.rebuild.span),
        seen: own && { first: own.first_at, last: own.last_at },
        recountsIfShorter: projects.some(mayLinkExcluded),
        revisedAt,
      });
    }
  }

  /** @throws OutdatedPlanError if a mark has changed since it was read */
  private async settle(
    tx: Tx,
    projects: readonly ScopedProject[],
    marks: readonly VisitorMark[],
  ): Promise<void> {
    for (const { projectId, links, marked } of projects) {
      await noteLinksAttributed(
        tx,
        projectId,
        links.filter(({ attributed }) => !attributed),
      );
      const ids = [...marked];
      for (const chunk of chunksOf(ids, CHUNK)) {
        await settleExclusions(tx, projectId, chunk);
      }
    }
    for (const mark of marks) {
      if (!(await this.batches.removeMark(tx, mark))) {
        throw new OutdatedPlanError();
      }
    }
  }
}

/** Returned to request another step. The values are not used, because every step takes the oldest events first. */
const AGAIN: VisitorKey = { project_id: 0, visitor_id: '' };

const toVisitor = ({ project_id, visitor_id }: VisitorMark): ProjectVisitor => ({ project_id, visitor_id });
