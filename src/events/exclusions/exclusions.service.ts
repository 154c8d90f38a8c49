import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { audit, type AuditAction } from '../../audit/audit-log';
import { formatMicros, Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { ProjectVersionsStore } from '../../projects/project-versions.store';
import { Attribution } from '../attribution-steps';
import { DeletedVisitorStore } from '../deletions/deleted-visitors.store';
import type { EventSpan } from '../event-log';
import { EventStore, type VisitorKey } from '../event.store';
import { Progress, RebuildService } from '../rebuild.service';
import { ExclusionStore } from './exclusion.store';
import { Criteria, ExclusionScope, matchingVisitors } from './matching-visitors';
import type { VisitorExclusion } from './visitor-exclusion.entity';

/** An exclusion as shown by the admin command. */
export interface ExclusionRecord {
  id: number;
  project_id: number;
  experiment_id: number | null;
  criteria: unknown;
  visitors: number;
  created_at: string;
  /** Null until the exclusion is complete. */
  finished_at: string | null;
  undone_at: string | null;
}

const STEP = 500;
const SETTLING_ROUNDS = 600;
const SETTLING_MS = 100;

/** The worker did not process the visitors before the timeout. */
export class ExclusionUnsettledError extends Error {
  constructor() {
    super(
      'The results were not updated within a minute. Run the command again; it resumes where it stopped.',
    );
  }
}

/** Another command has undone the exclusion, or its project or experiment was deleted permanently. */
export class ExclusionEndedError extends Error {
  constructor() {
    super('The exclusion has been undone by another command, or was deleted with its project or experiment.');
  }
}

/**
 * Excludes visitors from results, and includes them again. An exclusion records the requested state and marks the
 * visitors for attribution, which updates the results. Each transaction marks a few hundred visitors, so an exclusion
 * can be interrupted and resumed at any time.
 */
@Injectable()
export class ExclusionsService {
  constructor(
    private readonly database: Database,
    private readonly store: ExclusionStore,
    private readonly events: EventStore,
    private readonly attribution: Attribution,
    private readonly rebuilds: RebuildService,
    private readonly deleted: DeletedVisitorStore,
    private readonly versions: ProjectVersionsStore,
  ) {}

  /** The number of visitors that an exclusion would exclude. */
  async count(scope: ExclusionScope): Promise<number> {
    let count = 0;
    for await (const visitors of matchingVisitors(this.store, scope)) {
      count += visitors.length;
    }
    return count;
  }

  /**
   * Excludes visitors from results, and resolves once the results are updated.
   * @param total number of visitors, for the progress report
   * @throws ExclusionUnsettledError, ExclusionEndedError
   */
  async exclude(
    scope: ExclusionScope,
    total: number,
    progress: Progress = () => undefined,
  ): Promise<ExclusionRecord> {
    const exclusion = await this.begin(scope);
    const ends = new SpanEnds(this.store);
    let done = 0;
    for await (const visitors of matchingVisitors(this.store, scope)) {
      await this.database.transaction((tx) => this.leaveOut(tx, exclusion, visitors));
      await ends.add(scope, visitors);
      done += visitors.length;
      progress(done, Math.max(done, total));
    }
    await this.settle(exclusion.id);
    for (const experimentId of await ends.touched()) {
      await this.rebuilds.rebuildOrWait({ experimentId });
    }
    const visitors = await this.store.countVisitors(exclusion.id);
    return this.ending(scope.projectId, async (tx) => {
      const current = await this.held(tx, exclusion.id);
      return this.end(tx, { ...current, finished_at: nowMicros(), visitors }, 'exclude-visitors');
    });
  }

  /**
   * Includes the visitors of an exclusion in the results again, unless another exclusion covers them.
   * @returns null if the exclusion does not exist
   * @throws ExclusionUnsettledError, ExclusionEndedError
   */
  async include(exclusionId: number): Promise<ExclusionRecord | null> {
    const exclusion = await this.store.findById(this.database.read, exclusionId);
    if (exclusion === null || exclusion.undone_at !== null) {
      return exclusion && toRecord(exclusion);
    }
    let undone: ExclusionRecord | null = null;
    while (undone === null) {
      while ((await this.takeIn(exclusion)) > 0);
      await this.settle(exclusionId);
      undone = await this.undo(exclusion);
    }
    return undone;
  }

  async list(projectId: number): Promise<ExclusionRecord[]> {
    return (await this.store.ofProject(projectId)).map(toRecord);
  }

  /** Creates the exclusion, or finds an interrupted one with the same criteria. */
  private begin({ projectId, experimentId, criteria }: ExclusionScope): Promise<VisitorExclusion> {
    const row = {
      project_id: projectId,
      experiment_id: experimentId,
      criteria: JSON.stringify(described(criteria)),
      criteria_hash: createHash('sha256').update(JSON.stringify(criteria)).digest('hex'),
      visitors: 0,
      created_at: nowMicros(),
      finished_at: null,
      undone_at: null,
    };
    return this.database.transaction(async (tx) => {
      const open = await this.store.findOpen(tx, row);
      // Resets the visitor count. `hold` returns false if another command has undone the exclusion since it was read.
      if (open !== null && (await this.store.hold(tx, open.id, -open.visitors))) {
        return open;
      }
      return { id: await this.store.insert(tx, row), ...row };
    });
  }

  /**
   * Marks visitors first, because only then is it certain which of them were deleted. Deleted ids must not be stored.
   */
  private async leaveOut(tx: Tx, exclusion: VisitorExclusion, visitors: readonly string[]): Promise<void> {
    const marked = await this.mark(tx, exclusion, visitors);
    const deleted = new Set(await this.deleted.among(tx, marked));
    const kept = marked.filter((each) => !deleted.has(each)).map(({ visitor_id }) => visitor_id);
    if (!(await this.store.hold(tx, exclusion.id, kept.length))) {
      throw new ExclusionEndedError();
    }
    if (kept.length > 0) {
      await this.store.addVisitors(tx, exclusion, kept);
    }
  }

  /** Includes the next batch of visitors again; returns its size. */
  private takeIn(exclusion: VisitorExclusion): Promise<number> {
    return this.database.transaction(async (tx) => {
      const visitors = await this.store.someVisitors(tx, exclusion.id, STEP);
      if (visitors.length > 0) {
        await this.mark(tx, exclusion, visitors);
        await this.store.releaseVisitors(tx, exclusion, visitors);
      }
      return visitors.length;
    });
  }

  private async mark(
    tx: Tx,
    { project_id }: VisitorExclusion,
    visitors: readonly string[],
  ): Promise<VisitorKey[]> {
    const marked = visitors.map((visitor_id) => ({ project_id, visitor_id }));
    await this.events.markVisitors(tx, marked);
    return marked;
  }

  /** Updates the results, alongside any running workers, and resolves once the results include the change. */
  private async settle(exclusionId: number): Promise<void> {
    for (let round = 0; round < SETTLING_ROUNDS; round += 1) {
      await this.attribution.drain();
      if (await this.store.isSettled(exclusionId)) {
        return;
      }
      await sleep(SETTLING_MS);
    }
    throw new ExclusionUnsettledError();
  }

  /** @returns null if another command has excluded more visitors since these were included again */
  private undo({ id, project_id }: VisitorExclusion): Promise<ExclusionRecord | null> {
    return this.ending(project_id, async (tx) => {
      const current = await this.held(tx, id);
      return (await this.store.someVisitors(tx, id, 1)).length > 0
        ? null
        : this.end(tx, { ...current, undone_at: nowMicros() }, 'include-visitors');
    });
  }

  /**
   * Runs a transaction that adds an audit entry. Like every change in a project, it locks the project first, so that
   * entries become visible in the order of their ids.
   */
  private ending<T>(projectId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.versions.lock(tx, projectId);
      return work(tx);
    }, projectId);
  }

  /** The exclusion, which remains in force until the transaction ends. @throws ExclusionEndedError if it has ended */
  private async held(tx: Tx, id: number): Promise<VisitorExclusion> {
    const row = (await this.store.hold(tx, id, 0)) ? await this.store.findById(tx, id) : null;
    if (row === null) {
      throw new ExclusionEndedError();
    }
    return row;
  }

  private async end(tx: Tx, row: VisitorExclusion, action: AuditAction): Promise<ExclusionRecord> {
    const ended = toRecord(row);
    await this.store.end(tx, row);
    const { id, project_id } = ended;
    const after = {
      experiment_id: ended.experiment_id,
      criteria: ended.criteria,
      visitors: ended.visitors,
    };
    const note = { action, itemType: 'visitor_exclusion', itemId: id, before: null, after };
    await audit(tx, 'admin', project_id, [note]);
    return ended;
  }
}

