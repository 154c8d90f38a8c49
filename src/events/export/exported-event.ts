import { groupBy } from '../../common/lists/collections';
import type { Micros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { DEVICE_TYPES, type DeviceType } from '../device-types';
import type { LinkedIds } from '../links/linked-ids';
import type { EventRow } from '../stored-events.store';
import { givenVisitor } from '../visitors';
import type { ExcludedId, ExportStore, NamedId } from './export.store';

/** A row in an export. docs/events-export.md describes the columns. */
export interface ExportedEvent {
  event_id: string;
  type: 'exposure' | 'conversion';
  visitor_id: string;
  /** The id that the visitor's ids are linked to; the visitor id if there is no link. */
  canonical_id: string;
  linked_at: Micros | null;
  occurred_at: Micros;
  /** Null unless the event arrived more than 72 hours late. */
  arrived_at: Micros | null;
  experiment_id: number | null;
  experiment: string | null;
  variation_id: number | null;
  variation: string | null;
  /** As reported by the client. */
  phase: number | null;
  goal_id: number | null;
  goal: string | null;
  /** In 1/10,000 of the goal's unit. */
  value: number | null;
  device: DeviceType;
  /** `all`, or comma-separated experiment ids; null if the visitor is not excluded. */
  excluded_from: string | null;
}

/** Column types: moments are written as timestamps, values as decimals with four decimal places. */
export type ColumnType = 'text' | 'integer' | 'moment' | 'value';

/** The columns in the order in which they are written. */
export const COLUMNS: Readonly<Record<keyof ExportedEvent, ColumnType>> = {
  event_id: 'text',
  type: 'text',
  visitor_id: 'text',
  canonical_id: 'text',
  linked_at: 'moment',
  occurred_at: 'moment',
  arrived_at: 'moment',
  experiment_id: 'integer',
  experiment: 'text',
  variation_id: 'integer',
  variation: 'text',
  phase: 'integer',
  goal_id: 'integer',
  goal: 'text',
  value: 'value',
  device: 'text',
  excluded_from: 'text',
};

export const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof ExportedEvent)[];

/** Encodes events in one format. The caller appends the returned bytes to the file. */
export interface EventEncoder {
  /** @param events in the order of the file */
  encode(events: readonly ExportedEvent[]): Uint8Array;
  end(): Uint8Array;
}

type NameOf = (id: number | null) => string | null;

/** The names of the records that events refer to. Permanently deleted records have no name. */
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

/** When the result of each experiment of a project became or becomes final; null if this is not known yet. */
export type FinalTimes = ReadonlyMap<number, Micros | null>;

/** The links and exclusions of the visitors in a page of events. */
export class PageContext {
  /** By canonical id. */
  private readonly exclusions: ReadonlyMap<string, ExcludedId[]>;

  private constructor(
    private readonly links: LinkedIds,
    exclusions: readonly ExcludedId[],
    private readonly finals: FinalTimes,
  ) {
    this.exclusions = groupBy(exclusions, ({ visitor_id }) => links.canonicalIdOf(visitor_id));
  }

  static async of(
    store: ExportStore,
    projectId: number,
    page: readonly EventRow[],
    finals: FinalTimes,
  ): Promise<PageContext> {
    const ids = [...new Set(page.map(({ visitor_id }) => visitor_id))];
    const links = await store.linksOf(projectId, ids);
    return new PageContext(links, await store.exclusionsOf(projectId, links.and(ids)), finals);
  }

  exported(row: EventRow, names: Names): ExportedEvent {
    const { visitor_id, experiment_id, variation_id, goal_id } = row;
    const link = this.links.linkOf(visitor_id);
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

  /** A visitor is excluded if any of its ids is excluded, even one without events in the file. */
  private excludedFrom(visitorId: string): string | null {
    const found = new Set<number>();
    for (const exclusion of this.exclusions.get(this.links.canonicalIdOf(visitorId)) ?? []) {
      const { experiment_id: only } = exclusion;
      const candidates = only === null ? [...this.finals.keys()] : [only];
      const own = candidates.filter((id) => this.areLinked(visitorId, exclusion.visitor_id, id));
      if (only === null && own.length === candidates.length) {
        return 'all';
      }
      own.forEach((id) => found.add(id));
    }
    return found.size === 0 ? null : [...found].sort((a, b) => a - b).join(',');
  }

  /** Whether an experiment's result counts two ids of a visitor as one. It ignores links that arrived once it was final. */
  private areLinked(visitorId: string, otherId: string, experimentId: number): boolean {
    const finalAt = this.finals.get(experimentId) ?? null;
    const isLate = (id: string): boolean => {
      const linkedAt = numberOrNull(this.links.linkOf(id)?.linked_at);
      return finalAt !== null && linkedAt !== null && linkedAt >= finalAt;
    };
    return visitorId === otherId || (!isLate(visitorId) && !isLate(otherId));
  }
}
