import type { EventSpan } from '../event-log';
import type { ExclusionStore } from './exclusion.store';
import type { ExclusionScope } from './matching-visitors';

/**
 * Results show the times of their first and last events. Adding a visitor can only widen this span. If an excluded
 * visitor may have been at one of its ends, the results have to be rebuilt.
 */
export class SpanEnds {
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