/** Omits the list of ids, which can be long and is stored with the excluded visitors. */
const described = (criteria: Criteria): object =>
  'ids' in criteria
    ? { ids: criteria.ids.length }
    : { from: momentOf(criteria.from), until: momentOf(criteria.until) };

const momentOf = (micros: Micros | null): string | null => (micros === null ? null : formatMicros(micros));

const toRecord = (row: VisitorExclusion): ExclusionRecord => ({
  id: row.id,
  project_id: row.project_id,
  experiment_id: row.experiment_id,
  criteria: JSON.parse(row.criteria) as unknown,
  visitors: row.visitors,
  created_at: formatMicros(row.created_at),
  finished_at: momentOf(row.finished_at),
  undone_at: momentOf(row.undone_at),
});

/**
 * Results show the times of their first and last events. Attribution can only widen this span. If one of its ends may
 * be an excluded visitor's event, the results have to be rebuilt.
 */
class SpanEnds {
  private readonly spans = new Map<number, EventSpan>();

  constructor(private readonly store: ExclusionStore) {}

  /** Adds excluded visitors, with all their ids. */
  async add({ projectId, experimentId }: ExclusionScope, visitors: readonly string[]): Promise<void> {
    const ids = await this.store.withLinked(projectId, visitors);
    for (const span of await this.store.log.spansOf(projectId, experimentId, ids)) {
      const { first, last } = this.spans.get(span.experimentId) ?? span;
      this.spans.set(span.experimentId, {
        ...span,
        first: Math.min(first, span.first),
        last: Math.max(last, span.last),
      });
    }
  }

  /** The experiments whose results have to be rebuilt, sorted by id. */
  async touched(): Promise<number[]> {
    const touched: number[] = [];
    for (const [id, span] of [...this.spans].sort(([a], [b]) => a - b)) {
      if (await this.store.reachesEnd(span)) {
        touched.push(id);
      }
    }
    return touched;
  }
}
