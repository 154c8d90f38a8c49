import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../platform/access/scope';
import { NotFoundError } from '../common/errors/api-errors';
import { groupBy } from '../common/lists/collections';
import { Database } from '../database/database';
import { groupByVisitor } from '../events/stored-events.store';
import { readCountingRules } from '../events/counting-rules.store';
import { VisitorDeletionService } from '../events/deletions/visitor-deletion.service';
import { EventReader, type FindEvents } from '../events/event-log';
import { linkedIdsOf } from '../events/links/linked-ids.store';
import { isVisitorId } from '../events/visitor-id';
import { storedVisitor } from '../events/visitors';
import { writeScope } from '../projects/project-writer';
import { outcomesOf, type Rules } from './visitor-outcomes';
import type { VisitorRecord } from './visitor.record';
import { eventRecords, exclusionRecord, experimentRecord, idRecords } from './visitor-report';
import { type ExperimentName, type VisitorExclusionRow, VisitorStore } from './visitor.store';

/** The stored data of one visitor, found by any of the visitor's ids. */
@Injectable()
export class VisitorsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventReader,
    private readonly store: VisitorStore,
    private readonly deletions: VisitorDeletionService,
  ) {}

  /** @throws NotFoundError if the visitor has no stored data */
  show(projectId: number, visitor: string): Promise<VisitorRecord> {
    const id = known(visitor);
    return this.events.reading((find) => this.database.snapshot(() => this.read(find, projectId, id)));
  }

  /** @throws NotFoundError if the visitor has no stored data */
  async delete(scope: ProjectScope, visitor: string, isDryRun: boolean): Promise<void> {
    const deletion = await this.deletions.delete(writeScope(scope, 'projects'), known(visitor));
    if (!isDryRun) {
      await this.deletions.forget(scope.projectId, deletion);
    }
  }

  private async read(find: FindEvents, projectId: number, id: string): Promise<VisitorRecord> {
    const { read } = this.database;
    const links = await linkedIdsOf(read, projectId, [id], 'all');
    const ids = links.and([id]).sort();
    const rows = await find(read, projectId, ids);
    const exclusions = await this.store.exclusions(projectId, ids);
    if (rows.length === 0 && exclusions.length === 0 && links.isEmpty) {
      throw new NotFoundError();
    }
    const visitors = links.visitors(groupByVisitor(rows));
    const experiments = await this.store.experiments(idsIn(rows, 'experiment_id'));
    const rules = await this.rulesOf(experiments, exclusions);
    const outcomes = visitors.flatMap((each) => outcomesOf(each, rules));
    const variations = byId(await this.store.variations(idsIn(rows, 'variation_id')));
    const goals = byId(await this.store.goals(idsIn(rows, 'goal_id')));
    const named = byId(experiments);
    return {
      ids: idRecords(ids, links),
      experiments: outcomes.flatMap((outcome) => {
        const experiment = named.get(outcome.experimentId);
        return experiment === undefined ? [] : [experimentRecord(outcome, experiment, variations)];
      }),
      events: eventRecords(
        visitors,
        outcomes.flatMap(({ events }) => events),
        goals,
      ),
      exclusions: exclusions.map(exclusionRecord),
    };
  }

  private async rulesOf(
    experiments: readonly ExperimentName[],
    exclusions: readonly VisitorExclusionRow[],
  ): Promise<Map<number, Rules>> {
    const experimentIds = experiments.map(({ id }) => id);
    const counting = await readCountingRules(this.database.read, experimentIds);
    const attached = groupBy(await this.store.windows(experimentIds), ({ experiment_id }) => experiment_id);
    const isExcluded = (ids: readonly string[], experimentId: number): boolean =>
      exclusions.some(
        ({ visitor_id, experiment_id }) =>
          ids.includes(visitor_id) && (experiment_id === null || experiment_id === experimentId),
      );
    const incomplete = new Set(
      experiments.filter((each) => each.events_removed_until !== null).map(({ id }) => id),
    );
    return new Map(
      [...counting].map(([id, rules]) => {
        const hasLostEvents = incomplete.has(id);
        const own = attached.get(id) ?? [];
        const windows = new Map(own.map((goal) => [goal.goal_id, goal.conversion_window_days]));
        return [id, { counting: rules, hasLostEvents, isExcluded, windows }];
      }),
    );
  }
}

const byId = <T extends { id: number }>(rows: readonly T[]): Map<number, T> =>
  new Map(rows.map((row) => [row.id, row]));

const idsIn = <K extends string>(rows: readonly Record<K, number | null>[], column: K): number[] => [
  ...new Set(rows.map((row) => row[column]).filter((id) => id !== null)),
];

/** The stored form of an id. @throws NotFoundError if no visitor can have this id */
function known(visitor: string): string {
  if (!isVisitorId(visitor)) {
    throw new NotFoundError();
  }
  return storedVisitor(visitor);
}
