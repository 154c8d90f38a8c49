import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import { seriesLooks } from '../../presentation/plots/series';
import { plainName } from '../../presentation/text/words';
import { certaintyOfRanges, methodOf } from '../certainty-words';
import { filterWords, isFiltered } from '../filter';
import { type Headline, headlineOf, type JudgedGoal, orderedGoals } from '../headline';
import { GOALS_WITH_PLOTS, type ShareModel, type SnippetSeen } from '../share-model';
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
  /** The single goal to show in full. */
  only?: number | undefined;
  /** When the snippet was last seen; set only for members of the team. */
  snippet?: SnippetSeen;
}

/** Renders an experiment's results one goal at a time, and yields to other requests between goals. */
export async function drawResults(
  model: ShareModel,
  { only, snippet }: DrawOptions = {},
): Promise<DrawnResults> {
  const { results, progress } = model;
  const plotted = new Set(results.goals.slice(0, GOALS_WITH_PLOTS).map(({ id }) => id));
  const judged = withVerdicts(model);
  const goals = orderedGoals(judged.filter(({ goal }) => only === undefined || goal.id === only));
  const headline = goals.some(({ goal }) => goal.role === 'primary') ? decisionIn(model, judged) : null;
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
          hasVerdict={index > 0 || !hasHeadline || goal.role !== 'primary'}
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
    headline: renderToString(<ResultHeadline {...parts} headline={headline} />),
    summary: summaryOf(model, headline, goals),
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

/** The headline for the experiment. It depends on all goals, even if only one is shown. */
const decisionIn = (model: ShareModel, judged: readonly JudgedGoal[]): Headline | null =>
  headlineOf(judged, {
    status: model.results.experiment.status,
    isFiltered: isFiltered(model.filter, model.results.hasWindows),
    isDecided: model.results.experiment.isDecided,
  });

/** @param goals the goals on the page */
function summaryOf(model: ShareModel, headline: Headline | null, [first]: readonly JudgedGoal[]): string {
  if (first === undefined) {
    return 'No goal is attached.';
  }
  const { filter, results } = model;
  const selection = isFiltered(filter, results.hasWindows) ? [filterWords(filter, results.hasWindows)] : [];
  if (shareMismatches(model).length > 0) {
    return [...selection, `${MISMATCH_HEADING}: sample ratio mismatch.`].join(' ');
  }
  const { headline: answer, details } = headline ?? first.verdict;
  const sentences = [...selection, `${answer}.`, ...details.slice(0, 1), ...(headline?.harms ?? [])];
  return plainName(sentences.join(' '));
}
