import { Markup } from '../../presentation/components/markup';
import type { SeriesLook } from '../../presentation/plots/series';
import type { GoalResults } from '../../results/experiment-results';
import { hasManyCrossovers } from '../../results/experiment-warnings';
import { sharedQuery } from '../filter-query';
import { filterWords, isFiltered } from '../filter-words';
import { type JudgedGoal, orderedVariations } from '../goal-order';
import type { Headline } from '../headline';
import { shareMismatches } from '../share-mismatch';
import type { ShareModel, SnippetSeen } from '../share-model';
import { CrossoverNotice, MismatchNotice } from './notices';
import { DataHealth } from './data-health';
import { EntryEffects } from './entry-effects';
import { Filter } from './filter';
import { HeadlineBox } from './headline-box';
import { Notes } from './notes';
import { Participants } from './participants';
import { ResultTable } from './result-table';

interface ResultSectionsProps {
  model: ShareModel;
  /** In the order to show them. */
  goals: readonly JudgedGoal[];
  looks: ReadonlyMap<number, SeriesLook>;
  /** The markup of each goal. */
  sections: readonly string[];
  /** Whether these are all goals. */
  isWhole: boolean;
  snippet: SnippetSeen | null;
}

interface ResultHeadlineProps extends Pick<ResultSectionsProps, 'model' | 'isWhole'> {
  /** Null without a primary goal on the page. */
  headline: Headline | null;
}

/** The answer: the headline, or the reasons not to trust it. */
export function ResultHeadline({ model, headline, isWhole }: ResultHeadlineProps) {
  const { results, filter, path } = model;
  const mismatches = shareMismatches(model);
  const crossed = [results, model.everybody].find(hasManyCrossovers);
  return (
    <>
      {!isWhole && path !== null && (
        <p class="screen-only">
          <a href={`${path}${sharedQuery(filter)}`}>All results of the experiment</a>
        </p>
      )}
      {isFiltered(filter) && <p class="filtered">{filterWords(filter)}</p>}
      {mismatches.length > 0 && <MismatchNotice mismatches={mismatches} />}
      <HeadlineBox headline={mismatches.length > 0 ? null : headline} results={results} />
      {crossed !== undefined && <CrossoverNotice {...crossed} />}
    </>
  );
}

/** The figures below the answer, from the filter to the notes. */
export function ResultSections({ model, goals, looks, sections, isWhole, snippet }: ResultSectionsProps) {
  const { results, filter, form, lastEventAt } = model;
  const variations = results.goals[0]?.variations ?? [];
  const order = results.goals[0] === undefined ? [] : orderedVariations(results.goals[0]).map(({ id }) => id);
  return (
    <>
      <Filter filter={filter} form={form} hasWindows={results.hasWindows} asOf={model.asOf} />
      {goals.length > 0 && <ResultTable goals={goals} order={order} looks={looks} hasPrimary={isWhole} />}
      {sections.map((html, index) => (
        <Markup key={index} html={html} />
      ))}
      {results.goals.length === 0 && <NoGoals />}
      <DataHealth results={results} lastEventAt={lastEventAt} snippet={snippet}>
        {variations.length > 0 && <Participants results={results} variations={variations} looks={looks} />}
      </DataHealth>
      {model.entries !== null && <EntryEffects {...model.entries} compared={comparedIn(variations)} />}
      <Notes results={results} />
    </>
  );
}

/** With an original, the others. */
const comparedIn = (variations: GoalResults['variations']): Set<number> =>
  new Set(
    variations.some(({ isOriginal }) => isOriginal)
      ? variations.filter(({ isOriginal }) => !isOriginal).map(({ id }) => id)
      : [],
  );

function NoGoals() {
  return (
    <section class="card">
      <h2>No goals</h2>
      <p>The experiment has participants but no goal. Attach a goal to see its whole history.</p>
    </section>
  );
}
