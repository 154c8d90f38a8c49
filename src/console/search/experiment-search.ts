import { Injectable } from '@nestjs/common';
import { lastPageOf } from '../../common/lists/pagination';
import { type Choice, ExperimentSearchStore, type FoundExperiment } from './experiment-search.store';
import type { SearchRequest } from './search-request';

const PER_PAGE = 100;

/** One page of the result, and the form's choices. */
export interface SearchResult {
  /** The effective request, without unknown choices and with at most the last page number. */
  request: SearchRequest;
  total: number;
  lastPage: number;
  experiments: FoundExperiment[];
  teams: Choice[];
  creators: Choice[];
}

/** Searches the experiments in all of a user's teams. */
@Injectable()
export class ExperimentSearch {
  constructor(private readonly store: ExperimentSearchStore) {}

  async read(userId: number, asked: SearchRequest): Promise<SearchResult> {
    const [teams, creators] = await Promise.all([this.store.teams(userId), this.store.creators(userId)]);
    const known = { ...asked, team: idIn(teams, asked.team), creator: idIn(creators, asked.creator) };
    const total = await this.store.count(userId, known);
    const lastPage = lastPageOf(total, PER_PAGE);
    const page = Math.min(asked.page, lastPage);
    const slice = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE };
    const experiments = await this.store.slice(userId, known, slice);
    return { request: { ...known, page }, total, lastPage, experiments, teams, creators };
  }
}

const idIn = (choices: readonly Choice[], asked: number | null): number | null =>
  choices.find(({ id }) => id === asked)?.id ?? null;
