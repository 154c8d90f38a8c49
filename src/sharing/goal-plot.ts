import { Injectable } from '@nestjs/common';
import { found } from '../common/errors/api-errors';
import { renderStandalonePlot, type StandalonePlot } from '../presentation/components/standalone-plot';
import { SeriesLook, seriesLooks } from '../presentation/plots/series';
import { formatMoment } from '../presentation/text/dates';
import { type Micros, nowInSeconds } from '../common/time/clock';
import { plainName } from '../presentation/text/words';
import type { GoalProgress, PlottedGoal, ResultFilter } from '../results/experiment-results';
import { ResultsReports } from '../results/results-report';
import type { Method } from '../statistics/result';
import { filterWords, isFiltered } from './filter-words';
import { rateFigure, upliftFigure } from './goal-figures';
import type { ImageKind, ImageQuery } from './image-query';
import { certaintyOfRanges, rateExplanation, upliftExplanation } from './certainty-words';
import { Checked, failedChecks, MISMATCH_HEADING, mismatchWords } from './share-mismatch';
import type { Shared } from './shares';

/** The data of a goal's plot. */
export interface PlottedHistory {
  experiment: { name: string };
  goal: PlottedGoal;
  progress: GoalProgress | undefined;
  method: Method;
  /** As a fraction. */
  significance: number;
  /** The checks of the shares, for selected and for all participants. */
  checked: Checked;
  filter: ResultFilter;
  lastEventAt: Micros | null;
}

/** The plot of a goal as a standalone image. */
export function goalPlot(history: PlottedHistory, kind: ImageKind): StandalonePlot {
  const { experiment, goal, progress, method, significance, checked } = history;
  const figure = kind === 'rate' ? rateFigure(goal, progress) : upliftFigure(goal, progress);
  const failed = failedChecks(checked);
  return {
    ...figure,
    heading: plainName(goal.name),
    subheading: `${figure.title} – ${plainName(experiment.name)}`,
    warning: failed.length === 0 ? null : { heading: MISMATCH_HEADING, text: mismatchWords(failed) },
    explanation: [
      kind === 'rate' ? rateExplanation(goal) : upliftExplanation(goal, figure.series),
      certaintyOfRanges(method, significance),
    ],
    notes: notesOf(history),
    looks: looksOf(goal),
  };
}

/** The look of each variation. */
const looksOf = ({ variations }: Pick<PlottedGoal, 'variations'>): Map<number, SeriesLook> =>
  seriesLooks(variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));

/** Describes the filter and the end of the data. */
function notesOf({ lastEventAt, filter }: PlottedHistory): string[] {
  return [
    ...(isFiltered(filter) ? [filterWords(filter)] : []),
    ...(lastEventAt === null ? [] : [`Last event ${formatMoment(lastEventAt)}.`]),
  ];
}

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
