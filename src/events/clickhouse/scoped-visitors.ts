import { groupBy } from '../../common/lists/collections';
import type { ExclusionRow } from '../exclusions/excluded';
import type { LinkRow } from '../links/linked-ids';
import type { ResultState } from '../result-states.store';
import type { CellRow, ScopedExclusion, ScopedLink, ScopedRules } from './attribution-query.store';
import type { ProjectVisitor } from './scopes.store';

/* Visitor data for ClickHouse statements: links, exclusions and counting rules from the main database. */

/** Visitors of a project, with their data in the main database. */
export interface ScopedProject {
  projectId: number;
  links: LinkRow[];
  exclusions: ExclusionRow[];
  /**
   * The marked ids, to which their requested exclusions apply. All other ids keep the exclusions that the cells already
   * reflect.
   */
  marked: ReadonlySet<string>;
}

export const linkedVisitors = ({ projectId, links }: ScopedProject): ProjectVisitor[] =>
  [...new Set(links.flatMap(({ visitor_id, canonical_id }) => [visitor_id, canonical_id]))].map(
    (visitor_id) => ({
      project_id: projectId,
      visitor_id,
    }),
  );

export const linksIn = (
  { projectId, links }: Pick<ScopedProject, 'projectId' | 'links'>,
  isWanted: (link: LinkRow) => boolean,
): ScopedLink[] =>
  links.filter(isWanted).map(({ visitor_id, canonical_id, linked_at }) => ({
    projectId,
    visitorId: visitor_id,
    canonicalId: canonical_id,
    linkedAt: Number(linked_at),
  }));

export const exclusionsIn = (
  { projectId, exclusions }: Pick<ScopedProject, 'projectId' | 'exclusions'>,
  isInForce: (row: ExclusionRow) => boolean,
): ScopedExclusion[] =>
  exclusions.filter(isInForce).map(({ visitor_id, experiment_id }) => ({
    projectId,
    visitorId: visitor_id,
    experimentId: experiment_id,
  }));

export const wantedIn =
  ({ marked }: ScopedProject) =>
  ({ visitor_id, wanted, applied }: ExclusionRow): boolean =>
    Boolean(marked.has(visitor_id) ? wanted : applied);

/** Whether changed exclusions require an update of the results. */
export const areUnsettled = (projects: readonly ScopedProject[]): boolean =>
  projects.some(({ exclusions, marked }) =>
    exclusions.some(({ visitor_id, wanted, applied }) => marked.has(visitor_id) && (!wanted || !applied)),
  );

/** Whether there are new links, which may link visitors to excluded visitors. */
export const mayLinkExcluded = ({ links, exclusions }: ScopedProject): boolean =>
  exclusions.length > 0 && links.some(({ attributed }) => !attributed);

export const scopedRules = (
  states: readonly ResultState[],
  projectOf: ReadonlyMap<number, number>,
  cells: 'shown' | 'rebuild',
): ScopedRules[] =>
  states.flatMap((state) => {
    const rules = state[cells]?.rules;
    const projectId = projectOf.get(state.experimentId);
    const until = cells === 'rebuild' ? (state.rebuild?.to ?? null) : null;
    return rules === undefined || projectId === undefined
      ? []
      : [{ experimentId: state.experimentId, projectId, rules, after: null, until }];
  });

export const byExperiment = (rows: readonly CellRow[]): Map<number, CellRow[]> =>
  groupBy(rows, ({ experiment_id }) => experiment_id);
