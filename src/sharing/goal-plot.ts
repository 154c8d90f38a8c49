import { Injectable } from '@nestjs/common';
import { found } from '../common/errors/api-errors';
import { RawQuery, singleValue } from '../common/lists/list-query';
import { nowInSeconds, type Micros } from '../common/time/clock';
import { Failures } from '../common/validation/failures';
import {
  IMAGE_SIZES,
  ImageSize,
  renderStandalonePlot,
  type StandalonePlot,
} from '../presentation/components/standalone-plot';
import { SeriesLook, seriesLooks } from '../presentation/plots/series';
import { formatMoment } from '../presentation/text/dates';
import { plainName } from '../presentation/text/words';
import type { GoalProgress, PlottedGoal, ResultFilter } from '../results/experiment-results';
import { readResultFilter } from '../results/result-filter';
import { ResultsReports } from '../results/results-report';
import type { Method } from '../statistics/result';
import { certaintyOfFigures, certaintyOfRanges, rateExplanation, upliftExplanation } from './certainty-words';
import { filterWords, isFiltered } from './filter';
import { rateFigure, upliftFigure } from './goal-figures';
import { Checked, failedChecks, MISMATCH_HEADING, mismatchWords } from './share-mismatch';
import type { Shared } from './shares';

/** The plotted value: the goal's metric, or its uplift. */
export const IMAGE_KINDS = ['rate', 'uplift'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

interface ImageQuery {
  kind: ImageKind;
  size: ImageSize;
  filter: ResultFilter;
}

/**
 * Reads `kind`, `size` and the filter parameters.
 * @throws ValidationError that names each invalid parameter
 */
export function parseImageQuery(query: RawQuery): ImageQuery {
  const failures = new Failures();
  const kind = readOneOf(query, 'kind', IMAGE_KINDS, failures);
  const size = readOneOf(query, 'size', IMAGE_SIZES, failures);
  const filter = readResultFilter(query, failures);
  failures.throwIfAny();
  return { kind, size, filter };
}

/** Reads a parameter with a fixed set of values, the first of which is the default. */
function readOneOf<T extends string>(
  query: RawQuery,
  name: string,
  values: readonly [T, ...T[]],
  failures: Failures,
): T {
  const asked = singleValue(query, name, failures) ?? values[0];
  const found = values.find((value) => value === asked);
  if (found === undefined) {
    failures.add(name, `The ${name} must be one of: ${values.join(', ')}.`);
  }
  return found ?? values[0];
}

/** The data of a goal's plot. */
export interface PlottedHistory {
  experiment: { name: string };
  goal: PlottedGoal;
  progress: GoalProgress | undefined;
  method: Method;
  /** As a fraction. */
  significance: number;
  /** The sample ratio checks, for selected and for all participants. */
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
      kind === 'rate'
        ? certaintyOfFigures(goal, certaintyOfRanges(method, significance))
        : certaintyOfRanges(method, significance),
    ],
    notes: notesOf(history),
    looks: looksOf(goal),
  };
}

/** The visual style of each variation's series. */
const looksOf = ({ variations }: Pick<PlottedGoal, 'variations'>): Map<number, SeriesLook> =>
  seriesLooks(variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));

/** Notes on the active filter and the time of the last event. */
function notesOf({ lastEventAt, filter, checked }: PlottedHistory): string[] {
  const { hasWindows } = checked.results;
  return [
    ...(isFiltered(filter, hasWindows) ? [filterWords(filter, hasWindows)] : []),
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
    const isSelection = isFiltered(filter, history.hasWindows);
    const everybody = isSelection ? await this.reports.everybody(experimentId, asOf) : history;
    const checked = { results: history, everybody, filter };
    return renderStandalonePlot(goalPlot({ ...history, checked, filter, lastEventAt }, kind), size);
  }
}
