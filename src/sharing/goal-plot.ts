import type { StandalonePlot } from '../presentation/components/standalone-plot';
import { SeriesLook, seriesLooks } from '../presentation/plots/series';
import { formatMoment } from '../presentation/text/dates';
import type { Micros } from '../common/time/clock';
import { plainName } from '../presentation/text/words';
import type { GoalProgress, PlottedGoal, ResultFilter } from '../results/experiment-results';
import type { Method } from '../statistics/result';
import { filterWords, isFiltered } from './filter-words';
import { rateFigure, upliftFigure } from './goal-figures';
import type { ImageKind } from './image-query';
import { certaintyOfRanges, rateExplanation, upliftExplanation } from './plot-words';
import { Checked, failedChecks, MISMATCH_HEADING, mismatchWords } from './share-mismatch';

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
