import { Injectable } from '@nestjs/common';
import type { RawQuery } from '../common/lists/list-query';
import { nowInSeconds } from '../common/time/clock';
import { renderStandalonePlot } from '../presentation/components/standalone-plot';
import { loadDrawing } from '../presentation/plots/drawing';
import { seriesLooks } from '../presentation/plots/series';
import { formatMoment } from '../presentation/text/dates';
import { shortName } from '../presentation/text/names';
import { formatCertainty } from '../presentation/text/numbers';
import type { ExperimentResults, ResultFilter } from '../results/experiment-results';
import { ResultsService } from '../results/results.service';
import { filterWords, isFiltered } from './filter-words';
import { rateFigure, upliftFigure } from './goal-figures';
import { parseImageQuery } from './image-query';
import type { Shared } from './shares';

/** So many of each name fit beside the rest of a line. */
const NAME_CHARACTERS = 45;

/** Draws the plots that have an address of their own. */
@Injectable()
export class GoalImages {
  constructor(private readonly results: ResultsService) {}

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
    const progress = (await this.results.progress(shared.experimentId, filter, asOf)).find(
      (one) => one.goalId === goalId,
    );
    const { title, ...figure } = kind === 'rate' ? rateFigure(goal, progress) : upliftFigure(goal, progress);
    const looks = seriesLooks(goal.variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));
    const plot = {
      ...figure,
      heading: shortName(goal.name, NAME_CHARACTERS),
      subheading: `${title} – ${shortName(results.experiment.name, NAME_CHARACTERS)}`,
      notes: notesOf(results, shared, filter),
      looks,
    };
    return renderStandalonePlot(plot, await loadDrawing());
  }
}

/** What a reader has to know about the figures. */
function notesOf(
  { significance }: ExperimentResults,
  { lastEventAt }: Shared,
  filter: ResultFilter,
): string[] {
  return [
    ...(isFiltered(filter) ? [filterWords(filter)] : []),
    `The shaded ranges hold the true figure with ${formatCertainty(significance)} certainty.`,
    ...(lastEventAt === null ? [] : [`Last event ${formatMoment(lastEventAt)}.`]),
  ];
}
