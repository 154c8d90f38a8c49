import { UNKNOWN_PHASE } from '../../events/exposure';
import { matchesNormalized, normalized, PageMatcher } from '../../resources/pages/page-matching';
import { assign, Assignment, subjectOf } from '../evaluation';
import type { DecidableExperiment, Published } from '../published';
import { type Bucketing, MAX_BUCKETING, type Phases, type Visitor } from './visitor';

/** The page that the visitor sees, if the request names it. */
export interface View {
  /** Id or `api_name` of a page. */
  id?: number | string;
  url?: string;
}

export interface Decision {
  experiment: DecidableExperiment;
  variation: { id: number; api_name: string } | null;
  reason: Assignment['reason'] | 'page';
  /** The phase in which the variation was assigned; absent in revisions of the first release. */
  phase?: number | typeof UNKNOWN_PHASE;
}

/**
 * Assigns variations of live experiments to a visitor. Everything that does not depend on the experiment is computed
 * once.
 */
export function deciderFor(visitor: Visitor, view: View): (experiment: DecidableExperiment) => Decision {
  const subject = subjectOf(visitor.id, visitor.attributes);
  const isAt = placeTest(view);
  return (experiment) => {
    const { id, rule, variations, pages } = experiment;
    if (!isAt(pages)) {
      return { experiment, variation: null, reason: 'page' };
    }
    const { variation, reason } = assign(rule, subject, visitor.bucketing.get(id));
    return {
      experiment,
      variation: variations.find((each) => each.id === variation) ?? null,
      reason,
      phase: reason === 'kept' ? keptPhase(experiment, visitor) : experiment.phase,
    };
  };
}

/** The phase of a kept assignment, as given by the client. If there has been only one phase, it is this one. */
function keptPhase({ id, phase }: DecidableExperiment, { phases }: Visitor): Decision['phase'] {
  if (phase === undefined || phase === 1) {
    return phase;
  }
  const given = phases.get(id) ?? Infinity;
  return given <= phase ? given : UNKNOWN_PHASE;
}

/**
 * Returns a function that tests whether the view matches one of an experiment's pages. If there is no view, all
 * experiments pass.
 */
function placeTest({ id, url }: View): (pages: DecidableExperiment['pages']) => boolean {
  if (id === undefined && url === undefined) {
    return () => true;
  }
  const address = url === undefined ? undefined : normalized(url);
  const known = new Map<PageMatcher, boolean>();
  const isHere = (matcher: PageMatcher): boolean => {
    const answer = known.get(matcher) ?? (address !== undefined && matchesNormalized(matcher, address));
    known.set(matcher, answer);
    return answer;
  };
  const isNamed = (page: { id: number; api_name: string }): boolean =>
    id !== undefined && (page.api_name === id || String(page.id) === String(id));
  return (pages) => pages.some((page) => isNamed(page) || isHere(page.matcher));
}

/**
 * The visitor's earlier and new assignments after the decisions. An assignment is dropped only if its variation no
 * longer exists, or if a request could not contain all of them: visitors who do not take part now keep theirs for
 * later, as in the snippet.
 * @param live the experiments that are live in the caller's environment
 */
export function bucketingAfter(
  given: Bucketing,
  published: Pick<Published, 'experiments' | 'names'>,
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
  return bucketing.size > MAX_BUCKETING ? mostUseful(bucketing, published) : bucketing;
}

/** The phases of the visitor's assignments, as far as they are known. @param bucketing from `bucketingAfter` */
export function phasesAfter(bucketing: Bucketing, given: Phases, decisions: readonly Decision[]): Phases {
  const decided = decisions
    .filter(({ variation }) => variation !== null)
    .map(({ experiment, phase }) => [experiment.id, phase] as const);
  const phases = new Map<number, Decision['phase']>([...given, ...decided]);
  return new Map(
    [...bucketing.keys()].flatMap((id) => {
      const phase = phases.get(id);
      return typeof phase === 'number' ? [[id, phase]] : [];
    }),
  );
}

/**
 * As many assignments as a request can contain: of live experiments first, then of experiments that can go live again,
 * then of archived ones, and last of unknown ones. Within each kind, newer experiments come first.
 */
function mostUseful(
  bucketing: Bucketing,
  { experiments, names }: Pick<Published, 'experiments' | 'names'>,
): Bucketing {
  const live = new Set(experiments.map(({ id }) => id));
  const rankOf = (id: number): number => {
    const known = names.withId(id);
    if (live.has(id)) {
      return 0;
    }
    return known === undefined ? 3 : 1 + Number(known.isArchived);
  };
  const ranked = [...bucketing].map(([id, variation]) => ({ id, variation, rank: rankOf(id) }));
  ranked.sort((a, b) => a.rank - b.rank || b.id - a.id);
  return new Map(ranked.slice(0, MAX_BUCKETING).map(({ id, variation }) => [id, variation]));
}
