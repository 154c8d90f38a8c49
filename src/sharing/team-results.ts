import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { nowInSeconds } from '../common/time/clock';
import type { RawQuery } from '../common/lists/list-query';
import type { ExperimentResults, ResultFilter } from '../results/experiment-results';
import { readFilterForm, sharedQuery } from './filter';
import { type DrawnResults, drawResults } from './page/drawn-results';
import type { FilterForm, SnippetSeen, ResultsHeader } from './share-model';
import { ShareModels } from './share-models';
import { type Shared, Shares } from './shares';

interface Drawn {
  outcome: 'results';
  header: ResultsHeader;
  /** Unfiltered results for all goals. */
  everybody: ExperimentResults;
  markup: DrawnResults;
  filter: ResultFilter;
}

/**
 * What an experiment's results page for its team shows: no results, all results if the filter is invalid, or the
 * filtered results with their markup.
 */
export type TeamView =
  | { outcome: 'no results'; header: ResultsHeader }
  | { outcome: 'wrong filter'; header: ResultsHeader; form: FilterForm }
  | Drawn;

const MAX_BYTES = 32 * 1024 * 1024;
/** Estimated memory per character: two bytes for the text, and as much again for the figures. */
const BYTES_OF_CHARACTER = 4;

/**
 * The results of experiments for their teams, whether shared or not. Rendered results are cached until the data
 * changes. The cache is limited in bytes.
 */
@Injectable()
export class TeamResults {
  private readonly kept = new LRUCache<string, Drawn>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ markup: { headline, summary, sections } }, key) =>
      BYTES_OF_CHARACTER * (headline.length + summary.length + sections.length + key.length),
  });

  constructor(
    private readonly models: ShareModels,
    private readonly shares: Shares,
  ) {}

  /**
   * @param shared must be read immediately before the call, so that its version is current
   * @param query the filter
   */
  async read(shared: Shared, query: RawQuery, snippet: SnippetSeen): Promise<TeamView> {
    const key = keyOf(shared, query, snippet);
    const known = key === null ? undefined : this.kept.get(key);
    if (known !== undefined) {
      return { ...known, header: { ...known.header, asOf: nowInSeconds() } };
    }
    const drawn = await this.draw(shared, query, snippet);
    if (drawn.outcome === 'results' && key !== null && (await this.isCurrent(shared))) {
      this.kept.set(key, drawn);
    }
    return drawn;
  }

  private async draw(shared: Shared, query: RawQuery, snippet: SnippetSeen): Promise<TeamView> {
    // The next steps depend on the unfiltered results for all goals.
    const shareable = await this.models.read(shared, query, { hasAllGoals: true });
    if (shareable.outcome !== 'results') {
      return shareable;
    }
    const { results, asOf, lastEventAt, everybody, filter } = shareable.model;
    const markup = await drawResults(shareable.model, { snippet });
    return { outcome: 'results', header: { results, asOf, lastEventAt }, everybody, markup, filter };
  }

  /**
   * Whether the data has stayed the same since it was read. It is read by several statements, so a change in between
   * could mix two states.
   */
  private async isCurrent({ experimentId, version }: Shared): Promise<boolean> {
    return (await this.shares.ofExperiment(experimentId))?.version === version;
  }
}

/** Identifies everything that the results show; null for an invalid filter. */
function keyOf(
  { experimentId, version, path }: Shared,
  query: RawQuery,
  snippet: SnippetSeen,
): string | null {
  const { filter } = readFilterForm(query);
  const { at, since } = snippet;
  return filter === null ? null : [experimentId, version, path, at, since, sharedQuery(filter)].join(' ');
}
