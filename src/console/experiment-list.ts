import { Injectable } from '@nestjs/common';
import { foldName } from '../common/text/names';
import { nowInSeconds } from '../common/time/clock';
import { Database } from '../database/database';
import { allOf, Condition } from '../database/listing';
import type { ExperimentStatus } from '../experiments/experiment-status';
import type { ResultsOverview } from '../results/experiment-results';
import { ResultsService } from '../results/results.service';
import type { ListRequest } from './list-request';

const PER_PAGE = 25;

/** What is looked at first. */
const ORDER = `CASE e.status WHEN 'running' THEN 0 WHEN 'pause' THEN 1 WHEN 'preview' THEN 2 WHEN 'draft' THEN 3 ELSE 4 END`;

export interface ListedExperiment {
  id: number;
  name: string;
  status: ExperimentStatus;
  /** Null when it never ran and nobody took part. */
  overview: ResultsOverview | null;
}

/** One page of a project's experiments. */
export interface ExperimentPage {
  /** As it can be answered: the last page in place of one behind it. */
  request: ListRequest;
  lastPage: number;
  /** How many the search finds in each status. */
  counts: ReadonlyMap<ExperimentStatus, number>;
  experiments: ListedExperiment[];
}

interface Row extends Omit<ListedExperiment, 'overview'> {
  has_history: number | string;
}

/** Reads the experiments of a project page by page, running ones first. */
@Injectable()
export class ExperimentList {
  constructor(
    private readonly database: Database,
    private readonly results: ResultsService,
  ) {}

  async read(projectId: number, asked: ListRequest): Promise<ExperimentPage> {
    const found = conditionOf(projectId, asked);
    const counts = await this.counts(found);
    const total = asked.status === null ? sum(counts.values()) : (counts.get(asked.status) ?? 0);
    const lastPage = Math.max(1, Math.ceil(total / PER_PAGE));
    const request = { ...asked, page: Math.min(asked.page, lastPage) };
    const rows = await this.rows(found, request);
    const asOf = nowInSeconds();
    const experiments = rows.map(async ({ id, name, status, has_history }) => ({
      id,
      name,
      status,
      overview: Number(has_history) === 1 ? await this.results.overview(id, asOf) : null,
    }));
    return { request, lastPage, counts, experiments: await Promise.all(experiments) };
  }

  private async counts({ sql, parameters }: Condition): Promise<Map<ExperimentStatus, number>> {
    const rows: { status: ExperimentStatus; count: number | string }[] = await this.database.read.query(
      `SELECT e.status, COUNT(*) AS count FROM experiments e WHERE ${sql} GROUP BY e.status`,
      parameters,
    );
    return new Map(rows.map(({ status, count }) => [status, Number(count)]));
  }

  private rows(found: Condition, { status, page }: ListRequest): Promise<Row[]> {
    const inStatus = status === null ? [] : [{ sql: 'e.status = ?', parameters: [status] }];
    const { sql, parameters } = allOf([found, ...inStatus]);
    return this.database.read.query(
      `SELECT e.id, e.name, e.status,
              CASE WHEN e.started_at IS NULL AND r.experiment_id IS NULL THEN 0 ELSE 1 END AS has_history
         FROM experiments e LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE ${sql} ORDER BY ${ORDER}, e.id DESC LIMIT ${PER_PAGE} OFFSET ${(page - 1) * PER_PAGE}`,
      parameters,
    );
  }
}

/** Whatever their status. */
function conditionOf(projectId: number, { search }: ListRequest): Condition {
  const all = { sql: 'e.project_id = ? AND e.deleted_at IS NULL', parameters: [projectId] };
  return search === ''
    ? all
    : allOf([all, { sql: 'INSTR(e.name_search, ?) > 0', parameters: [foldName(search)] }]);
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
