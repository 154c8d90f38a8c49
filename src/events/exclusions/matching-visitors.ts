import { chunksOf } from '../../common/lists/collections';
import type { EntryTimes, ExclusionStore } from './exclusion.store';

/** Criteria for visitors: their ids, or the time range of their first exposure. */
export type Criteria = { ids: readonly string[] } | EntryTimes;

/** The results from which visitors are excluded. */
export interface ExclusionScope {
  projectId: number;
  /** Null = all experiments of the project. */
  experimentId: number | null;
  criteria: Criteria;
}

/** Visitors per batch. */
const VISITORS = 500;
const AT_ANY_TIME: EntryTimes = { from: null, until: null };

/** Yields the ids of matching visitors who have an exposure, each id once, in batches of a few hundred. */
export async function* matchingVisitors(
  store: ExclusionStore,
  { projectId, experimentId, criteria }: ExclusionScope,
): AsyncGenerator<string[]> {
  const isList = 'ids' in criteria;
  const candidates = isList
    ? withLinked(store, projectId, [...new Set(criteria.ids)].sort())
    : visitorsOf(store, projectId);
  for await (const some of candidates) {
    const times = isList ? AT_ANY_TIME : criteria;
    const found = await store.exposedAmong(projectId, experimentId, times, some);
    if (found.length > 0) {
      yield found;
    }
  }
}

/**
 * Yields the ids, together with all ids that are linked to them, because a visitor is excluded under all linked ids.
 */
async function* withLinked(
  store: ExclusionStore,
  projectId: number,
  given: readonly string[],
): AsyncGenerator<string[]> {
  const known = new Set<string>();
  for (const some of chunksOf(given, VISITORS)) {
    const ids = (await store.withLinked(projectId, some)).filter((id) => !known.has(id));
    ids.forEach((id) => known.add(id));
    // Each id can have 50 linked ids, and SQLite limits the number of parameters in a statement.
    yield* chunksOf(ids, VISITORS);
  }
}

async function* visitorsOf(store: ExclusionStore, projectId: number): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const visitors: string[] = await store.log.visitorsAfter(projectId, after, VISITORS);
    if (visitors.length > 0) {
      yield visitors;
    }
    after = visitors.at(-1);
  }
}
