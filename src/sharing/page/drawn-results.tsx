import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import { seriesLooks } from '../../presentation/plots/series';
import { methodOf } from '../certainty-words';
import { certaintyOfRanges } from '../plot-words';
import { GOALS_WITH_PLOTS, type ShareModel } from '../share-model';
import { verdictText } from '../verdict';
import { GoalSection } from './goal-section';
import { ResultSections } from './result-sections';

/**
 * Renders an experiment's results, from the filter to the notes. It renders goal by goal and yields to other requests
 * in between. @param only the single goal to show, in full
 */
export async function drawResults(model: ShareModel, only?: number): Promise<string> {
  const { results, progress } = model;
  const goals = withVerdicts(model).filter(({ goal }) => only === undefined || goal.id === only);
  const variations = results.goals[0]?.variations ?? [];
  const looks = seriesLooks(variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));
  const certainty = certaintyOfRanges(methodOf(results), results.significance);
  const sections: string[] = [];
  for (const [index, { goal, verdict }] of goals.entries()) {
    await nextTurn();
    sections.push(
      renderToString(
        <GoalSection
          goal={goal}
          verdict={verdict}
          progress={progress.find(({ goalId }) => goalId === goal.id)}
          isPrimary={goal.id === results.goals[0]?.id}
          certainty={certainty}
          looks={looks}
          model={model}
          hasPlots={index < GOALS_WITH_PLOTS}
        />,
      ),
    );
  }
  await nextTurn();
  const parts = { model, goals, looks, sections, isWhole: only === undefined };
  return renderToString(<ResultSections {...parts} />);
}

function withVerdicts(model: ShareModel) {
  const { results, filter } = model;
  const context = {
    status: results.experiment.status,
    isWholeTime: filter.start === null && filter.end === null,
  };
  return results.goals.map((goal) => ({ goal, verdict: verdictText(goal, context) }));
}
