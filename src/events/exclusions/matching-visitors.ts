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

/** The matching visitors with an exposure, sorted by id, in batches of a few hundred. */
export async function* matchingVisitors(
  store: ExclusionStore,
  { projectId, experimentId, criteria }: ExclusionScope,
): AsyncGenerator<string[]> {
  const isList = 'ids' in criteria;
  const candidates = isList ? inSteps(criteria.ids) : visitorsOf(store, projectId);
  for await (const some of candidates) {
    const found = await store.exposedAmong(projectId, experimentId, isList ? AT_ANY_TIME : criteria, some);
    if (found.length > 0) {
      yield found;
    }
  }
}

function* inSteps(ids: readonly string[]): Generator<string[]> {
  const sorted = [...new Set(ids)].sort();
  for (let start = 0; start < sorted.length; start += VISITORS) {
    yield sorted.slice(start, start + VISITORS);
  }
}

async function* visitorsOf(store: ExclusionStore, projectId: number): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const visitors: string[] = await store.visitorsAfter(projectId, after, VISITORS);
    if (visitors.length > 0) {
      yield visitors;
    }
    after = visitors.at(-1);
  }
}
