import { Injectable } from '@nestjs/common';
import { lastPageOf } from '../common/lists/pagination';
import { nowInSeconds } from '../common/time/clock';
import type { ExperimentStatus } from '../experiments/experiment-status';
import type { ResultsOverview } from '../results/experiment-results';
import { ResultsService } from '../results/results.service';
import { ExperimentListStore } from './experiment-list.store';
import type { ListRequest } from './list-request';

const PER_PAGE = 25;

export interface ListedExperiment {
  id: number;
  name: string;
  status: ExperimentStatus;
  /** Null if the experiment never ran and has no participants. */
  overview: ResultsOverview | null;
}

/** One page of a project's experiments. */
export interface ExperimentPage {
  /** The effective request. A page number beyond the last page becomes the last page. */
  request: ListRequest;
  lastPage: number;
  /** The number of matching experiments by status. */
  counts: ReadonlyMap<ExperimentStatus, number>;
  experiments: ListedExperiment[];
}

/** Reads the experiments of a project page by page, running ones first. */
@Injectable()
export class ExperimentList {
  constructor(
    private readonly store: ExperimentListStore,
    private readonly results: ResultsService,
  ) {}

  async read(projectId: number, asked: ListRequest): Promise<ExperimentPage> {
    const search = { projectId, search: asked.search };
    const counts = await this.store.counts(search);
    const total = asked.status === null ? sum(counts.values()) : (counts.get(asked.status) ?? 0);
    const lastPage = lastPageOf(total, PER_PAGE);
    const request = { ...asked, page: Math.min(asked.page, lastPage) };
    const { status, page } = request;
    const slice = { status, limit: PER_PAGE, offset: (page - 1) * PER_PAGE };
    const rows = await this.store.slice(search, slice);
    const asOf = nowInSeconds();
    const experiments = rows.map(async ({ hasHistory, ...found }) => ({
      ...found,
      overview: hasHistory ? await this.results.overview(found.id, asOf) : null,
    }));
    return { request, lastPage, counts, experiments: await Promise.all(experiments) };
  }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
