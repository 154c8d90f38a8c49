import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import { seriesLooks } from '../../presentation/plots/series';
import { methodOf } from '../certainty-words';
import { certaintyOfRanges } from '../plot-words';
import { type JudgedGoal, orderedGoals } from '../goal-order';
import { GOALS_WITH_PLOTS, type ShareModel, type SnippetSeen } from '../share-model';
import { plainName } from '../../presentation/text/names';
import { isFiltered } from '../filter-words';
import { headlineOf } from '../headline';
import { MISMATCH_HEADING, shareMismatches } from '../share-mismatch';
import { verdictText } from '../verdict';
import { GoalSection } from './goal-section';
import { ResultHeadline, ResultSections } from './result-sections';

/** The markup of results. */
export interface DrawnResults {
  /** The answer, with the decision to make. */
  headline: string;
  /** The answer in one or two sentences of plain text. */
  summary: string;
  /** Tables, plots and explanations. */
  sections: string;
}

interface DrawOptions {
  /** The single goal to show, in full. */
  only?: number | undefined;
  /** For members. */
  snippet?: SnippetSeen;
}

/** Renders an experiment's results goal by goal and yields to other requests in between. */
export async function drawResults(
  model: ShareModel,
  { only, snippet }: DrawOptions = {},
): Promise<DrawnResults> {
  const { results, progress } = model;
  const plotted = new Set(results.goals.slice(0, GOALS_WITH_PLOTS).map(({ id }) => id));
  const judged = withVerdicts(model).filter(({ goal }) => only === undefined || goal.id === only);
  const goals = orderedGoals(judged);
  const variations = results.goals[0]?.variations ?? [];
  const looks = seriesLooks(variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));
  const certainty = certaintyOfRanges(methodOf(results), results.significance);
  const sections: string[] = [];
  const hasHeadline = shareMismatches(model).length === 0;
  for (const [index, { goal, verdict }] of goals.entries()) {
    await nextTurn();
    sections.push(
      renderToString(
        <GoalSection
          goal={goal}
          verdict={verdict}
          progress={progress.find(({ goalId }) => goalId === goal.id)}
          hasVerdict={index > 0 || !hasHeadline || goal.role === 'guardrail'}
          certainty={certainty}
          looks={looks}
          model={model}
          hasPlots={only !== undefined || plotted.has(goal.id)}
        />,
      ),
    );
  }
  await nextTurn();
  const parts = { model, goals, looks, isWhole: only === undefined, snippet: snippet ?? null };
  return {
    headline: renderToString(<ResultHeadline {...parts} />),
    summary: summaryOf(model, goals),
    sections: renderToString(<ResultSections {...parts} sections={sections} />),
  };
}

function withVerdicts(model: ShareModel): JudgedGoal[] {
  const { results, filter } = model;
  const context = {
    status: results.experiment.status,
    isWholeTime: filter.start === null && filter.end === null,
  };
  return results.goals.map((goal) => ({ goal, verdict: verdictText(goal, context) }));
}

function summaryOf(model: ShareModel, goals: readonly JudgedGoal[]): string {
  const context = { status: model.results.experiment.status, isFiltered: isFiltered(model.filter) };
  const headline = headlineOf(goals, context);
  if (shareMismatches(model).length > 0 || headline === null) {
    return headline === null ? 'No goal is attached.' : `${MISMATCH_HEADING}: sample ratio mismatch.`;
  }
  const { headline: answer, details, harms } = headline;
  return plainName([`${answer}.`, ...details.slice(0, 1), ...harms].join(' '));
}
