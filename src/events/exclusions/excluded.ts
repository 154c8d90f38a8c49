import type { Participation } from '../attribution';

interface Row {
  visitor_id: string;
  /** Null = all experiments. */
  experiment_id: number | null;
  wanted: number;
  applied: number;
}

/** Current and requested exclusions of visitors. */
export class Exclusions {
  private readonly rows = new Map<string, Row[]>();

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      this.rows.set(row.visitor_id, [...(this.rows.get(row.visitor_id) ?? []), row]);
    }
  }

  /** The participations of a visitor that the cells currently include. */
  counted(visitorId: string, participations: Participation[]): Participation[] {
    return this.without(visitorId, participations, ({ applied }) => Boolean(applied));
  }

  /** The participations that the cells should include. */
  wanted(visitorId: string, participations: Participation[]): Participation[] {
    return this.without(visitorId, participations, ({ wanted }) => Boolean(wanted));
  }

  /** Do the cells have to be updated because of changed exclusions? */
  get areUnsettled(): boolean {
    return [...this.rows.values()].flat().some(({ wanted, applied }) => !wanted || !applied);
  }

  private without(
    visitorId: string,
    participations: Participation[],
    isInForce: (row: Row) => boolean,
  ): Participation[] {
    const own = this.rows.get(visitorId)?.filter(isInForce) ?? [];
    return own.length === 0
      ? participations
      : participations.filter(
          ({ experimentId }) =>
            !own.some(({ experiment_id }) => experiment_id === null || experiment_id === experimentId),
        );
  }
}
