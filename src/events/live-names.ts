import type { EntityManager } from 'typeorm';
import type { PageCondition } from '../resources/pages/page-conditions';
import type { EarlierClickGoal, ExperimentDefinition, GoalDefinition, Period } from './definitions';

interface Named {
  id: number;
  api_name: string;
}

/** A goal as it was published. */
export interface PublishedGoal extends Named {
  type: string;
  /** The page conditions of a pageview goal; null for other types. */
  conditions: PageCondition[] | null;
}

/** The names and pages in the live publication, which clients use until changes are published. */
export interface LiveNames {
  experiments: readonly (Named & { variations: readonly Named[] })[];
  /**
   * A goal can be live twice, with different names or pages, if some experiments were started before it was changed and
   * others afterwards.
   */
  goals: readonly PublishedGoal[];
  /**
   * The pageview and click goals of earlier revisions, if their pages or names differ from the live ones. The latest
   * revision comes first.
   */
  earlierGoals: readonly (PublishedGoal & Period)[];
}

/** Provides the live names and pages, so the events module does not depend on publishing. */
export abstract class LiveNameSource {
  abstract namesOf(manager: EntityManager, projectId: number): Promise<LiveNames>;
}

/** Experiments by `api_name`. A live name refers to the live record, because that is the record the client has seen. */
export function namedExperiments(
  experiments: ReadonlyMap<number, ExperimentDefinition>,
  live: LiveNames['experiments'],
): Map<string, ExperimentDefinition> {
  const named = new Map([...experiments.values()].map((each) => [each.apiName, each]));
  addNames(named, experiments, live);
  return named;
}

/** Variation ids by `api_name`. As for experiments, live names take precedence. */
export function namedVariations(variations: readonly Named[], live: readonly Named[]): Map<string, number> {
  const named = new Map(variations.map(({ id, api_name }) => [api_name, id]));
  addNames(named, new Map(variations.map(({ id }) => [id, id])), live);
  return named;
}

/**
 * Goals by `api_name`. For click goals, live names take precedence, because the published script sends them. Other
 * goals are sent by handwritten code, so their current names take precedence.
 */
export function namedGoals(
  goals: ReadonlyMap<number, GoalDefinition>,
  current: readonly Named[],
  live: LiveNames['goals'],
): Map<string, GoalDefinition> {
  const byId = new Map([...goals].filter(([, { type }]) => type !== 'pageview'));
  const named = new Map<string, GoalDefinition>();
  addNames(named, byId, live);
  addNames(named, byId, current);
  const clicks = live.filter(({ type }) => type === 'click');
  addNames(named, byId, clicks);
  return named;
}

/** Click goals by the `api_name` that earlier revisions send. The latest revision takes precedence. */
export function earlierClickGoals(
  goals: ReadonlyMap<number, GoalDefinition>,
  earlier: LiveNames['earlierGoals'],
): Map<string, EarlierClickGoal> {
  const named = new Map<string, EarlierClickGoal>();
  for (const { id, api_name, from, until } of earlier.filter(({ type }) => type === 'click')) {
    const goal = goals.get(id);
    if (goal?.type === 'click' && !named.has(api_name)) {
      named.set(api_name, { goal, period: { from, until } });
    }
  }
  return named;
}

function addNames<T>(named: Map<string, T>, byId: ReadonlyMap<number, T>, names: readonly Named[]): void {
  for (const { id, api_name } of names) {
    const found = byId.get(id);
    if (found !== undefined) {
      named.set(api_name, found);
    }
  }
}
