import { Injectable } from '@nestjs/common';
import { found } from '../common/errors/api-errors';
import { nowInSeconds } from '../common/time/clock';
import { renderStandalonePlot } from '../presentation/components/standalone-plot';
import { ResultsReports } from '../results/results-report';
import { isFiltered } from './filter-words';
import { goalPlot } from './goal-plot';
import type { ImageQuery } from './image-query';
import type { Shared } from './shares';

/** Renders plots as standalone images. */
@Injectable()
export class GoalImages {
  constructor(private readonly reports: ResultsReports) {}

  /**
   * @returns the text of the image
   * @throws NotFoundError if the goal is not attached to the experiment
   */
  async draw(
    { experimentId, lastEventAt }: Shared,
    goalId: number,
    { kind, size, filter }: ImageQuery,
  ): Promise<string> {
    const asOf = nowInSeconds();
    const history = found(await this.reports.history(experimentId, goalId, filter, asOf));
    const everybody = isFiltered(filter) ? await this.reports.everybody(experimentId, asOf) : history;
    const checked = { results: history, everybody, filter };
    return renderStandalonePlot(goalPlot({ ...history, checked, filter, lastEventAt }, kind), size);
  }
}
