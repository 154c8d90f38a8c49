import type { VisitorParticipation } from '../links/linked-ids';

export interface ExclusionRow {
  visitor_id: string;
  /** Null = all experiments. */
  experiment_id: number | null;
  wanted: number;
  applied: number;
}

/** Current and requested exclusions of visitors. */
export class Exclusions {
  private readonly rows = new Map<string, ExclusionRow[]>();

  /**
   * @param rows all exclusions of the visitors
   * @param changing the ids whose marks the transaction holds, so their requested exclusions are applied
   */
  constructor(
    rows: readonly ExclusionRow[],
    private readonly changing: ReadonlySet<string>,
  ) {
    for (const row of rows) {
      this.rows.set(row.visitor_id, [...(this.rows.get(row.visitor_id) ?? []), row]);
    }
  }

  get isEmpty(): boolean {
    return this.rows.size === 0;
  }

  /** The participations that the cells currently include. */
  counted(participations: VisitorParticipation[]): VisitorParticipation[] {
    return this.without(participations, ({ applied }) => Boolean(applied));
  }

  /** The participations that the cells should include. */
  wanted(participations: VisitorParticipation[]): VisitorParticipation[] {
    return this.without(participations, ({ visitor_id, wanted, applied }) =>
      Boolean(this.changing.has(visitor_id) ? wanted : applied),
    );
  }

  /** Whether the cells must be updated because of changed exclusions. */
  get areUnsettled(): boolean {
    return [...this.changing]
      .flatMap((id) => this.rows.get(id) ?? [])
      .some(({ wanted, applied }) => !wanted || !applied);
  }

  /** A visitor is excluded if any of its ids is excluded. */
  private without(
    participations: VisitorParticipation[],
    isInForce: (row: ExclusionRow) => boolean,
  ): VisitorParticipation[] {
    const isExcluded = ({ ids, experimentId }: VisitorParticipation): boolean =>
      ids
        .flatMap((id) => this.rows.get(id) ?? [])
        .some((row) => isInForce(row) && (row.experiment_id === null || row.experiment_id === experimentId));
    return this.rows.size === 0 ? participations : participations.filter((each) => !isExcluded(each));
  }
}
