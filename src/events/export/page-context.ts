import { groupBy } from '../../common/lists/grouping';
import { numberOrNull } from '../../database/columns';
import type { EventRow } from '../stored-events.store';
import { DEVICE_TYPES } from '../device-types';
import { givenVisitor } from '../visitors';
import type { ExcludedId, ExportStore, IdLink, NamedId } from './export.store';
import type { ExportedEvent } from './exported-event';

type NameOf = (id: number | null) => string | null;

/** The names of the records that events refer to, without deleted records. */
export class Names {
  private constructor(
    readonly experiment: NameOf,
    readonly variation: NameOf,
    readonly goal: NameOf,
  ) {}

  static async of(store: ExportStore, projectId: number): Promise<Names> {
    return new Names(
      nameOf(await store.experiments(projectId)),
      nameOf(await store.variations(projectId)),
      nameOf(await store.goals(projectId)),
    );
  }
}

function nameOf(rows: readonly NamedId[]): NameOf {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => (id === null ? null : (names.get(id) ?? null));
}

/** The links and exclusions of the visitors in a page of events. */
export class PageContext {
  private readonly links: ReadonlyMap<string, IdLink>;
  private readonly exclusions: ReadonlyMap<string, ExcludedId[]>;

  private constructor(links: readonly IdLink[], exclusions: readonly ExcludedId[]) {
    this.links = new Map(links.map((link) => [link.visitor_id, link]));
    this.exclusions = groupBy(exclusions, ({ visitor_id }) => visitor_id);
  }

  static async of(store: ExportStore, projectId: number, page: readonly EventRow[]): Promise<PageContext> {
    const ids = [...new Set(page.map(({ visitor_id }) => visitor_id))];
    return ids.length === 0
      ? new PageContext([], [])
      : new PageContext(await store.linksOf(projectId, ids), await store.exclusionsOf(projectId, ids));
  }

  exported(row: EventRow, names: Names): ExportedEvent {
    const { visitor_id, experiment_id, variation_id, goal_id } = row;
    const link = this.links.get(visitor_id);
    return {
      event_id: row.event_id,
      type: experiment_id === null ? 'conversion' : 'exposure',
      visitor_id: givenVisitor(visitor_id),
      canonical_id: givenVisitor(link?.canonical_id ?? visitor_id),
      linked_at: numberOrNull(link?.linked_at),
      occurred_at: Number(row.occurred_at),
      arrived_at: numberOrNull(row.arrived_at),
      experiment_id,
      experiment: names.experiment(experiment_id),
      variation_id,
      variation: names.variation(variation_id),
      phase: row.phase ?? null,
      goal_id,
      goal: names.goal(goal_id),
      value: numberOrNull(row.value),
      device: DEVICE_TYPES[row.device] ?? 'other',
      excluded_from: this.excludedFrom(visitor_id),
    };
  }

  private excludedFrom(visitorId: string): string | null {
    const ids = (this.exclusions.get(visitorId) ?? []).map(({ experiment_id }) => experiment_id);
    if (ids.includes(null)) {
      return 'all';
    }
    return ids.length === 0 ? null : ids.join(',');
  }
}
