import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import { renderStandalonePlot } from '../presentation/components/standalone-plot';
import type { PlotWarning } from '../presentation/components/standalone-warning';
import { loadDrawing } from '../presentation/plots/drawing';
import { seriesLooks } from '../presentation/plots/series';
import { formatMoment } from '../presentation/text/dates';
import { plainName } from '../presentation/text/names';
import { formatCertainty } from '../presentation/text/numbers';
import type { ResultFilter } from '../results/experiment-results';
import { ResultsService } from '../results/results.service';
import { filterWords, isFiltered } from './filter-words';
import { rateFigure, upliftFigure } from './goal-figures';
import { parseImageQuery } from './image-query';
import { certaintyOfRanges, rateExplanation, upliftExplanation } from './plot-words';
import { failedChecks, MISMATCH_HEADING, mismatchWords } from './share-mismatch';
import { ShareModels } from './share-models';
import type { Shared } from './shares';

/** Draws the plots that have an address of their own. */
@Injectable()
export class GoalImages {
  constructor(
    private readonly results: ResultsService,
    private readonly models: ShareModels,
  ) {}

  /**
   * @returns the text of the image; null when the goal is not attached to the experiment
   * @throws ValidationError for a wrong `kind` or filter
   */
  async draw(shared: Shared, goalId: number, query: RawQuery): Promise<string | null> {
    const { kind, filter } = parseImageQuery(query);
    const asOf = nowInSeconds();
    const results = await this.results.read(shared.experimentId, filter, asOf);
    const goal = results.goals.find(({ id }) => id === goalId);
    if (goal === undefined) {
      return null;
    }
    const [goals, everybody] = await Promise.all([
      this.results.progress(shared.experimentId, filter, asOf),
      this.models.everybody(results, filter, asOf),
    ]);
    const progress = goals.find((one) => one.goalId === goalId);
    const looks = seriesLooks(goal.variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));
    const { title, ...figure } = kind === 'rate' ? rateFigure(goal, progress) : upliftFigure(goal, progress);
    const plot = {
      ...figure,
      heading: plainName(goal.name),
      subheading: `${title} – ${plainName(results.experiment.name)}`,
      warning: warningOf({ results, everybody, filter }),
      explanation: [
        kind === 'rate' ? rateExplanation(goal) : upliftExplanation(goal, figure.series),
        certaintyOfRanges(formatCertainty(results.significance)),
      ],
      notes: notesOf(shared, filter),
      looks,
    };
    return renderStandalonePlot(plot, await loadDrawing());
  }
}

/** As the page warns, of those selected and of everybody. */
function warningOf(checked: Parameters<typeof failedChecks>[0]): PlotWarning | null {
  const failed = failedChecks(checked);
  return failed.length === 0 ? null : { heading: MISMATCH_HEADING, text: mismatchWords(failed) };
}

/** Whom the figures are about, and until when. */
function notesOf({ lastEventAt }: Shared, filter: ResultFilter): string[] {
  return [
    ...(isFiltered(filter) ? [filterWords(filter)] : []),
    ...(lastEventAt === null ? [] : [`Last event ${formatMoment(lastEventAt)}.`]),
  ];
}
