import { pageMatches } from '../../pages/page-matching';
import { assign } from '../evaluation';
import type { DecidableExperiment } from '../published';
import type { Bucketing, Visitor } from './visitor';

/** Where a visitor is, as far as the caller says. */
export interface View {
  /** Id or `api_name` of a page. */
  id?: number | string;
  url?: string;
}

export interface Decision {
  experiment: DecidableExperiment;
  variation: { id: number; api_name: string } | null;
  reason: 'assigned' | 'kept' | 'audience' | 'traffic' | 'page';
}

/** Decides what a visitor sees of an experiment that is live. */
export function decide(experiment: DecidableExperiment, visitor: Visitor, view: View): Decision {
  if (!isAt(experiment, view)) {
    return { experiment, variation: null, reason: 'page' };
  }
  const kept = visitor.bucketing.get(experiment.id);
  const { variation, reason } = assign(experiment.rule, visitor.id, visitor.attributes, kept);
  return { experiment, variation: experiment.variations.find(({ id }) => id === variation) ?? null, reason };
}

/** Is the view one of the experiment's pages? Callers who do not say where the visitor is decide that themselves. */
function isAt({ pages }: DecidableExperiment, { id, url }: View): boolean {
  if (id === undefined && url === undefined) {
    return true;
  }
  const isNamed = (page: { id: number; api_name: string }): boolean =>
    id !== undefined && (page.api_name === id || String(page.id) === String(id));
  return pages.some((page) => isNamed(page) || (url !== undefined && pageMatches(page, url)));
}

/** What a visitor has after decisions: what was there, without what live experiments do not know, and what is new. */
export function bucketingAfter(
  given: Bucketing,
  live: readonly DecidableExperiment[],
  decisions: readonly Decision[],
): Bucketing {
  const bucketing = new Map(given);
  for (const { id, variations } of live) {
    if (!variations.some((variation) => variation.id === given.get(id))) {
      bucketing.delete(id);
    }
  }
  for (const { experiment, variation } of decisions) {
    if (variation !== null) {
      bucketing.set(experiment.id, variation.id);
    }
  }
  return bucketing;
}
